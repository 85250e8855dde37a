"""The package as Python sees it: what the commands do, on files and on DataFrames. ``spark_deid`` names all of it."""
