"""t-plausibility: ontologies, their volumes, and searches for the least generalization (Jiang et al.)."""
