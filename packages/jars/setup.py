"""Refuse to build a package of JARs without JARs; what else is to state about it is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

if not [*Path(__file__).parent.glob("spark_deid_jars/jars/*.jar")]:
    raise SystemExit("spark_deid_jars/jars has no JARs; build this package by ./dev build")
setup()
