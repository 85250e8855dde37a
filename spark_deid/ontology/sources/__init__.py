"""Where ontologies come from: tables of hypernyms, ARX's hierarchies, WordNet through NLTK, and code."""
