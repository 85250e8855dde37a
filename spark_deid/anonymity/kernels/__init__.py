"""Compiled code of the algorithms that recode tables."""
