"""Attribute values: the surface of a span as one typed value. No Spark."""
