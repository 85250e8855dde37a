"""Compile at set-up what finds spans by models, so that the first call after an install need not wait for it."""

import sys
import time

from spark_deid.api.detect import detect
from spark_deid.api.plan import Plan

ENGLISH = "english"
TEXT = (
    "Mrs. Maria Perez (57), born 2 March 1950, of 12 Elm Street, Springfield, was seen by Dr. J. Adams on 03/04/2019.\n"
)
"""An invented note; what is compiled does not depend on what it says."""


def compile_models() -> None:
    """Let the model that comes with the package find spans in a text, by both decodings.

    numba keeps what it compiles beside the sources, or where ``NUMBA_CACHE_DIR`` says; what is kept already is read.
    """
    for decoding in ("viterbi", "cost"):
        detect(TEXT, plan=Plan(model=ENGLISH, decoding=decoding))


def main() -> int:
    """Compile, and say how many seconds of processor time that took; the exit code is 0."""
    began = time.process_time()
    compile_models()
    print(f"compiled in {time.process_time() - began:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
