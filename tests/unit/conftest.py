"""A busy machine is no failure of a property, and tables are built by the first example: no example has a deadline."""

import os

from hypothesis import Phase, settings

settings.register_profile("patient", deadline=None)
settings.register_profile("brief", deadline=None, database=None, phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "patient"))
