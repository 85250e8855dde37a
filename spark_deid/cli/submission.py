"""What the files of ``jobs/`` share: a command as spark-submit runs it."""

import sys

from spark_deid.cli.error_boundary import main


def submit(command: str) -> None:
    """Run a command with the arguments that spark-submit passes on, and exit with its code."""
    main([command, *sys.argv[1:]])
