"""Policies: from spans to edits, and from edits to text."""
