"""Operators: mentions to people, people to an identifier view, and the view back to mentions."""
