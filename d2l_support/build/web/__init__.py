"""What the pages load on first use, bundled from the sources in ``web/``.

1. ``node`` finds a Node.js, or installs one from a wheel
2. ``bundle`` installs the pinned packages and makes the bundle, once
3. ``command`` is ``d2l-support bundle``: it says how large the files are

The extension copies the bundle into the built book, under ``bundled/``.
"""
