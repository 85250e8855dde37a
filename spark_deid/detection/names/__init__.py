"""Words of removed names elsewhere in a person's texts: a detector that hides them."""
