"""Anonymous tables: privacy models, the algorithms that reach them, and their recount."""
