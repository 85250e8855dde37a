"""ERASE: terms that a document shares with records of an external table, generalized until k records share them."""
