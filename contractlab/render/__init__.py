"""Judgements and problems to text: pure functions, one module a medium."""
