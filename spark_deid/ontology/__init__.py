"""Generalizations: ontologies of words and of places, hierarchies of values, and the files they come from."""
