"""The map of the package: its rooms are those of the code, and the files that it names are there."""

import re

from resources import write_architecture as written

PAGE = written.PAGE.read_text(encoding="utf-8")
FILE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|toml))`")


def test_its_rooms_are_those_of_the_code() -> None:
    assert written.page() == PAGE, "run resources/write_architecture.py"


def test_every_room_says_what_it_is_for() -> None:
    assert [room for layer in written.layers() for room in layer if not written.purpose(room)] == []


def test_the_files_that_it_names_are_there() -> None:
    named = set(FILE.findall(PAGE))
    assert len(named) > 30
    named.discard("ATTRIBUTION.md")  # of the samples, by their own documentation
    places = (written.ROOT, written.PACKAGE, written.PAGE.parent)
    assert [name for name in named if not any((place / name).is_file() for place in places)] == []


def test_twelve_questions_have_a_file_each() -> None:
    section = PAGE.partition("## Twelve questions")[2].partition("\n## ")[0]
    answers = [FILE.findall(line) for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(answers) == 12
    assert all(files and all((written.ROOT / file).is_file() for file in files) for files in answers)
