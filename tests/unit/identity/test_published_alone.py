"""Classes rebuilt from published texts alone, by code of its own: an attacker's reading of a release."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.identity.mentions import mentions_of
from spark_deid.identity.recode import recode
from spark_deid.identity.settings import LabelAttribute
from spark_deid.identity.spark.replacements import replacement_of
from spark_deid.ontology.places import PlaceHierarchy
from spark_deid.values.locale import ValueLocale
from tests.unit.identity.in_memory import HeldValues, IdentifierView, ViewRecodingSettings, generalize

KINDS = {"age": "age", "zip": "postcode", "city": "city", "birth_date": "date", "job": "term"}
LABELS = {name.upper(): LabelAttribute(name, kind) for name, kind in KINDS.items()}
LIES_IN = {
    "boston": ("Massachusetts", "New England", "Northeast", "United States", "North America"),
    "worcester": ("Massachusetts", "New England", "Northeast", "United States", "North America"),
    "hartford": ("Connecticut", "New England", "Northeast", "United States", "North America"),
    "miami": ("Florida", "South Atlantic", "South", "United States", "North America"),
    "austin": ("Texas", "West South Central", "South", "United States", "North America"),
}
JOBS = ("baker", "clerk", "nurse", "pilot", "tailor", "welder", "weaver")
TIGHT = dict.fromkeys(KINDS, RecodingMode.TIGHT)
Persons = Mapping[str, Mapping[str, str]]
Note = tuple[str, str, tuple[Span, ...]]


def surface(name: str, value: str, random: np.random.Generator) -> str:
    if name == "age":
        return str(random.choice([value, f"{value} year old", f"{value}-year-old", f"{value} y/o"]))
    if name == "birth_date":
        year, month, day = value.split("-")
        return str(random.choice([value, f"{month}/{day}/{year}"]))
    return value.title() if name == "city" else value


def corpus(random: np.random.Generator) -> tuple[dict[str, dict[str, str]], list[Note]]:
    """Make persons, who lack a value here and there, and notes, of which some tell what is not so."""
    persons: dict[str, dict[str, str]] = {}
    notes: list[Note] = []
    gone = random.choice([0.0, 0.15])
    for at in range(int(random.integers(2, 50))):
        born = f"19{random.integers(40, 99)}-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}"
        told = {"age": str(random.integers(1, 99)), "zip": f"021{random.integers(0, 40):02d}", "birth_date": born}
        told |= {"city": str(random.choice([*LIES_IN])), "job": str(random.choice(JOBS))}
        mine = persons[f"p{at}"] = {name: value for name, value in told.items() if random.random() >= gone}
        for _ in range(int(random.integers(1, 4))):
            text, spans = "Seen", []
            for name, value in mine.items():
                text += f" {random.choice(['and', 'of', 'then'])} "
                is_other = name == "age" and random.random() < 0.05
                words = surface(name, str(random.integers(1, 99)) if is_other else value, random)
                spans.append(Span(len(text), len(text) + len(words), name.upper()))
                text += words
            notes.append((f"p{at}", text + ".", tuple(spans)))
    return persons, notes


def published(persons: Persons, notes: Sequence[Note], how: ViewRecodingSettings) -> list[str]:
    """Recode notes, as a release does, by the persons' view."""
    names = [*persons]
    quasi = {name: pa.array([persons[each].get(name) for each in names], pa.string()) for name in KINDS}
    nobody = (HeldValues(np.empty(0, np.int64), pa.array([], pa.string())),)
    generalized = generalize(IdentifierView(len(names), quasi, nobody), how)
    view = {each: {name: generalized[name][at].as_py() for name in KINDS} for at, each in enumerate(names)}
    above = {"city": PlaceHierarchy("city", ValueLocale())} if how.hierarchies else {}
    return [rewritten(note, persons[note[0]], view[note[0]], above) for note in notes]


def rewritten(note: Note, known: Mapping[str, str], shows: Mapping[str, str | None], above: Mapping[str, Any]) -> str:
    _, text, spans = note
    shown = []
    for mention in mentions_of(text, spans, LABELS, ValueLocale()):
        row = mention._asdict() | {
            "person": note[0],
            "known": known.get(mention.attribute),
            "generalized": shows[mention.attribute],
        }
        shown.append(replacement_of(text, row, KINDS, frozenset(KINDS), above))
    edits = [
        each if isinstance(each, Edit) else Edit(each.start, each.end, "suppress", "[X]")
        for each in recode(Document("d", text, mentions=tuple(shown)), spans)
    ]
    return apply_edits(text, edits)


