"""The command line: the only place that prints. Each module holds the commands of one kind of work."""

from spark_deid.cli.command_list import cli
from spark_deid.cli.error_boundary import main

__all__ = ["cli", "main"]
