"""Learners, their models and model folders. No Spark."""
