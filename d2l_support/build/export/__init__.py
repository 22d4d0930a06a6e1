"""Export: whole notebooks for Jupyter and Colab, with nothing of the checkout.

1. ``targets``     what the prose points at: pages, figures, the literature
2. ``citations``   the literature in author-year form
3. ``directives``  what each directive becomes where there is no Sphinx
4. ``prose``       a cell's words as plain Markdown
5. ``wheel``       the helpers as one wheel that travels with the notebooks
"""
