"""The authors' tooling: from one hand-written source to the rendered book.

Data flows one way, and every stage is a module:

1. ``source``   reads a section, a MyST notebook with marks, into a value
2. ``split``    takes out the notebook of one framework (and merges back)
3. ``execute``  runs a notebook in a fresh kernel
4. ``record``   keeps the outputs beside the source, whole or not at all
5. ``check``    finds what is wrong in sources and records, with no kernel
6. ``diff``     holds a fresh run against the record, by each cell's own rule
7. ``render``   shows the records on the page, one synced tab per framework

Stages are functions on values. Only ``execute``, through ``launch``, and
``environments`` and ``kernels`` start processes; beside those only ``record``
and the command line write files. Nothing in here
imports a framework, and the helpers in ``d2l_support`` never import this.
"""
