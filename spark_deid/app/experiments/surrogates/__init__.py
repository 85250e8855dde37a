"""Surrogates beside placeholders: which missed names are found among them, and what a model learns of them."""
