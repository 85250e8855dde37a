"""Run the command line as ``python -m spark_deid.cli``."""

from spark_deid.cli.error_boundary import main

if __name__ == "__main__":
    main()
