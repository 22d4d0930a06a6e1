"""Exercises: a section source whose cells say which part of one they are.

1. ``options``      the marks and options that an exercise adds to a section
2. ``regions``      what is between nbgrader's comments in a cell
3. ``exercise``     the exercises of a section as values
4. ``shown``        what of an exercise is shown to whom
5. ``faults``       what is wrong in them, found without a kernel
6. ``submissions``  the notebooks that must score full, nothing, or less
7. ``scores``       the points of an executed submission
8. ``trial``        runs submissions and holds each score to what it must be
9. ``command``      ``d2l-support exercise``, which shows it as a table
"""
