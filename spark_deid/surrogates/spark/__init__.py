"""Operators: what represents the values of a scope over all its documents, and its recount."""
