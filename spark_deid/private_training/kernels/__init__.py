"""Compiled loops over published texts: where their sentences are, what stands there, and in which order."""
