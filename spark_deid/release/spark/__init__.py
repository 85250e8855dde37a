"""Operators: the tables of a workspace, and what a corpus contains."""
