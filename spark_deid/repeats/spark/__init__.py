"""Operators: the search for rare text, and its recount, on tables."""
