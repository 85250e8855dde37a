"""A generator of realistic notes, letters, mail, forms and court text with exact gold spans."""
