"""A detector, a technique, a guarantee, a format, a privacy model and a section of the report of another package."""
