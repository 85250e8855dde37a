"""Tables in which nobody stands out: privacy models, the algorithms that reach them, and their recount."""
