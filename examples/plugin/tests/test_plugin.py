"""The package as a plan uses it: installed, explained, and carried out on real tables."""

import json
from pathlib import Path

import pytest
from spark_deid_wards.initials import initials
from spark_deid_wards.wards import find_wards

import spark_deid as sd
from spark_deid.extending import Document, GateRefused, Span, UsageError

PLAN = Path(__file__).parents[1] / "plan.yaml"
TEXTS = ("Ann Lee lies in ward 7B.", "A. has left unit 12.", "Nobody. (Ward of the court.)")
NAMES = ((0, 7), (0, 2), None)


def plan(folder: Path, *texts: str) -> sd.Plan:
    rows = [
        {
            "doc_id": f"d{number}",
            "text": text,
            "spans": [{"start": name[0], "end": name[1], "label": "NAME"}] if name else [],
        }
        for number, (text, name) in enumerate(zip(texts, NAMES, strict=False))
    ]
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    places = {"input.path": "notes.jsonl", "workspace": "w", "release": "r"}
    return sd.Plan.load(PLAN, [f"{key}={folder / place}" for key, place in places.items()])


def test_wards_are_found_by_their_words() -> None:
    assert find_wards("ward 7B, WARD 12, room 3, ward x", words=("ward",)) == [
        Span(5, 7, "WARD", source="wards/number"),
        Span(14, 16, "WARD", source="wards/number"),
    ]


def test_initials_leave_out_what_would_stay_the_same() -> None:
    spans = [Span(0, 7, "NAME"), Span(8, 10, "NAME")]
    [edit] = initials(Document("d", "Ann Lee B."), spans, dots=True)
    assert (edit.start, edit.end, edit.replacement) == (0, 7, "A. L.")


def test_a_plan_explains_all_three(tmp_path: Path) -> None:
    told = plan(tmp_path, *TEXTS).explain()
    assert "wards, after ward, unit" in told
    assert "NAME: the initials of its words" in told
    assert "one of 1 words" in told


def test_wrong_options_are_told_with_their_paths(tmp_path: Path) -> None:
    plan(tmp_path, *TEXTS)
    with pytest.raises(UsageError, match=r"(?s)wards\.word: unknown key.*absent_words\.words"):
        sd.Plan.load(PLAN, ["wards={word: x}", "guarantees={absent_words: {words: []}}"])


def test_a_release_has_wards_and_initials_replaced(tmp_path: Path) -> None:
    released = plan(tmp_path, *TEXTS).run()
    assert released.spans == 4
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["edits"] == {"initials": {"NAME": 1}, "suppress": {"NAME": 1, "WARD": 2}}
    assert manifest["handed_back"] == {"initials": {"left-out": 1}}
    assert manifest["placeholders"] == ["[NAME]", "[WARD]"]
    assert "A. L." not in (tmp_path / "r" / "manifest.json").read_text()
    assert {each["guarantee"] for each in manifest["assessments"]} == {"every-marked-character-edited", "absent-words"}
    report = (tmp_path / "r" / "report.html").read_text()
    assert "Wards</h2>" in report
    assert '<td>wards/number</td><td class="number">2</td>' in report


def test_a_text_that_holds_an_absent_word_is_not_released(tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="absent-words"):
        plan(tmp_path, "Strictly Confidential.").run()
    assert not (tmp_path / "r" / "documents").exists()
