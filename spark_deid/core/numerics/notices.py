"""The notice for users who wait for compiled code."""

COMPILING = (
    "compiling for this processor, once after an install: about a minute; "
    "python -m spark_deid.app.compiling does it beforehand for models"
)
