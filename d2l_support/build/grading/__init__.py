"""Grading: submissions in an nbgrader course to grades, feedback and a report.

1. ``intake``      finds the one file that each student handed in, by name
2. ``reading``     its bytes as a notebook, or what is wrong with them
3. ``planning``    what becomes of each: new, unchanged, not to be graded
4. ``matching``    which submitted cell is which cell of the assignment
5. ``restore``     the assignment's own cells, with the student's answers in them
6. ``suspicion``, ``guards``   whether the tests are still what they seem
7. ``pool``, ``cluster``   runs notebooks outside this process, here or on Dask
8. ``settle``      the outputs from which nbgrader takes the points
9. ``autograde``   nbgrader's own autograde and feedback, on outputs that are there
10. ``ledger``      what was graded, so that a later run does only what is new
11. ``lines``      a line for each submission: ``report``, and ``grades`` as CSV

``course``, ``assignments`` and ``gradebook`` read what nbgrader keeps;
``session`` puts the steps in this order; ``command`` is ``d2l-support grade``.
"""
