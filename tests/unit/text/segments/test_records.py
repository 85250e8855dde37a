"""Text that is not prose: what is read, and that what is written back parses."""

import csv
import io
import json
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.rewriting.suppress import placeholder, suppress
from spark_deid.text.segments import find_fields, find_in_records, records_of

NAMES = ("Ilona Varga", "Renée Müller", 'Otto "Ott" Lee', "Zoë Ångström", "O'Hara", "李小龙")
WORDS = ("aspirin 5 mg", "stable, no pain", "line\nbreak", 'said "no"', "a\\b", "50% & more", "x < y")
SUPPRESSED = PreparedRules({}, PreparedRule("suppress", suppress, placeholder))


def names_in(text: str) -> Iterator[Span]:
    """Find the words of the names."""
    words = {word for name in NAMES for word in re.findall(r"\w+", name)}
    yield from (Span(*found.span(), "NAME", source="test") for found in re.finditer(r"\w+", text) if found[0] in words)


def numbers_in(text: str) -> Iterator[Span]:
    """Find numbers of ten digits."""
    yield from (Span(*found.span(), "PHONE", source="test") for found in re.finditer(r"(?<!\d)\d{10}(?!\d)", text))


def hidden(text: str) -> str:
    """Hide what both find in a text's records."""
    spans = [*find_in_records(text, find=names_in), *find_in_records(text, find=numbers_in)]
    return apply_edits(text, decide(Document("d", text), spans, SUPPRESSED).edits)


def is_clean(text: str) -> bool:
    return not [*names_in(text), *numbers_in(text)]


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def shape(value: object) -> object:
    """Return the structure of a JSON value, without its texts and numbers."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else None


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    else:
        yield value


def random_value(chance: random.Random, depth: int = 0) -> object:
    kind = chance.randrange(8 if depth < 4 else 5)
    if kind < 2:
        return chance.choice(NAMES)
    if kind == 2:
        return chance.choice((3025550142, 4111, 1.5, -2, True, None))
    if kind < 5:
        return chance.choice(WORDS)
    if kind < 7:
        return {f"{chance.choice('abc')}_{n}": random_value(chance, depth + 1) for n in range(chance.randrange(4))}
    return [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]


@pytest.mark.parametrize("seed", range(40))
def test_json_parses_after_names_and_numbers_are_hidden(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        value = {"v": random_value(chance), "w": random_value(chance)}
        indent = chance.choice((None, 1))
        written = json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=indent)
        text = chance.choice(("", "2026-03-12 INFO got ", "note: ")) + written + chance.choice(("", " done\n"))
        published = hidden(text)
        start = published.index("{")
        read, _ = json.JSONDecoder().raw_decode(published[start:])
        assert shape(read) == shape(value)
        for before, after in zip(leaves(value), leaves(read), strict=True):
            if isinstance(before, str):
                assert is_clean(str(after))
                assert after == before or before in NAMES
            else:
                assert after == ("[PHONE]" if before == 3025550142 else before)


def test_json_in_json_is_read() -> None:
    inner = json.dumps({"note": "Renée Müller called"})
    text = json.dumps({"payload": inner})
    assert json.loads(json.loads(hidden(text))["payload"]) == {"note": "[NAME] called"}


def test_json_that_is_cut_short_is_read_as_far_as_it_parses() -> None:
    assert (
        hidden('{"a": "Varga", "b": [{"c": "Lee"}, {"d": "Otto ab')
        == '{"a": "[NAME]", "b": [{"c": "[NAME]"}, {"d": "[NAME] ab'
    )


def test_keys_that_someone_typed_are_searched() -> None:
    assert json.loads(hidden('{"Ilona Varga": {"age": 44}}')) == {"[NAME]": {"age": 44}}


@pytest.mark.parametrize("seed", range(20))
def test_csv_has_the_same_cells_after_names_are_hidden(seed: int) -> None:
    chance = random.Random(seed)
    for delimiter in (",", ";", "\t"):
        rows = [["id", "note", "who", "ward"]]
        rows += [
            [str(n), chance.choice(WORDS).replace("\n", " "), chance.choice(NAMES), chance.choice(("B2", "", "007"))]
            for n in range(chance.randrange(2, 9))
        ]
        written = io.StringIO()
        csv.writer(written, delimiter=delimiter, lineterminator=chance.choice(("\n", "\r\n"))).writerows(rows)
        published = hidden(written.getvalue())
        read = list(csv.reader(io.StringIO(published), delimiter=delimiter))
        assert [len(row) for row in read] == [len(row) for row in rows]
        assert is_clean(published)
        assert all(
            new == old
            for one, other in zip(rows, read, strict=True)
            for old, new in zip(one, other, strict=True)
            if old not in NAMES
        )


def test_columns_that_name_an_identifier_mark_their_cells() -> None:
    text = "mrn,last_name,colour,dob\n17,Okonkwo,red,1964-05-02\n18,Li,n/a,unknown\n"
    marked = [(text[span.start : span.end], span.label) for span in find_fields(text, "field")]
    assert marked == [("17", "CODE"), ("Okonkwo", "NAME"), ("1964-05-02", "DATE"), ("18", "CODE"), ("Li", "NAME")]


MESSAGE = (
    "MSH|^~\\&|LAB|NORTH|EHR|CLINIC|20260312081500||ORU^R01|MSG42|P|2.5.1\r"
    "PID|1||P1234^^^NSH^MR~99^^^X||Varga^Ilona^^^Mrs^^L||19640502|F|||14 Elm Ct^Apt B^Dover^DE^19901^USA^H||"
    "^PRN^PH^^1^302^5550142\r"
    "OBX|1|TX|NOTE^Report||Pt Ilona Varga \\T\\ Otto came||||||F\r"
    "ZPI|Varga|x\r"
)


def test_hl7_keeps_its_separators() -> None:
    published = hidden(MESSAGE)
    assert is_clean(published)
    for mark in "|^~&\\\r":
        assert published.count(mark) == MESSAGE.count(mark)
    assert "OBX|1|TX|NOTE^Report||Pt [NAME] \\T\\ [NAME] came||||||F" in published


def test_hl7_fields_mark_identifiers_by_their_type() -> None:
    marked = {MESSAGE[span.start : span.end]: span.label for span in find_fields(MESSAGE, "field")}
    assert marked == {
        "20260312081500": "DATE",
        "P1234": "CODE",
        "99": "CODE",
        "Varga": "NAME",
        "Ilona": "NAME",
        "19640502": "DATE",
        **dict.fromkeys(("14 Elm Ct", "Apt B", "Dover", "DE", "19901"), "ADDRESS"),
        **dict.fromkeys(("1", "302", "5550142"), "PHONE"),
    }


def test_codes_of_hl7_are_left_to_patterns() -> None:
    def everything(text: str) -> list[Span]:
        return [Span(*found.span(), "NAME") for found in re.finditer(r"\w+", text)]

    spans = find_in_records(MESSAGE, find=everything, reads_codes=False)
    left = {MESSAGE[span.start : span.end] for span in spans}
    assert {"LAB", "ORU", "TX", "MR", "F"}.isdisjoint(left)
    assert {"Varga", "came", "x"} <= left


def test_forms_keep_their_parameters() -> None:
    text = urlencode({"name": "Renée Müller", "phone": "3025550142", "q": "a b"})
    assert parse_qsl(hidden(text)) == [("name", "[NAME] [NAME]"), ("phone", "[PHONE]"), ("q", "a b")]


class TagReader(HTMLParser):
    """The tags of a text, and the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))


