"""Count again, on the final edits and from the raw hypernym table, what a release of generalized text promises."""
