"""Checks of the data in benchmarks/unseen_notes."""

import hashlib
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "unseen_notes"
HASHES = dict(re.findall(r"(?m)^\| `(\w+\.jsonl)` .*`([0-9a-f]{64})` \|$", (FOLDER / "README.md").read_text("utf-8")))
LABELS = {"NAME", "DATE", "AGE", "ADDRESS", "CODE", "PHONE", "EMAIL", "URL", "IP", "ORG"}


def test_the_page_lists_every_file() -> None:
    assert set(HASHES) == {path.name for path in FOLDER.glob("*.jsonl")}


@pytest.mark.parametrize("name", sorted(HASHES))
def test_hash_offsets_and_halves(name: str) -> None:
    content = (FOLDER / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == HASHES[name]
    rows = [json.loads(line) for line in content.decode("utf-8").split("\n") if line]
    assert len({row["doc_id"] for row in rows}) == len(rows)
    assert {row["half"] for row in rows} == {"choose", "score"}
    for row in rows:
        end = 0
        for span in row["spans"]:
            assert end <= span["start"] < span["end"] <= len(row["text"])
            assert row["text"][span["start"] : span["end"]].strip(" \n")
            assert span["label"] in LABELS
            end = span["end"]
