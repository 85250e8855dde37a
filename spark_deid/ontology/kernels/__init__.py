"""Compiled loops over words and paths of an ontology."""
