"""A busy machine is no failure of a property, and tables are built by the first example: no example has a deadline."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
