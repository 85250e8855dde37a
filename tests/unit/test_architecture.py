"""The page of the architecture shows the packages of the code, and the files that it names exist."""

import re
from xml.etree import ElementTree

from resources import write_architecture as written
from resources.package_picture import draw_packages

PAGE = written.PAGE.read_text(encoding="utf-8")
FILE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|toml))`")


def test_its_packages_are_those_of_the_code() -> None:
    assert written.page() == PAGE, "run resources/write_architecture.py"


def test_its_picture_is_drawn_from_the_code() -> None:
    assert written.picture() == written.PICTURE.read_text(encoding="utf-8"), "run resources/write_architecture.py"
    assert re.search(rf"^!\[[^]]+\]\(\.\./assets/{written.PICTURE.name}\)$", PAGE, re.MULTILINE)


def test_a_picture_has_a_box_per_package_a_line_per_import_and_refers_to_no_file() -> None:
    drawn = draw_packages([["cli"], ["app", "api"], ["core"]], [("cli", "app"), ("app", "core")])
    tree = ElementTree.fromstring(drawn)
    names = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}text") if node.get("class") is None]
    assert names == ["cli", "app", "api", "core"]
    assert len([*tree.iter("{http://www.w3.org/2000/svg}path")]) == 2
    heights = [float(node.get("y", 0)) for node in tree.iter() if node.get("class") == "p"]
    assert heights[0] < heights[1] == heights[2] < heights[3]
    assert re.findall(r"href|url\(|@import|<script", drawn) == []


def test_every_package_has_a_purpose() -> None:
    assert [name for layer in written.layers() for name in layer if not written.purpose(name)] == []


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
