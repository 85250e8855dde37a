"""JSON, HL7 and CSV are valid after edits that no detector cuts at borders: those of deny lists and plugins."""

import csv
import io
import json
import random
from typing import Any

import pytest

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import CheckedEdit, faults_of
from spark_deid.guarantees.syntax import count_broken
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.suppress import placeholder
from spark_deid.rewriting.valid_syntax import quoting_edits, valid_edits

VALUES = ("Ann Lee", 'O"Brien', "a\\b", "é\n", "", "x,y", "12;3", "302-555-0142", "tab\there", " lead", "a|b^c")
NEW = (("suppress", "[NAME]"), ("surrogate", 'O"x'), ("surrogate", "a,b"), ("surrogate", "1|2"))
DOCUMENT = '{"name": "Ann Lee", "tel": 3025550142, "seen": [{"by": "Eve"}]}'


def edit(text: str, piece: str, new: str = "[NAME]", technique: str = "suppress") -> LabelledEdit:
    start = text.index(piece)
    return LabelledEdit(start, start + len(piece), technique, new, "NAME")


def applied(text: str, edits: Any) -> str:
    parts, done = [], 0
    for each in sorted(edits):
        parts += [text[done : each.start], each.replacement]
        done = each.end
    return "".join((*parts, text[done:]))


@pytest.mark.parametrize("piece", ['Lee", "tel', "{", "true", "[", '"'])
def test_a_value_of_json_is_hidden_whole_if_an_edit_crosses_its_borders(piece: str) -> None:
    text = 'call {"name": "Ann Lee", "tel": true, "x": []} back'
    edits = valid_edits(text, [edit(text, piece)])
    assert applied(text, edits) == "call [NAME] back"


def test_an_edit_within_a_value_is_unchanged() -> None:
    edits = [edit(DOCUMENT, "Ann Lee")]
    assert [*valid_edits(DOCUMENT, edits)] == edits


def test_an_edit_that_cuts_an_escape_hides_the_value() -> None:
    text = '{"name": "Ren\\u00e9e"}'
    assert applied(text, valid_edits(text, [edit(text, "00e9e")])) == "[NAME]"


@pytest.mark.parametrize(
    ("text", "piece", "new"),
    [
        ('{"name": "Ann Lee"}', "Ann Lee", 'Eve "Ev" Poe'),
        ("name,age,ward\nAnn Lee,44,B2\nTom Poe,45,B3\n", "Ann Lee", "Eve, Poe"),
        ("MSH|^~\\&|LAB\rPID|1||77||LEE^ANN||19640502\r", "LEE", "P|E"),
    ],
)
def test_a_replacement_with_a_separator_becomes_a_placeholder(text: str, piece: str, new: str) -> None:
    (made,) = valid_edits(text, [edit(text, piece, new, "surrogate")])
    assert made[:4] == (*edit(text, piece)[:2], "suppress", "[NAME]")


def test_a_segment_of_hl7_and_a_row_of_csv_are_hidden_whole() -> None:
    message = "MSH|^~\\&|LAB\rPID|1||77||LEE^ANN||19640502\rNK1|1|POE^TOM"
    assert applied(message, valid_edits(message, [edit(message, "ANN||1964")])).split("\r")[1:] == [
        "[NAME]",
        "NK1|1|POE^TOM",
    ]
    table = "name,age,ward\nAnn Lee,44,B2\nTom Poe,45,B3\n"
    assert applied(table, valid_edits(table, [edit(table, "Lee,44")])) == "name,age,ward\n[NAME]\nTom Poe,45,B3\n"


def test_masks_are_unchanged() -> None:
    edits = [edit(DOCUMENT, 'Lee", "tel', "★", "mask")]
    assert [*valid_edits(DOCUMENT, edits)] == edits
    assert count_broken(DOCUMENT, [CheckedEdit(*each) for each in edits]) == 0


def test_a_hidden_segment_passes_every_other_check_of_a_release() -> None:
    span = Span(DOCUMENT.index('Lee"'), DOCUMENT.index("tel") + 3, "NAME")
    decided = decide(Document("a", DOCUMENT), [span], PreparedRules({}))
    published = applied(DOCUMENT, decided.edits)
    faults = faults_of(
        DOCUMENT, published, [span[:3]], [CheckedEdit(*each) for each in decided.edits], {"suppress": placeholder}
    )
    assert published == "[NAME]"
    assert faults._replace(documents=0) == type(faults)()


def test_a_denied_word_across_a_border_leaves_lines_of_json_that_parse() -> None:
    text = "\n".join(json.dumps({"name": name, "ward": "B2"}) for name in ("Ann", "Tom"))
    plan = {"deny": {"words": ['Ann", "ward'], "label": "X"}, "rules": {"*": "suppress"}}
    lines = str(sd.redact(text, plan)).splitlines()
    assert lines[0] == "[X]"
    assert json.loads(lines[1]) == {"name": "Tom", "ward": "B2"}


def text_of(chance: random.Random) -> str:
    def value() -> str:
        return chance.choice(VALUES)

    kind = chance.randrange(3)
    if kind == 0:
        rows = [{value() + str(n): value() for n in range(3)} | {"n": chance.randrange(99)} for _ in range(3)]
        return "\n".join(f"{chance.choice(('', 'INFO '))}{json.dumps(row)}" for row in rows)
    if kind == 1:
        stream = io.StringIO()
        csv.writer(stream, delimiter=chance.choice(",;")).writerows(
            [[value().replace("\n", " ") for _ in range(4)] for _ in range(3)]
        )
        return stream.getvalue()
    lines = ["|".join(["OBX", *(value().replace("\n", " ").replace("|", "") for _ in range(5))]) for _ in range(3)]
    return "\r".join(["MSH|^~\\&|LAB|N||X", *lines])


def test_no_edit_breaks_a_syntax_and_every_edited_character_is_still_edited() -> None:
    broken = 0
    for seed in range(600):
        chance = random.Random(seed)
        text = text_of(chance)
        place, edits = 0, []
        for _ in range(chance.randrange(1, 4)):
            start = chance.randrange(place, len(text))
            end = min(len(text), start + chance.randrange(2, 40))
            technique, new = chance.choice(NEW)
            if text[start:end].strip("\r\n") and end > start and start >= place:
                edits.append(LabelledEdit(start, end, technique, new, "NAME"))
                place = end
            if place >= len(text):
                break
        broken += count_broken(text, [CheckedEdit(*each) for each in edits]) > 0
        valid = [*valid_edits(text, edits)]
        every = sorted([*valid, *quoting_edits(text, valid)])
        assert count_broken(text, [CheckedEdit(*each) for each in every]) == 0, seed
        hidden = {at for each in every for at in range(each.start, each.end)}
        assert all({*range(each.start, each.end)} <= hidden for each in edits)
    assert broken > 200
