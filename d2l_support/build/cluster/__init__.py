"""Work on an existing Dask cluster.

1. ``workers``: who is there, and who has what the work needs.
2. ``checkout``: what a worker needs to know of its own machine.
3. ``dispatch``: hands the work to workers, and bears the loss of some.
4. ``execution``: notebooks run there as `d2l-support execute` runs them here.
"""
