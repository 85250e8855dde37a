"""Compiled loops over words, hypernym paths and volumes."""
