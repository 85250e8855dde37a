"""Operators: an input to tables, and tables to an output."""
