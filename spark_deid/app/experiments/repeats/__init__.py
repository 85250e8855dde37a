"""Precision and recall of hiding rare text, beside the paper's baselines."""
