"""Exported models on workers."""
