"""Detectors that need no learning, as functions of a text."""
