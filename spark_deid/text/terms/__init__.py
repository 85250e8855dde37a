"""Terms of the user's own: lists and expressions that are hidden wherever they stand."""
