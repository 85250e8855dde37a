"""Generalize the terms of a document along an ontology: the technique, and what it writes."""
