import sys
from pathlib import Path

# Worker processes import the toy learner by name; they inherit this path.
sys.path.insert(0, str(Path(__file__).parent))
