"""Attribute values: what the surface of a span says, as one typed value. No Spark."""
