"""From plain data to a page for readers."""
