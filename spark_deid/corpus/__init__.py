"""Readers and writers of corpus formats, one a file."""
