"""The book measures where its own rules hold.

1. ``settings``   the table of settings that the book is run under
2. ``evidence``   what a kernel must show before a setting counts
3. ``agreement``  how a cell's fresh outputs agree with its record
4. ``ledger``     the file in which the observations stand, beside the records
5. ``measure``    runs sections under a setting and writes the ledger

``check`` holds the rules against the ledger (``contradiction``), the pages
show it (``summary``, ``overview``) beside what the reference edition printed
(``published``), and ``explain`` ranks with it the ``causes`` of why a reader's own
numbers differ, first of all the reader's ``edits``.
"""
