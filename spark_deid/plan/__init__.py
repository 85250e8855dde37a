"""Plans: what a run shall do, read from files and checked, and the detectors, rules and guarantees that it asks for."""
