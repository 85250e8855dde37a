"""Labelled text to share for training: word vectors, pseudonyms among near words, private representations."""
