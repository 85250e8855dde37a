"""Storage: paths, folders, locks, and the log of a Delta table."""
