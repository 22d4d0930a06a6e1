"""What the notebooks of this book import, and nothing they do not need.

A notebook takes the module of its own framework, always under the same name:

    from d2l_support import pytorch as d2l      # or tensorflow, jax, mxnet

The four modules export the same names, so that the text around a cell can
speak of `d2l.set_seed` whichever framework you read. Each imports NumPy and
its own framework only. What needs no framework is shared:

- `streams` and `inventory`: which random streams there are;
- `environment`: what else a run depends on;
- `state`: saving the streams and putting them back;
- `loaders` and `resume`: interrupting a training and resuming it;
- `inspection`: looking inside a model while it runs;
- `steppers`: pictures that change step by step, with no kernel behind them;
- `tables`, `atomic`, `processes`: how all of them answer in text, write a file
  and start a process.

`d2l_support.build` is the tooling with which the authors execute, record and
check the book. The modules for notebooks never import it.
"""

__version__ = "0.1.0"
