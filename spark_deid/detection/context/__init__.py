"""Contextual inference: words that give an identifier away without being one, found by association over a corpus."""
