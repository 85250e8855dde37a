"""A detector, a technique and a guarantee of another package."""
