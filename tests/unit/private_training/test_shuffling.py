"""Sentences that are joined to documents, against plain joining."""

from collections import Counter
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.arrow import lists_of
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.tables import DECISIONS, EDIT_STRUCT
from spark_deid.private_training.pseudonyms import sentence_columns
from spark_deid.private_training.pseudonyms.sentence_columns import TextSentences, cut_documents, sentences_of
from spark_deid.private_training.pseudonyms.sentence_runs import (
    PLACED,
    SENTENCES,
    WordTally,
    documents_of,
    join_sentences,
    pairs_of_tallies,
    read_range,
    write_run,
)
from spark_deid.private_training.spark.shuffling import store_part
from spark_deid.storage.parts import PartFile, in_pieces

SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["NAME", "DATE"])), max_size=2)
GIVEN = st.lists(st.tuples(st.text(st.sampled_from("a é東👩"), max_size=5), SPANS), min_size=1, max_size=3)


def plain(texts: list[str], spans: list[list[tuple[int, int, str]]]) -> tuple[str, list[dict[str, object]]]:
    """Join sentences one by one."""
    text, found = "", list[dict[str, object]]()
    for number, (sentence, own) in enumerate(zip(texts, spans, strict=True)):
        text += "\n" if number else ""
        found += [{"start": start + len(text), "end": end + len(text), "label": label} for start, end, label in own]
        text += sentence
    return text, found


@given(st.lists(GIVEN, max_size=4), st.integers(0, 2))
def test_sentences_are_joined_with_their_spans_where_they_occur(
    documents: list[list[tuple[str, list[tuple[int, int, str]]]]], skipped: int
) -> None:
    texts = [[text for text, _ in document] for document in documents]
    spans = [[own for _, own in document] for document in documents]
    named = [[[dict(zip(("start", "end", "label"), span, strict=True)) for span in own] for own in o] for o in spans]
    arrays = [
        pa.array(range(len(documents)), pa.int64()),
        pa.array(texts, pa.list_(pa.string())),
        pa.array(named, pa.list_(pa.list_(PLACED))),
    ]
    batch = pa.RecordBatch.from_arrays(arrays, names=["document", "text", "spans"]).slice(skipped)
    expected = [
        {"doc_id": f"{number + 1:08d}", "text": text, "spans": own}
        for number, (text, own) in enumerate(map(plain, texts, spans))
    ]
    assert join_sentences(batch).to_pylist() == expected[skipped:]


def test_documents_are_handed_on_a_few_at_a_time_and_none_is_lost() -> None:
    groups = [pa.RecordBatch.from_pydict({"doc_id": [f"{size}-{n}" for n in range(size)]}) for size in (250, 0, 3)]
    pieces = list(in_pieces(groups, 100))
    assert [piece.num_rows for piece in pieces] == [100, 100, 50, 3]
    assert [row for piece in pieces for row in piece.to_pylist()] == [row for g in groups for row in g.to_pylist()]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=4), st.integers(1, 9), st.integers(1, 6))
