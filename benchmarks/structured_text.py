"""Score the plan ``names`` on JSON, HL7, CSV, forms and HTML that libraries wrote, and parse what it publishes.

    python benchmarks/structured_text.py --messages 1000 --seed 1

Each message has identifiers in fields that declare them, identifiers in fields with other names, ordinary values, and a
sentence of free text. Half of the keys of identifiers are in the table of keys. ``--plan`` takes another plan.
"""

import argparse
import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape, unescape
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import spark_deid as sd

FIRST = [
    *("Ilona", "Tomasz", "Renée", "Adaeze", "Hannah", "Otto", "Zoë", "Marek"),
    *("Priya", "Callum", "Ingrid", "Yusuf", "Nadia", "Pablo", "Mei", "Siobhán"),
]
LAST = [
    *("Varga", "Kowalczyk", "Müller", "Okonkwo", "Whitfield", "Costeira", "Ångström", "Novak"),
    *("Raman", "Fraser", "Solberg", "Demir", "Haddad", "Ruiz", "Lin", "Byrne"),
]
STREETS = ["Elm Court", "Harbour Road", "Mill Lane", "Station Street", "Orchard Close", "High Street"]
TOWNS = ["Dover", "Otley", "Brookfield", "Ashgrove", "Lindale", "Westbury"]
ORDINARY = {
    "status": ["final", "active", "cancelled", "pending"],
    "unit": ["mmol/L", "mg/dL", "g/L", "%"],
    "test": ["Potassium", "Sodium", "Creatinine", "Haemoglobin", "C-reactive protein"],
    "flag": ["N", "H", "L"],
    "ward": ["B2", "surgical", "ICU", "maternity"],
    "sex": ["F", "M", "female", "male"],
    "drug": ["aspirin", "metformin 500 mg", "amoxicillin", "ibuprofen 200 mg"],
    "colour": ["red", "green", "blue"],
    "route": ["oral", "IV", "topical"],
    "result": ["4.1", "138", "negative", "positive", "7.35"],
    "smoker": ["yes", "no", "former"],
    "diagnosis": ["pneumonia", "type 2 diabetes", "asthma", "hip fracture"],
}
DECLARED = {
    "patient_name": "name",
    "lastName": "last",
    "dob": "date",
    "phone": "phone",
    "email": "email",
    "zip": "zip",
    "ssn": "ssn",
    "address": "address",
}
OTHER = {
    "who": "name",
    "seen_by": "name",
    "kin": "name",
    "when": "date",
    "callback": "phone",
    "write_to": "email",
    "social": "ssn",
    "lives": "address",
}
SENTENCES = (
    "Dr. {name} reviewed the scan with the family.",
    "Pt {name} was called on {phone} and was well.",
    "Seen on {date} for a dressing change; next visit in two weeks.",
    "Results were sent to {email} as requested.",
    "No pain at rest, walks with a stick.",
)


class Message(NamedTuple):
    """A text, the identifiers in it by kind of field, and how it is read back: a list of keys and values."""

    text: str
    declared: tuple[str, ...]
    others: tuple[str, ...]
    ordinary: tuple[str, ...]
    sentence: tuple[str, tuple[str, ...]]
    read: Callable[[str], list[tuple[str, str]]]


def identifier(kind: str, chance: random.Random) -> str:
    first, last = chance.choice(FIRST), chance.choice(LAST)
    digits = lambda number: "".join(chance.choice("23456789") for _ in range(number))  # noqa: E731
    return {
        "name": f"{first} {last}",
        "last": last,
        "date": f"19{digits(2)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "phone": f"{digits(3)}-{digits(3)}-{digits(4)}",
        "email": f"{first[0].lower()}.{'x' if not last.isascii() else last.lower()}@example.org",
        "zip": digits(5),
        "ssn": f"{digits(3)}-{digits(2)}-{digits(4)}",
        "address": f"{digits(2)} {chance.choice(STREETS)}, {chance.choice(TOWNS)}",
    }[kind]


def fields(
    chance: random.Random,
) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, tuple[str, ...]]]:
    declared = {key: identifier(kind, chance) for key, kind in chance.sample([*DECLARED.items()], 3)}
    others = {key: identifier(kind, chance) for key, kind in chance.sample([*OTHER.items()], 3)}
    ordinary = {key: chance.choice(values) for key, values in chance.sample([*ORDINARY.items()], 5)}
    given = {kind: identifier(kind, chance) for kind in ("name", "phone", "date", "email")}
    template = chance.choice(SENTENCES)
    used = tuple(value for kind, value in given.items() if f"{{{kind}}}" in template)
    rows = [*declared.items(), *others.items(), *ordinary.items(), ("note", template.format(**given))]
    chance.shuffle(rows)
    return (
        dict(rows),
        (*declared.values(),),
        (*others.values(),),
        (*ordinary.values(),),
        (template.format(**given), used),
    )


def json_message(chance: random.Random) -> Message:
    given, *kinds = fields(chance)
    rows = [*given.items()]
    nested = {"type": "visit", "patient": dict(rows[:4]), "items": [dict(rows[4:8]), dict(rows[8:])]}

    def read(text: str) -> list[tuple[str, str]]:
        value = json.loads(text)
        assert [*value] == ["type", "patient", "items"]
        return [*value["patient"].items(), *value["items"][0].items(), *value["items"][1].items()]

    return Message(
        json.dumps(nested, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, 2))), *kinds, read
    )


