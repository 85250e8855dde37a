"""The commands, as `python -m spark_deid`: where the environment's programs are not on the path."""

from spark_deid.cli import main

if __name__ == "__main__":
    main()
