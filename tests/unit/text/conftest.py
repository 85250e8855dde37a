"""The first call of a compiled function may take seconds, so examples of properties have no deadline."""

from hypothesis import settings

settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")
