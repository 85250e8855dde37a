"""The nouns: spans, edits, tables, errors, keyed hashing. No Spark."""
