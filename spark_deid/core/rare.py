"""What stands for text that is hidden because it is rare."""

RARE = "RARE"
"""The label of rare text."""
STAR = "★"
"""Replaces a run of rare text; one that the input holds is hidden as well, since it could not be told from ours."""
