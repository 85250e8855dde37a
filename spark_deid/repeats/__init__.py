"""k-repeating substrings: what fewer than k persons, documents or places share is rare."""
