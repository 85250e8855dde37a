"""From an input to what is released: one series of steps for commands and DataFrames, whose sinks differ."""
