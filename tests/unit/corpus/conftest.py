import sys
from pathlib import Path

# Tests of this folder share strategies.
sys.path.insert(0, str(Path(__file__).parent))
