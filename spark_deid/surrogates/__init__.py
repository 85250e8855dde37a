"""Surrogates, shifted dates and pseudonyms: readable replacements of removed values, chosen by a secret key.

A **value** is what a mention states once its form is taken off: a word of a name, a place, the figures of a code. A
**scope** is a person's documents, or one document: within it equal values have equal surrogates, and different ones
different ones.
"""
