"""Assignments: the exercises of a section as an nbgrader course holds them.

1. ``choice``        which sections, frameworks and exercises are asked for
2. ``cells``         the cells of a notebook, with what nbgrader has to know
3. ``parts``         the parts of an exercise as cells
4. ``notebook``      one section's exercises in one framework as a notebook
5. ``requirements``  what a student has to install
6. ``course``        the folder of a course, with nbgrader's own names
7. ``generate``      nbgrader's ``generate_assignment``, in a process of its own
8. ``release``       starts that process and reads what it says
9. ``writing``       writes what is new or changed, and puts back what fails
10. ``guide``        the configuration and the words for the instructor
11. ``command``      ``d2l-support assign``
"""
