"""Plans: configuration, stages, and their composition."""