def csv_message(chance: random.Random) -> Message:
    given, *kinds = fields(chance)
    written = io.StringIO()
    delimiter = chance.choice(",;\t")
    csv.writer(written, delimiter=delimiter).writerows([[*given], [*given.values()]])

    def read(text: str) -> list[tuple[str, str]]:
        head, row = csv.reader(io.StringIO(text), delimiter=delimiter)
        return [*zip(head, row, strict=True)]

    return Message(written.getvalue(), *kinds, read)


def form_message(chance: random.Random) -> Message:
    given, *kinds = fields(chance)
    return Message(urlencode(given), *kinds, lambda text: parse_qsl(text, strict_parsing=True))


class Cells(HTMLParser):
    """The cells of a table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def html_message(chance: random.Random) -> Message:
    given, *kinds = fields(chance)
    rows = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>\n" for key, value in given.items())

    def read(text: str) -> list[tuple[str, str]]:
        cells = [cell.strip() for cell in Cells(text).cells]
        return [*zip(cells[::2], cells[1::2], strict=True)]

    return Message(f'<table class="visit">\n{rows}</table>', *kinds, read)


def hl7_message(chance: random.Random) -> Message:
    name, mother, doctor = (identifier("name", chance).split() for _ in range(3))
    given, _, _, ordinary, sentence = fields(chance)
    del given
    mrn, phone, ssn = identifier("ssn", chance).replace("-", ""), identifier("phone", chance), identifier("ssn", chance)
    birth, street = identifier("date", chance).replace("-", ""), identifier("address", chance).split(", ")
    results = [f"OBX|{n}|ST|{n}00-1^{value}^LN||{value}|mmol/L|3.5-5.1|N|||F" for n, value in enumerate(ordinary, 2)]
    lines = [
        "MSH|^~\\&|LAB|NORTH|EHR|CLINIC|20260312081500||ORU^R01|MSG42|P|2.5.1",
        f"PID|1||{mrn}^^^NSH^MR||{name[1]}^{name[0]}^^^Mrs^^L||{birth}|F|||{street[0]}^^{street[1]}^DE^19901^USA^H||{phone}|||M||{ssn}",
        f"NK1|1|{mother[1]}^{mother[0]}|MTH^Mother^HL70063",
        f"PV1|1|I|B2^12^A||||1234^{doctor[1]}^{doctor[0]}^^^Dr",
        f"OBX|1|TX|NOTE^Report||{sentence[0]}||||||F",
        *results,
    ]
    declared = (*name, *mother, *doctor, mrn, phone, ssn, birth, *street)

    def read(text: str) -> list[tuple[str, str]]:
        found = []
        for line in text.split("\r"):
            for number, field in enumerate(line.split("|")):
                found += [(f"{line[:3]}-{number}-{place}", part) for place, part in enumerate(field.split("^"))]
        return found

    return Message("\r".join(lines), declared, (), ordinary, sentence, read)


WRITERS = {"json": json_message, "csv": csv_message, "form": form_message, "html": html_message, "hl7": hl7_message}


def score(message: Message, published: str, counts: Counter[str]) -> None:
    counts["messages"] += 1
    before = message.read(message.text)
    try:
        after = message.read(published)
    except Exception:
        counts["broken"] += 1
        return
    same = len(before) == len(after) and all(old[0] == new[0] for old, new in zip(before, after, strict=True))
    counts["broken"] += not same
    if not same:
        return
    new_of = {old: new for (_, old), (_, new) in zip(before, after, strict=True)}
    for name, values in (("declared", message.declared), ("others", message.others)):
        counts[name] += len(values)
        counts[f"{name} left"] += sum(_words(value) & _words(new_of.get(value, published)) != set() for value in values)
    counts["ordinary"] += len(message.ordinary)
    counts["ordinary hidden"] += sum(new_of.get(value, "") != value for value in message.ordinary)
    text, used = message.sentence
    secret = {word for value in used for word in _words(value)}
    words = [word for word in re.findall(r"\w+", text) if word not in secret]
    left = Counter(re.findall(r"\w+", unescape(new_of.get(text, ""))))
    counts["words"] += len(words)
    counts["words hidden"] += sum((Counter(words) - left).values())
    counts["free"] += len(used)
    counts["free left"] += sum(_words(value) & {*left} != set() for value in used)


def _words(value: str) -> set[str]:
    return {word for word in re.findall(r"\w+", value) if len(word) > 1}


def rows(seed: int, messages: int, plan: str) -> Iterator[tuple[str, Counter[str]]]:
    redactor = sd.Redactor(plan)
    for name, write in WRITERS.items():
        counts: Counter[str] = Counter()
        chance = random.Random(f"{seed} {name}")
        for _ in range(messages):
            message = write(chance)
            score(message, str(redactor.redact(message.text)), counts)
        yield name, counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plan", default="names")
    given = parser.parse_args()
    print("| syntax | broken | declared left | other fields left | free text left | ordinary hidden | words hidden |")
    print("|---|---|---|---|---|---|---|")
    for name, counts in rows(given.seed, given.messages, given.plan):
        rate = lambda part, whole, counts=counts: f"{counts[part]} of {counts[whole]}"  # noqa: E731
        cells = [rate("broken", "messages"), rate("declared left", "declared"), rate("others left", "others")]
        cells += [rate("free left", "free"), rate("ordinary hidden", "ordinary"), rate("words hidden", "words")]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
