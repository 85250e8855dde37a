"""Checks of the data in benchmarks/unseen_notes."""

import hashlib
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "unseen_notes"
PAGE = (FOLDER / "README.md").read_text("utf-8")
HASHES = dict(re.findall(r"(?m)^\| `(\w+\.jsonl)` .*`([0-9a-f]{64})` \|$", PAGE))
DIFFERENCES = "disagreements.jsonl"
LABELS = {"NAME", "DATE", "AGE", "ADDRESS", "CODE", "PHONE", "EMAIL", "URL", "IP", "ORG"}


def test_the_page_lists_every_file() -> None:
    assert set(HASHES) == {path.name for path in FOLDER.glob("*.jsonl")}


@pytest.mark.parametrize("name", sorted(HASHES))
def test_hash(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == HASHES[name]


@pytest.mark.parametrize("name", sorted(HASHES.keys() - {DIFFERENCES}))
def test_offsets_and_halves(name: str) -> None:
    rows = _rows(name)
    assert len({row["doc_id"] for row in rows}) == len(rows)
    assert {row["half"] for row in rows} == {"choose", "score"}
    for row in rows:
        end = 0
        for span in row["spans"]:
            assert end <= span["start"] < span["end"] <= len(row["text"])
            assert row["text"][span["start"] : span["end"]].strip(" \n")
            assert span["label"] in LABELS
            end = span["end"]


def test_the_page_counts_the_notes() -> None:
    counts: dict[str, list[Counter[str]]] = {half: [Counter(), Counter()] for half in ("choose", "score")}
    words = Counter[str]()
    for row in _rows("notes.jsonl"):
        labels = _words(row["text"], _triples(row["spans"]))
        words[row["half"]] += len(labels)
        counts[row["half"]][0].update(span["label"] for span in row["spans"])
        counts[row["half"]][1].update(label for label in labels if label)
    table = PAGE.partition("## Words by half")[2].partition("\n## ")[0]
    for label in LABELS:
        figures = [f"{counts[half][place][label]:,}" for place in (0, 1) for half in counts]
        assert f"| `{label}` | {' | '.join(figures)} |" in table
    totals = [f"{counts[half][place].total():,}" for place in (0, 1) for half in counts]
    assert f"| all | {' | '.join(totals)} |" in table
    for half in counts:
        assert re.search(rf"`{half}` half has \d+ notes with {words[half]:,} words", table)


def test_the_page_lists_the_agreement_of_the_two_annotations() -> None:
    rows, changes = _rows("notes.jsonl"), _rows(DIFFERENCES)
    by_half: dict[str, list[tuple[str, str]]] = {"choose": [], "score": []}
    spans, words = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in rows:
        settled = _triples(row["spans"])
        layers = []
        for layer in ("first", "second"):
            spans_now = set(settled)
            for change in changes:
                if change["doc_id"] == row["doc_id"]:
                    assert _triples(change["settled"]) <= settled
                    assert _triples(change["first"]) != _triples(change["second"])
                    spans_now = spans_now - _triples(change["settled"]) | _triples(change[layer])
            assert all(before[1] <= after[0] for before, after in pairwise(sorted(spans_now)))
            layers.append(spans_now)
        first, second = layers
        for part, found in (("first", first), ("second", second), ("same", first & second)):
            spans.update((part, label) for _, _, label in found)
        pairs = list(zip(_words(row["text"], first), _words(row["text"], second), strict=True))
        by_half[row["half"]] += pairs
        for one, other in pairs:
            words.update([("first", one), ("second", other)] + [("same", one)] * (one == other))
    table = PAGE.partition("## Second annotation")[2].partition("\n## ")[0]
    for name, labels in [(f"`{label}`", {label}) for label in LABELS] + [("all", LABELS)]:
        figures = [sum(spans[part, label] for label in labels) for part in ("first", "second")]
        scores = [_f1(counts, labels) for counts in (spans, words)]
        assert f"| {name} | {figures[0]:,} | {figures[1]:,} | {scores[0]:.3f} | {scores[1]:.3f} |" in table
    kappas = [_kappa(pairs) for pairs in (by_half["choose"] + by_half["score"], by_half["choose"], by_half["score"])]
    assert "is {:.3f} (`choose` {:.3f}, `score` {:.3f})".format(*kappas) in table
    places = len({change["doc_id"] for change in changes})
    assert f"disagree in {len(changes)} places of {places} notes" in table
    chosen = Counter(
        next((layer for layer in ("first", "second") if change[layer] == change["settled"]), "neither")
        for change in changes
    )
    assert (chosen["second"], chosen["first"], chosen["neither"]) == (30, 15, 1)


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").split("\n") if line]


def _triples(spans: list[dict[str, Any]]) -> set[tuple[int, int, str]]:
    return {(span["start"], span["end"], span["label"]) for span in spans}


def _words(text: str, spans: set[tuple[int, int, str]]) -> list[str]:
    """Return the label of each word, or an empty string."""
    ordered = sorted(spans)
    return [
        next((label for start, end, label in ordered if start < word.end() and word.start() < end), "")
        for word in re.finditer(r"[^\W_]+", text)
    ]


def _f1(counts: Counter[tuple[str, str]], labels: set[str]) -> float:
    same, first, second = (sum(counts[part, label] for label in labels) for part in ("same", "first", "second"))
    return 2 * same / (first + second)


def _kappa(pairs: list[tuple[str, str]]) -> float:
    """Return Cohen's kappa of the two labels of each word."""
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    observed = sum(one == other for one, other in pairs) / len(pairs)
    expected = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return (observed - expected) / (1 - expected)
