"""Private representations: what pseudonyms and vectors cost a de-identifier, and what adversaries read of them."""
