"""What a JSON text may hold at most."""

MAX_DEPTH = 64
"""Arrays and objects inside one another, the outermost counted."""

MAX_DIGITS = 4300
"""Digits of an integer, Python's own limit for text to int."""

MOST_PROBLEMS = 10_000
"""Problems listed for one file; a file with more is wrong in one way, many times."""
