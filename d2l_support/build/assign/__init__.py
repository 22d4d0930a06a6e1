"""Assignments: the exercises of a section as an nbgrader course holds them.

1. ``choice``        which sections, frameworks and exercises are asked for
2. ``cells``         the cells of a notebook, with what nbgrader has to know
3. ``notebook``      one section's exercises in one framework as a notebook
4. ``requirements``  what a student has to install
5. ``course``        the folder of a course, with nbgrader's own names
6. ``generate``      nbgrader's ``generate_assignment``, in a process of its own
7. ``release``       starts that process and reads what it says
8. ``writing``       writes what is new or changed, and puts back what fails
9. ``guide``         the configuration and the words for the instructor
10. ``command``      ``d2l-support assign``
"""
