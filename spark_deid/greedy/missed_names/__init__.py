"""How many words of names a model's edits miss, estimated without labels."""
