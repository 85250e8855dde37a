"""Operators: vectors of one's own corpus, tables of neighbours, and sentences in another order."""
