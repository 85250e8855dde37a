"""A detector, a technique, a guarantee and a format of another package."""
