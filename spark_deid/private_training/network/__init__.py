"""Networks over sentences, with NumPy alone: what a trained one needs where it is used."""
