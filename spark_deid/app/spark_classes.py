"""A session that does some of what commands do, so that the archive of Spark's classes has all that they load."""

import tempfile
from pathlib import Path

from spark_deid.app import AnonymizeOptions, anonymize, run
from spark_deid.engine.session import SessionPace, session_scope

TEXT = "Dr. J. Adams saw Mrs. Perez (57) on 03/04/2019; call 212-555-0147.\n"
"""An invented note. The archive does not depend on its content."""


def use_a_session() -> None:
    """Run a plan and anonymize a table in one session. The archive contains the classes that they load."""
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


if __name__ == "__main__":
    use_a_session()
