"""The drawn figures of the book, and what draws them.

``python -m figures`` writes every ``figures/<name>.svg`` anew, byte for byte
the same; ``python -m figures --check`` says which file would change.
"""
