"""t-plausibility: searches over an ontology for the least generalization (Jiang et al.)."""