def test_sentences_of_all_runs_are_gathered_in_one_order_whatever_the_ranges(
    sizes: list[int], each: int, ranges: int
) -> None:
    rows = [
        (sha256(b"%d %d" % (run, n)).digest()[:16], f"{run}-{n}") for run, size in enumerate(sizes) for n in range(size)
    ]
    ordered = [text for _, text in sorted(rows)]
    expected = ["\n".join(ordered[low : low + each]) for low in range(0, len(ordered), each)]
    with TemporaryDirectory() as folder:
        runs = []
        for run in range(len(sizes)):
            own = [row for row in rows if row[1].startswith(f"{run}-")]
            spans = [[{"start": 0, "end": len(row[1]), "label": row[1]}] for row in own]
            columns = [[row[0] for row in own], [row[1] for row in own], spans]
            runs.append(write_run(folder, pa.table(columns, schema=SENTENCES), ranges, together=3))
        batches = [batch for n in range(ranges) for batch in documents_of(runs, n, each, most=5)]
        found = [row for batch in batches for row in batch.to_pylist()]
    assert [row["text"] for row in found] == expected
    assert all(batch.num_rows <= max(5 // each, 1) for batch in batches)
    for row in found:
        assert [row["text"][span["start"] : span["end"]] for span in row["spans"]] == row["text"].split("\n")
        assert [span["label"] for span in row["spans"]] == row["text"].split("\n")
    assert [row["doc_id"] for row in found] == [f"{number + 1:08d}" for number in range(len(expected))]


@pytest.mark.parametrize("most", [1, 400, 10_000])
def test_each_sentence_of_a_part_is_in_one_run_with_its_spans(tmp_path: Path, most: int) -> None:
    texts = [f"Saw  Bob{number} . And left.\n\nCall Ann{number}" for number in range(250)]
    rows = []
    for number, text in enumerate(texts):
        edits = [(4, text.index(" ."), " Zoe ", "NAME"), (text.index("Ann"), len(text), "Eva", "NAME")]
        published = f"Saw  Zoe  .{text.partition(' .')[2].partition('Ann')[0]}Eva"
        structs = [
            {"start": start, "end": end, "technique": "neighbour", "replacement": replacement, "label": label}
            for start, end, replacement, label in edits
        ]
        rows.append({"doc_id": f"{number}", "published": published, "text": text, "edits": structs})
    path = tmp_path / "part.parquet"
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([DECISIONS.field(name) for name in rows[0]])), path)
    runs, _, lost = store_part(PartFile(str(path), 250, 0), folder=str(tmp_path), key=b"k" * 32, ranges=2, most=most)
    assert lost == 0
    assert len(runs) == {1: 4, 400: 2, 10_000: 1}[most]
    found = [row for number in (0, 1) for row in read_range(runs, number).to_pylist()]
    cut = [(row["text"], [row["text"][span["start"] : span["end"]] for span in row["spans"]]) for row in found]
    assert Counter(text for text, _ in cut) == {"Saw  Zoe  .": 250, "And left.": 250, "Call Eva": 250}
    assert all(spans == {"Saw": ["Zoe"], "And": [], "Call": ["Eva"]}[text.split()[0]] for text, spans in cut)
    assert len({row["place"] for row in found}) == 750


WRITTEN = st.lists(st.sampled_from(["Ann. ", "Bo! ", "\n\n", "é ", "👩", "\u00a0", "Ab", ""]), max_size=9)


@given(st.lists(st.tuples(WRITTEN, st.lists(st.integers(0, 30), max_size=6, unique=True)), max_size=3), st.data())
def test_documents_are_cut_by_columns_as_one_by_one(
    documents: list[tuple[list[str], list[int]]], data: st.DataObject
) -> None:
    published, edits, pseudonyms = list[str](), list[list[LabelledEdit]](), list[tuple[str, int, int]]()
    expected: list[tuple[str, list[tuple[int, str, str]]]] = []
    for number, (pieces, borders) in enumerate(documents):
        text = "".join(pieces)
        inside = sorted(border for border in borders if border <= len(text))
        new = st.sampled_from([" Zoe ", "Eva", "é 👩", "Max. No"])
        own = [
            LabelledEdit(start, end, "neighbour", data.draw(new), f"L{place % 2}")
            for place, (start, end) in enumerate(zip(inside[::2], inside[1::2], strict=False))
        ]
        published.append(apply_edits(text, own))
        edits.append(data.draw(st.permutations(own)))
        places = [edit.start + sum(len(e.replacement) - e.end + e.start for e in own if e < edit) for edit in own]
        spans = [
            (place + edit.replacement.index(edit.replacement.strip()), edit.replacement.strip(), edit.label)
            for place, edit in zip(places, own, strict=True)
        ]
        for start, end in sentences_of(published[-1], [(one, one + len(bare)) for one, bare, _ in spans]):
            named = [(one - start, bare, label) for one, bare, label in spans if start <= one < end]
            pseudonyms += [(bare, len(expected), number) for _, bare, _ in named]
            expected.append((published[-1][start:end], named))
    ids = [f"{number}" for number in range(len(documents))]
    found = cut_documents(ids, published, lists_of(edits, EDIT_STRUCT), b"k" * 32)
    assert found.lost == 0
    rows = found.rows.to_pylist()
    named_by_row = [
        [(span["start"], row["text"][span["start"] : span["end"]], span["label"]) for span in row["spans"]]
        for row in rows
    ]
    assert list(zip([row["text"] for row in rows], named_by_row, strict=True)) == expected
    assert found.pseudonyms == "\0".join(bare for bare, _, _ in pseudonyms)
    assert [*zip(found.sentences.tolist(), found.documents.tolist(), strict=True)] == [row[1:] for row in pseudonyms]
    again = cut_documents(ids, published, lists_of(edits, EDIT_STRUCT), b"k" * 32).rows
    assert len({row["place"] for row in rows}) == len(rows)
    assert again == found.rows


