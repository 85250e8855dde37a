"""Options of the use cases, one class a command: checked when made. No Spark, no compiled code."""