def reading(note: Note, text: str) -> list[tuple[str, str]]:
    """Read what a published note shows: what stands where its spans were, between the words that nobody edited."""
    _, original, spans = note
    pattern, last = "", 0
    for span in spans:
        pattern += re.escape(original[last : span.start]) + "(.*?)"
        last = span.end
    match = re.fullmatch(pattern + re.escape(original[last:]), text)
    assert match is not None
    told = zip(spans, match.groups(), strict=True)
    return [(span.label.lower(), words) for span, words in told if words != "[X]"]


def may_be(name: str, words: str, value: str | None) -> bool:
    """Tell whether somebody with a value may be meant by what is shown."""
    inside = re.match(r"[\[{](.*)[\]}]", words)
    assert inside is not None
    if value is None:
        return False
    told = inside[1]
    if name == "city":
        return value in told.lower().split(", ") or told in LIES_IN[value]
    if ends := re.fullmatch(r"(.+)\.\.(.+)", told):
        return ends[1] <= value <= ends[2]
    if name == "birth_date":
        years = re.fullmatch(r"(\d{4})-(\d{4})", told)
        return years[1] <= value[:4] <= years[2] if years else value.startswith(told)
    if masked := re.fullmatch(r"(\d*)(\*+)", told):
        return value.startswith(masked[1]) and len(value) == len(told)
    if ends := re.fullmatch(r"(\d+)-(\d+)", told):
        return int(ends[1]) <= int(value) <= int(ends[2])
    return value in told.split(", ")


def agreeing(persons: Persons, notes: Sequence[Note], texts: Sequence[str]) -> dict[str, tuple[int, int, bool]]:
    """Return of each person how many persons all that is shown may be of, how many show what may be of them, and if so.

    What somebody does not show may be of anybody.
    """
    shown: dict[str, set[tuple[str, str]]] = {person: set() for person in persons}
    for note, text in zip(notes, texts, strict=True):
        shown[note[0]] |= {*reading(note, text)}
    fits = {
        (one, other): all(may_be(name, words, persons[other].get(name)) for name, words in shown[one])
        for one in persons
        for other in persons
    }
    return {
        one: (sum(fits[one, other] for other in persons), sum(fits[other, one] for other in persons), fits[one, one])
        for one in persons
        if shown[one]
    }


@pytest.mark.parametrize("seed", range(20))
def test_who_reads_a_release_finds_k_people_for_each(seed: int) -> None:
    random = np.random.default_rng(seed)
    persons, notes = corpus(random)
    k = int(random.integers(2, 5))
    cities = {each["city"] for each in persons.values() if "city" in each}
    hierarchy = PlaceHierarchy("city", ValueLocale()).hierarchy(cities)
    lines = {} if hierarchy is None or seed % 3 == 0 else {"city": hierarchy}
    algorithm = "incognito" if seed % 5 == 0 else "mondrian"
    how = ViewRecodingSettings(read_models(f"k={k}"), KINDS, lines, {}, algorithm)
    texts = published(persons, notes, how)
    found = agreeing(persons, notes, texts)
    assert all(covered >= k and covering >= k and is_own for covered, covering, is_own in found.values())
    if len(persons) < k:
        assert not found


def test_a_note_that_shows_too_much_is_seen() -> None:
    persons = {f"p{at}": {"age": str(70 + at), "job": "baker"} for at in range(4)}
    notes = [(name, f"Seen, {each['age']}.", (Span(6, 8, "AGE"),)) for name, each in persons.items()]
    texts = published(persons, notes, ViewRecodingSettings(read_models("k=2"), KINDS, {}, TIGHT))
    assert texts == ["Seen, [70-71].", "Seen, [70-71].", "Seen, [72-73].", "Seen, [72-73]."]
    assert {each[:2] for each in agreeing(persons, notes, texts).values()} == {(2, 2)}
    assert agreeing(persons, notes, ["Seen, [70].", *texts[1:]])["p0"][0] == 1
    assert not agreeing(persons, notes, ["Seen, [72-73].", *texts[1:]])["p0"][2]
