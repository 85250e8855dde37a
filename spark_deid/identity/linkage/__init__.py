"""Probabilistic linkage: which documents are one person's where none is named."""
