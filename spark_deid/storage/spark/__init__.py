"""Operators that run functions on workers."""
