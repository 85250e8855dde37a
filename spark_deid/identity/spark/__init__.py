"""Operators: mentions to persons, persons to an identifier view, and the view back to mentions."""
