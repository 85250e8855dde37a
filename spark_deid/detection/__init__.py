"""Operators of the detectors that need no learning."""
