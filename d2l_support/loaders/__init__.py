"""Loaders that can continue in the middle of an epoch, a module a framework.

`ReplayingLoader` skips what was used, `StatefulLoader` saves its position.
"""
