"""The first call of a compiled function may take seconds, so examples of properties have no deadline."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")
