"""The slow work of set-up, done once: compile the kernels of models, and record the archive of Spark's classes."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.engine.java import RECORD, find_archive, java_fault, keep_archive
from spark_deid.pipeline.one_document import document_context
from spark_deid.plan.detectors import document_finders_of
from spark_deid.plan.load import check_methods

ENGLISH = "english"
TEXT = (
    "Mrs. Maria Perez (57), born 2 March 1950, of 12 Elm Street, Springfield, was seen by Dr. J. Adams on 03/04/2019.\n"
)
"""An invented note. Compiled code does not depend on its content."""
MODELS, CLASSES = "--models", "--classes"
"""Options that do one part of the work, so that set-up can begin it when its packages are installed."""


def compile_models() -> None:
    """Find spans in a text with the model of the package, by both decodings.

    numba keeps compiled code next to the sources, or in ``NUMBA_CACHE_DIR``, and reads code that exists.
    """
    for decoding in ("viterbi", "cost"):
        settings = check_methods({"model": ENGLISH, "decoding": decoding}, "compiling")
        for find in document_finders_of(settings, document_context(settings)).finders:
            find(TEXT)


@contextmanager
def record_classes() -> Iterator[None]:
    """Record the archive of Spark's classes in another process during the block, if Spark and Java are there.

    Spark works without the archive, so a failure is printed and not raised.
    """
    if find_spec("py4j") is None or java_fault() is not None or find_archive() is not None:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "classes.jsa")
        recording = _begin(draft)
        yield
        recording.wait()
        try:
            keep_archive(draft)
        except (OSError, UsageError) as error:
            message = f"the archive of Spark's classes was not written, so sessions start as slowly as before: {error}"
            print(message, file=sys.stderr)


def _begin(draft: Path) -> "subprocess.Popen[bytes]":
    """Begin to record the classes of a session into a file."""
    command = [sys.executable, "-m", "spark_deid.app.spark_classes"]
    environment = os.environ | {RECORD: str(draft)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def main(arguments: tuple[str, ...] = ()) -> int:
    """Compile, record, and print the seconds; ``--models`` or ``--classes`` does only one of them."""
    began = time.monotonic()
    with nullcontext() if MODELS in arguments else record_classes():
        if CLASSES not in arguments:
            compile_models()
    print(f"compiled in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
