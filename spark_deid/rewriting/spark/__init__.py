"""Operators: spans to edits, edits to text, ids to hashes."""
