"""Runs one notebook that nobody has read, apart from everything else.

Each run has a worker process, a kernel and a scratch folder of its own. The
worker holds the kernel to limits of time, memory, output, processes and disk,
ends whatever it started, and answers what became of each cell::

    run_isolated -> worker (watch, meter) -> sandbox -> kernel (attestation)

``run`` is the caller's side; ``worker`` and what it imports runs in the worker;
``in_kernel`` is sent to the kernel as text. Every code cell that did not
demonstrably come to its end carries an error output which says why.
"""
