"""Scores of predicted spans against gold."""
