"""Export: whole notebooks for Jupyter and Colab, with nothing of the checkout.

1. ``targets``     what the prose points at: pages, figures, the literature
2. ``citations``   the literature in author-year form
3. ``directives``  what each directive becomes where there is no Sphinx
4. ``prose``       a cell's words as plain Markdown
5. ``exercising``  what of exercises a notebook holds, for whom
6. ``wheel``       the helpers as one wheel that travels with the notebooks
7. ``notice``      which cells may print other numbers elsewhere, and why
8. ``setup``       the first cell, which looks before it installs
9. ``notebook``    all of that as one notebook
10. ``command``    ``d2l-support export``, which writes them into a folder
"""
