"""Tests on other interpreters and other versions of Spark than those of .venv-dev: `nox`, or `nox -s tests-3.12`.

Outside of what every change must pass; an interpreter that is not at hand is passed over. Java 17 must be there.
"""

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["tests"]
FEW = ("tests/unit", "tests/spark/test_release.py", "tests/spark/test_redact.py", "tests/spark/test_sanitize.py")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Run unit tests and some of Spark, or the tests that are named, on an interpreter."""
    session.install("-e", ".[dev]")
    session.run("pytest", "-q", *(session.posargs or FEW))


@nox.session(python="3.11")
@nox.parametrize("spark", ["4.0.1", "4.1.1", "4.2.0"])
def sparks(session: nox.Session, spark: str) -> None:
    """Run the demo and tests of Spark, or the tests that are named, with a version of Spark."""
    session.install("-e", ".[dev]", f"pyspark=={spark}")
    session.run("spark-deid", "doctor")
    with session.chdir(session.create_tmp()):
        session.run("spark-deid", "demo")
    session.run("pytest", "-q", *(session.posargs or ("tests/spark",)))
