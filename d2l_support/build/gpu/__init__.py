"""The job that runs the book on a machine with a CUDA device.

It takes the machine's own Python and releases as they are:

1. ``probe``    asks that Python which frameworks see a device
2. ``kernels``  gives those a kernelspec, one kernel at a time in memory
3. ``verdicts`` holds each cell against the GPU's record, or against the CPU's
                by what its rule allows between devices
4. ``report``   writes what came out as text, HTML and JUnit XML
"""
