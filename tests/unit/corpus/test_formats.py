"""Formats of installed packages, with a toy package that brings some."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.app.options.fields import annotated_formats, written_formats
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.columns import OPTIONS
from spark_deid.corpus.formats import FORMATS, READ_ONLY, UNLABELLED, find_format, usable_formats
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.writing import write_part
from spark_deid.plan.load import check_plan
from tests.unit.toy_packages import install

TOY = """
from dataclasses import replace

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.format import CorpusFormat, ParserUnit


def parse_line(line, source, default_id):
    name, _, said = line.decode("utf-8").partition(": ")
    if not said:
        raise FormatError("malformed", "expected a name and what it said")
    return Document(default_id, f"{name}: {said}", spans=(Span(0, len(name), "NAME"),))


def render_line(document):
    return document.text


TALK = CorpusFormat("talk", (".talk",), ParserUnit.LINE, parse_line=parse_line, render_line=render_line)
HEARD = replace(TALK, name="heard", render_line=None, holds_spans=False)
MUTE = replace(TALK, name="mute", parse_line=None)
ANYWHERE = replace(TALK, name="anywhere", suffixes=())
"""
NAMES = {
    "talk": "toy_talks:TALK",
    "heard": "toy_talks:HEARD",
    "other": "toy_talks:TALK",
    "mute": "toy_talks:MUTE",
    "anywhere": "toy_talks:ANYWHERE",
    "silent": "toy_talks:SILENT",
    "csv": "toy_talks:TALK",
}
BROKEN = ("anywhere", "mute", "other", "silent")


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path, monkeypatch, "toy_talks", TOY, {"spark_deid.formats": NAMES})
    yield
    sys.modules.pop("toy_talks", None)


def test_what_a_package_provides_is_written_and_read(tmp_path: Path) -> None:
    assert write_part([Document("a", "Ann: hello"), Document("b", "Bo: hi")], f"{tmp_path}/in", find_format("talk"), 0)
    (tmp_path / "in" / "more.talk").write_text("nothing")
    reading = read_documents(f"{tmp_path}/in", "talk")
    assert [(each.text, each.spans) for each in reading.documents] == [
        ("Ann: hello", (Span(0, 3, "NAME", source="gold"),)),
        ("Bo: hi", (Span(0, 2, "NAME", source="gold"),)),
    ]
    assert [each.reason for each in reading.rejects] == ["malformed"]


def test_commands_offer_it_where_it_can_be_read_labelled_or_written() -> None:
    assert {"talk", "heard"} < set(app.format_names())
    assert "talk" in annotated_formats()
    assert "talk" in written_formats()
    assert "heard" not in {*annotated_formats(), *written_formats()}
    assert "mbox" not in {*annotated_formats(), *written_formats()}


@pytest.mark.parametrize("name", ["anywhere", "mute", "other"])
def test_what_is_no_format_of_its_name_is_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=f"^format {name}: expected toy_talks:[A-Z]+ to be a CorpusFormat of this name"
    ):
        find_format(name)


def test_one_that_can_not_be_loaded_takes_no_other_with_it(tmp_path: Path) -> None:
    assert {"talk", "csv"} < {format.name for format in usable_formats()}.difference(BROKEN)
    assert set(BROKEN) < {*annotated_formats()}
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.talk").write_text("Ann: hello")
    there = app.ConvertOptions(
        source=f"{tmp_path}/in", target=f"{tmp_path}/out", source_format="csv", target_format="jsonl"
    )
    with pytest.raises(UsageError, match=r"1 of \.talk; \.talk is read by format heard or talk$"):
        app.convert(there)
    with pytest.raises(UsageError, match=r"^format silent: toy_talks:SILENT can't be loaded \(AttributeError\)$"):
        find_format("silent")


def test_a_plan_names_it_and_learns_why_it_can_not() -> None:
    plan = {"input": {"path": "notes", "format": "talk"}, "sources": ["gold"], "workspace": "w", "release": "r"}
    assert check_plan(plan, "p").input.format == "talk"
    with pytest.raises(UsageError, match=r"input\.format: format silent: toy_talks:SILENT can't be loaded"):
        check_plan({**plan, "input": {"path": "notes", "format": "silent"}}, "p")
    with pytest.raises(
        UsageError, match=r"input\.format: expected one of text, .*, talk, got 'tlak'; did you mean talk"
    ):
        check_plan({**plan, "input": {"path": "notes", "format": "tlak"}}, "p")


def test_the_name_of_ours_is_not_taken() -> None:
    assert find_format("csv").suffixes == (".csv",)
    assert "csv" not in FORMATS.installed()


def options_named(cell: str) -> set[str]:
    """Return the options that a cell of the page reveals."""
    if cell == "as `eml`":
        return set(find_format("eml").options)
    plain = {word.strip(" ") for word in cell.split(",") if "`" not in word}
    return {*re.findall("`([a-z_]+)`", cell), *(OPTIONS if plain == {"columns"} else ())}


def test_the_page_on_formats_reports_what_the_registry_knows() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row[1:] for row in rows if len(row) == 5}
    assert tuple(told) == tuple(FORMATS.built_in)
    for name, (reads, _, annotations, options) in told.items():
        format = find_format(name)
        assert set(re.findall(r"`(\.[a-z0-9.]+)`", reads)) == {*format.suffixes, *format.companions}, name
        assert (annotations != "no") == format.holds_spans, name
        assert options_named(options) == set(format.options), name


def test_names_of_formats_without_annotations_and_of_read_only_ones_are_those_of_their_modules() -> None:
    built_in = dict(FORMATS.built_in_items())
    assert {name for name, format in built_in.items() if not format.holds_spans} == UNLABELLED
    assert {name for name, format in built_in.items() if not format.is_written} == READ_ONLY
