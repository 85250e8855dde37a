"""Detectors: what finds the spans of a plan, each a kind in one registry."""
