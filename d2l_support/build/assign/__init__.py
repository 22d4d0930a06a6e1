"""Assignments: the exercises of a section as an nbgrader course holds them.

1. ``choice``        which sections, frameworks and exercises are asked for
2. ``cells``         the cells of a notebook, with what nbgrader has to know
3. ``parts``         the parts of an exercise as cells
4. ``notebook``      one section's exercises in one framework as a notebook
5. ``requirements``  what a student has to install
6. ``drafting``      all of an assignment as the book has it now
7. ``course``        the folder of a course, with nbgrader's own names
8. ``generate``      nbgrader's ``generate_assignment``, in a process of its own
9. ``release``       starts that process and reads what it says
10. ``writing``      writes what is new or changed, and puts back what fails
11. ``guide``        the configuration and the words for the instructor
12. ``command``      ``d2l-support assign``
"""
