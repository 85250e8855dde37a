"""The command line: the only place that prints. Each module holds the commands of one kind of work."""

from spark_deid.cli.border import main
from spark_deid.cli.commands import cli

__all__ = ["cli", "main"]
