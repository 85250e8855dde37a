"""What set-up does once, so that nobody waits for it later: compile what finds spans, and lay out Spark's classes."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from spark_deid.app import AnonymizeOptions, anonymize, run
from spark_deid.core.errors import UsageError
from spark_deid.engine.java import RECORD, find_archive, keep_archive
from spark_deid.engine.session import SessionPace, session_scope
from spark_deid.pipeline.one_document import document_context
from spark_deid.plan.detectors import document_finders_of
from spark_deid.plan.load import check_methods

ENGLISH = "english"
TEXT = (
    "Mrs. Maria Perez (57), born 2 March 1950, of 12 Elm Street, Springfield, was seen by Dr. J. Adams on 03/04/2019.\n"
)
"""An invented note; what is compiled does not depend on what it says."""
_RECORDING = "--record"


def compile_models() -> None:
    """Let the model that comes with the package find spans in a text, by both decodings.

    numba keeps what it compiles beside the sources, or where ``NUMBA_CACHE_DIR`` says; what is kept already is read.
    """
    for decoding in ("viterbi", "cost"):
        settings = check_methods({"model": ENGLISH, "decoding": decoding}, "compiling")
        for find in document_finders_of(settings, document_context(settings)).finders:
            find(TEXT)


def begin_archive(draft: Path) -> "subprocess.Popen[bytes]":
    """Begin to lay out the classes of a session into a file, in a process of its own."""
    command = [sys.executable, "-m", "spark_deid.app.compiling", _RECORDING]
    environment = os.environ | {RECORD: str(draft)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def use_a_session() -> None:
    """Do, in one session, some of what commands do: what is laid out is what was loaded meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "notes").mkdir()
        for name in ("a", "b"):
            (place / "notes" / f"{name}.txt").write_text(TEXT)
        rows = "".join(f"{20 + number},{number % 4},{number % 3}\n" for number in range(24))
        (place / "people.csv").write_text(f"age,zip,disease\n{rows}")
        given = {"input.path": str(place / "notes"), "input.format": "text"}
        given |= {name: str(place / name) for name in ("workspace", "release")}
        people = AnonymizeOptions(
            input=str(place / "people.csv"),
            quasi=("age", "zip"),
            sensitive=("disease",),
            model="k=3",
            output=str(place / "table"),
        )
        # Its end waits for the JVM, which writes the classes last of all.
        with session_scope(app_name="classes", local_dir=place, pace=SessionPace.SHORT):
            run(Path("patterns"), (), given)
            anonymize(people)


def main(arguments: tuple[str, ...] = ()) -> int:
    """Compile, lay out, and say how many seconds that took; the exit code is 0, since everything works without."""
    if arguments == (_RECORDING,):
        use_a_session()
        return 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "classes.jsa")
        recording = begin_archive(draft) if find_archive() is None else None
        compile_models()
        if recording is not None:
            recording.wait()
            try:
                keep_archive(draft)
            except (OSError, UsageError) as error:
                print(
                    f"the archive of Spark's classes was not written, so sessions start as slowly as before: {error}",
                    file=sys.stderr,
                )
    print(f"compiled in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