def test_what_is_lost_of_texts_and_spans_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    edits = lists_of([[LabelledEdit(5, 8, "neighbour", "Eva", "NAME")]], EDIT_STRUCT)
    for wrong in ([[0, 0], [5, 8]], [[0, 3], [5, 8]], [[0, 4], [6, 8]], [[0, 6], [6, 8]]):
        found = TextSentences(np.array(wrong), np.array([0, 2]))
        monkeypatch.setattr(sentence_columns, "cut_sentences", lambda *_, found=found: found)
        assert cut_documents(["d"], ["Saw. Eva"], edits, b"k" * 32).lost
    monkeypatch.setattr(
        sentence_columns,
        "cut_sentences",
        lambda *_: TextSentences(np.array([[0, 2], [0, 2], [3, 3]]), np.array([0, 2, 3])),
    )
    none = lists_of([[], []], EDIT_STRUCT)
    assert cut_documents(["d", "e"], ["Ab", "Cd"], none, b"k" * 32).lost  # one has twice what the other lost


def test_sentences_that_are_written_otherwise_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    edits = lists_of([[]], EDIT_STRUCT)
    assert not cut_documents(["d"], ["Saw é. Eva\u00a0"], edits, b"k" * 32).lost
    monkeypatch.setattr(sentence_columns, "gather_strings", lambda *_: pa.array(["Saw .", "Eva"]))
    assert cut_documents(["d"], ["Saw é. Eva\u00a0"], edits, b"k" * 32).lost


@given(st.lists(st.lists(st.lists(st.sampled_from(["Ab", "ab", "cd", "éß", "ß"]), max_size=3), max_size=4), max_size=5))
def test_pairs_of_tallies_are_those_of_all_sentences_by_two(documents: list[list[list[str]]]) -> None:
    sentences = [
        (number, {word.casefold() for word in words if len(word) > 1})
        for number, document in enumerate(documents)
        for words in document
    ]
    standing = Counter(word for _, words in sentences for word in words)
    pairs = [(one == other, word) for (one, o), (other, p) in combinations(sentences, 2) for word in o & p]
    seldom = [own for own, word in pairs if standing[word] <= 3]
    with TemporaryDirectory() as folder:
        paths = []
        for part in (documents[:2], documents[2:]):
            tally = WordTally()
            for document in part:
                texts = [(", ".join(words), number) for number, words in enumerate(document) if words]
                numbers = np.array([number for _, number in texts], np.int64)
                tally.add("\0".join(text for text, _ in texts), numbers, np.zeros(len(texts), np.int64))
            paths.append(tally.write(folder))
        assert len(list(Path(folder).iterdir())) == 2
        found = pairs_of_tallies(paths)
    assert found == (len(pairs), sum(own for own, _ in pairs), len(seldom), sum(seldom))
