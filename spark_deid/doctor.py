"""Examine a machine."""
