"""The live book: a Jupyter Server that serves the pages and runs their cells.

1. ``command`` is ``d2l-support live``; ``configure`` says what the server may do
2. ``server`` is a Jupyter Server with no files, no terminals and nobody's
   configuration; ``gate`` lets in only the addresses that the book uses
3. ``kernels`` starts the four kernels, each in a scratch folder of its own
4. ``application`` is the extension: ``pages`` serves the built book under
   ``policy``'s rules, ``routes`` tells of the environments and compares
5. ``creation`` makes an environment on first use, ``make`` is its process;
   ``comparison`` holds what a cell printed against its record

Nothing of Jupyter Server is imported before the command runs.
"""


def _jupyter_server_extension_points() -> list[dict]:
    """How Jupyter Server finds the extension."""
    from d2l_support.build.live.application import LiveBook

    return [{"module": "d2l_support.build.live.application", "app": LiveBook}]
