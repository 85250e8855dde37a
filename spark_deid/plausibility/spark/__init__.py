"""Generalization over tables of Spark."""
