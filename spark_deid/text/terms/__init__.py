"""Terms of the user's own: lists and expressions that are hidden everywhere they occur."""
