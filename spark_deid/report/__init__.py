"""From plain data to a page a person reads."""
