"""The book on paper: one PDF for each framework, printed by Chromium.

1. ``pages`` lists the pages in the order of the table of contents and cuts
   the article out of each built one
2. ``variant`` keeps what one framework's reader sees, ``frames`` unrolls what
   moves, ``paper`` drops what works on a screen alone and opens what is folded
3. ``links`` makes the names of all pages different and points links to them
4. ``edition`` says what the cover tells, ``document`` puts all into one page
5. ``browser`` prints it; ``printed`` reads the print back, for the page numbers
   in the contents of the second one
6. ``finish`` writes the print's facts, ``faults`` looks through it

``printing`` does all that for one edition, ``command`` for those asked for.
"""
