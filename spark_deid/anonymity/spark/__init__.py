"""Operators over tables: reading, recoding and recounting."""
