"""Operators: counts over what is to be published, apart from what made it."""
