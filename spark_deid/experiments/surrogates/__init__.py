"""Surrogates beside placeholders: which names that were missed are found among them, and what a model learns of them."""
