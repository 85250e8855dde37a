"""A generator of realistic notes and mail with exact gold spans."""
