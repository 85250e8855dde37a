"""The notice for users who wait for compiled code."""

COMPILING = (
    "compiling for this processor, once per installation (about a minute). To do it earlier, run python -m "
    "spark_deid.app.compiling"
)
