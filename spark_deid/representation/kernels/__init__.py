"""Compiled loops of representations: sentences of texts, and draws of pseudonyms."""
