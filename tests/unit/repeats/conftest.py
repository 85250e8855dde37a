"""Tests compare with obvious code in a file beside them; compiled functions have no deadline on their first call."""

import os
import sys
from pathlib import Path

# Threads that wait for each other cost more than sorting a small text, most of all on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))
