"""Compiled functions over arrays of code points and tokens."""
