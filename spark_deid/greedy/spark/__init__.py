"""Operators: models over a corpus, and fits as tasks."""
