"""Sanitize large text corpora on Spark before they are shared."""

__version__ = "0.1.0"
