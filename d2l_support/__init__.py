"""What the notebooks of this book import, and nothing they do not need.

A notebook takes the module of its own framework, always under the same name:

    from d2l_support import pytorch as d2l      # or tensorflow, jax, mxnet

The four modules export the same names, so that the text around a cell can
speak of `d2l.set_seed` whichever framework you read. Each imports NumPy and
its own framework only. What needs no framework is shared:

- which random streams there are: `streams`, `inventory`; what else a run
  depends on: `environment`; the process a notebook may start: `processes`;
- saving them: `slots`, `shared_slots`, `forms`, `state_check`, `state_file`,
  `random_state`, and `atomic` for every file that is written;
- resuming a training: `plain` and `checkpoint`, `training`, and `resume` with
  `resume_process` and `resume_report`;
- looking inside a model while it runs: `inspection`; the tables in which all
  of them answer: `tables`.

`d2l_support.build` is the tooling with which the authors execute, record and
check the book. The modules for notebooks never import it.
"""

__version__ = "0.1.0"
