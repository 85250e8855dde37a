"""Pseudonyms among a word's nearest neighbours, sentences in another order, and what a person could guess of them."""
