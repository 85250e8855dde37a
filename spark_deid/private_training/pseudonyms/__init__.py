"""Pseudonyms among a word's nearest neighbours, sentences in another order, and what somebody could guess of them."""
