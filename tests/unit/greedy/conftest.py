import sys
from pathlib import Path

from hypothesis import settings

# Worker processes import the toy learner by name; they inherit this path.
sys.path.insert(0, str(Path(__file__).parent))

# The first call of a function may import or compile what it needs.
settings.register_profile("greedy", deadline=None)
settings.load_profile("greedy")
