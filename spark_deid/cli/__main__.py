"""Run the command line as ``python -m spark_deid.cli``."""

from spark_deid.cli.border import main

if __name__ == "__main__":
    main()