def test_markup_keeps_its_tags() -> None:
    text = '<p class="c">Seen: Ren&eacute;e <b>M&uuml;ller</b></p><img alt="Otto" src="lee.png"/><!-- Varga -->'
    published = hidden(text)
    assert TagReader(text).found == TagReader(published).found
    assert "Seen: [NAME] <b>[NAME]</b>" in published
    assert 'alt="[NAME]"' in published


def test_elements_and_header_cells_are_keys() -> None:
    table = "<table><tr><th>dob</th><td>1959-11-01</td></tr>\n<tr><th>ward</th><td>B2</td></tr></table>"
    patient = '<name><family value="Varga"/><given>Ilona</given></name><birthDate value="1964-05-02"/>'
    marked = [(text[span.start : span.end], span.label) for text in (table, patient) for span in find_fields(text, "x")]
    assert marked == [("1959-11-01", "DATE"), ("Varga", "NAME"), ("Ilona", "NAME"), ("1964-05-02", "DATE")]


@pytest.mark.parametrize(
    "written",
    [
        r"Ren\u00e9e M\u00fcller",
        r"Ren\xe9e M\xfcller",
        r"Ren\'e9e M\'fcller",
        "Ren&eacute;e M&#252;ller",
        "Ren%C3%A9e M%C3%BCller",
        "Ren=C3=A9e M=C3=BCller",
        "Ren=E9e M=FCller",
        "Ren\u00c3\u00a9e M\u00c3\u00bcller",
    ],
)
def test_escapes_are_read_and_never_cut(written: str) -> None:
    assert hidden(f"Dr. {written} called") == "Dr. [NAME] called"


@pytest.mark.parametrize(
    "text",
    [
        "Ann, Bob, and Carl came.\nThen, at noon, Otto left, too.",
        "He paid 1,000,000 dollars.\nShe paid 2,500,000 dollars.",
        "See https://example.org/a?id=1725&wit_id=4905&x=1 for [more].",
        "K 4.1; Na 140; Cl 101\nseen; stable; home",
        "a = b and c = d; 100% sure & done [1] {sic}",
        "",
    ],
)
def test_prose_has_no_records(text: str) -> None:
    assert records_of(text) is None


def test_a_cell_does_not_depend_on_other_records() -> None:
    seen: list[str] = []

    def find(text: str) -> tuple[Span, ...]:
        seen.append(text)
        return ()

    find_in_records('[{"a": "one"}, {"a": "two"}]', find=find)
    assert seen == ["a: one\n", "a: two\n"]


def test_random_mutations_give_spans_within_the_text() -> None:
    chance = random.Random(5)
    texts = [
        MESSAGE,
        json.dumps({"a": [NAMES[1], {"b": 3025550142}]}),
        'a,b,c\n1,Varga,3\n4,"x, Lee",6\n',
        "<p>Otto</p>&eacute;",
    ]
    for _ in range(3000):
        text = list(chance.choice(texts))
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(text))
            text[place : place + chance.randrange(3)] = chance.choice(
                ('"', "\\", "{", "|", "\n", "", "\ufffd", "%C3", "<", "&", ",", "\U0001f600", "[[[")
            )
            text = text or ["x"]
        mutated = "".join(text)
        if (records := records_of(mutated)) is not None:
            assert len("".join(records.texts)) == len(records.starts) == len(records.ends) == len(records.cells)
            known = records.cells >= 0
            assert (records.starts[known] < records.ends[known]).all()
            assert not known.any() or records.ends[known].max() <= len(mutated)
        if is_json(mutated):
            assert is_json(hidden(mutated))


def test_a_bomb_of_nesting_is_prose_and_one_long_line_is_read_in_linear_time() -> None:
    for text in (
        "[" * 200_000,
        '{"a":' * 50_000,
        '{"a": "' + "x" * 300_000,
        'a,b,c,"' * 30_000,
        "<" * 200_000,
        "&a=" * 60_000,
    ):
        records_of(text)
