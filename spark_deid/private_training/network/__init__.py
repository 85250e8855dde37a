"""Networks over sentences, with NumPy only: what a trained one needs where it is used."""
