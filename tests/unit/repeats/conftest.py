"""One thread a sort: threads that wait for each other cost more than a small text, most of all on a busy machine."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
