"""Tokens, tags, token features and patterns. No Spark."""
