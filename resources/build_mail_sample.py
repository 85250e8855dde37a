"""Write the sample of mail: invented letters to a surgery, with names, diagnoses and cities marked.

python resources/build_mail_sample.py
"""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "spark_deid" / "samples" / "mail-sample.jsonl.gz"
DOCUMENTS, SEED = 40, 14
FIRST = ("Ann", "Brian", "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Keiko", "Luis")
LAST = (
    "Abbott",
    "Baker",
    "Castillo",
    "Dvorak",
    "Ellis",
    "Fischer",
    "Greene",
    "Haddad",
    "Ito",
    "Jansen",
    "Kaur",
    "Lund",
)
CITIES = (
    "Boston",
    "Chicago",
    "Denver",
    "Seattle",
    "Lyon",
    "Hamburg",
    "Leeds",
    "Osaka",
    "Turin",
    "Porto",
    "Austin",
    "Oslo",
)
DIAGNOSES = (
    *("asthma", "diabetes", "migraine", "psoriasis", "gout", "pneumonia", "hypertension", "arthritis", "anemia"),
    *("epilepsy", "eczema", "bronchitis", "depression", "hepatitis", "appendicitis", "measles", "tonsillitis"),
)
LINES = (
    "I have had {d} since we moved from {c}.",
    "My mother in {c} had {d} too, and I worry about {e}.",
    "Is it an infection, or does {d} come back? {D} runs in the family.",
    "Could {n} call me on {p}? I am in {c} until Friday.",
    "The clinic in {c} wrote that it is {d}, not {e}.",
    "I took the tablets for {d} as you said, but they make me sleepy.",
    "Please send the letter to {m}, or to my brother in {c}.",
    "I can't come on {t}, as I travel to {c}.",
)


def mails() -> Iterator[dict[str, object]]:
    """Yield documents with their spans; equal runs give equal mails."""
    draw = random.Random(SEED)
    for number in range(1, DOCUMENTS + 1):
        first, last, doctor = draw.choice(FIRST), draw.choice(LAST), draw.choice(LAST)
        address = f"{first.lower()}.{last.lower()}@example.org"
        given = draw.sample(DIAGNOSES, 2)
        slots = {
            "d": ("DIAGNOSIS", given[0]),
            "D": ("DIAGNOSIS", given[0].capitalize()),
            "e": ("DIAGNOSIS", given[1]),
            "n": ("NAME", f"Dr. {doctor}"),
            "p": ("", f"555-01{draw.randrange(100):02d}"),
            "m": ("", address),
            "t": ("", f"{draw.randint(1, 12)}/{draw.randint(1, 28)}/2016"),
        }
        parts: list[tuple[str, str]] = [("", f"From: {address}\n\nDear "), slots["n"], ("", ",\n\n")]
        for line in draw.sample(LINES, 5):
            parts += _filled(line, slots | {"c": ("CITY", draw.choice(CITIES))})
        parts += [("", "\n\nThanks,\n"), ("NAME", f"{first} {last}")]
        yield _document(f"mail-{number:03d}", f"person-{number:03d}", parts)


def _filled(line: str, slots: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for piece in line.split("{"):
        key, brace, rest = piece.partition("}")
        if brace:
            yield slots[key]
        yield "", rest if brace else key
    yield "", " "


def _document(doc_id: str, subject_id: str, parts: list[tuple[str, str]]) -> dict[str, object]:
    text, spans = "", []
    for label, piece in parts:
        if label:
            spans.append({"start": len(text), "end": len(text) + len(piece), "label": label})
        text += piece
    return {"doc_id": doc_id, "subject_id": subject_id, "text": text, "spans": spans}


if __name__ == "__main__":
    with SAMPLE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
        for document in mails():
            stream.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
