from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark_deid.core.arrow import lists_of
from spark_deid.core.edit import RARE
from spark_deid.core.tables import EDIT_STRUCT
from spark_deid.release.spark import leaks
from spark_deid.release.spark.leaks import COLUMNS, IDS, MOST_HITS, REMOVED, TEXTS, Columns, RemovedText
from spark_deid.release.spark.residual_documents import ResidualDocuments, of_all_parts
from spark_deid.storage.parts import PartFile, PartsWriter

SECRET = "zz Quincy Zimt"
Edit = tuple[int, int, str, str, str]


def at_once(_: object, function: Callable[[PartFile], object], given: Sequence[PartFile]) -> list[object]:
    return [function(part) for part in given]


@pytest.fixture
def removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RemovedText]:
    monkeypatch.setattr(leaks, "run_tasks", at_once)

    def store(pieces: Sequence[str], label: str | Sequence[str] = "X") -> RemovedText:
        labels = [label] * len(pieces) if isinstance(label, str) else label
        with PartsWriter({"removed": str(tmp_path)}, {"removed": REMOVED}) as writer:
            writer.write({"removed": pa.RecordBatch.from_pydict({"piece": pieces, "label": labels}, REMOVED)})
            part = writer.close()["removed"]
        nowhere: Any = None
        return RemovedText(nowhere, (part,))

    return store


@pytest.fixture
def decided(tmp_path: Path) -> Callable[..., PartFile]:
    """Return what stores decisions of these columns, with edits for each document or none."""

    def store(columns: dict[str, tuple[list[Any], pa.DataType]], edits: Sequence[Sequence[Edit]] = ()) -> PartFile:
        rows = len(columns["published"][0])
        arrays = {name: pa.array(values, kind) for name, (values, kind) in columns.items()}
        batch = pa.RecordBatch.from_pydict(arrays | {"edits": lists_of(edits or [()] * rows, EDIT_STRUCT)})
        with PartsWriter({"decisions": str(tmp_path)}, {"decisions": batch.schema}) as writer:
            writer.write({"decisions": batch})
            return writer.close()["decisions"]

    return store


def test_a_leak_counts_however_many_words_between_are_there_too(removed: Callable[..., RemovedText]) -> None:
    apart = [f"aa{number:06}" for number in range(MOST_HITS + 5)]
    texts = {"manifest.json": "\0".join([*apart, f"by {SECRET}"])}
    assert removed([*apart, SECRET]).residuals_in(texts, apart) == {"manifest.json": {"X": 1}}


def test_rare_text_is_looked_for_as_words_and_other_text_anywhere(removed: Callable[..., RemovedText]) -> None:
    texts = {"report.html": "3000 quuxes"}
    assert removed(["00 quux"], RARE).residuals_in(texts, ()) == {}
    assert removed(["00 quux"]).residuals_in(texts, ()) == {"report.html": {"X": 1}}
    assert removed(["3000 quuxes"], RARE).residuals_in(texts, ()) == {"report.html": {RARE: 1}}


@pytest.mark.parametrize("order", [1, -1])
def test_a_piece_with_several_labels_counts_once_however_a_corpus_is_parted(
    removed: Callable[..., RemovedText], order: int
) -> None:
    labels = ["ORG", RARE, "NAME"][::order]
    parted = [removed([SECRET], label) for label in labels] + [removed(["Ann Leer"], "CITY")]
    together = parted[0]._replace(parts=tuple(part for each in parted for part in each.parts))
    in_one = removed([SECRET] * 3 + ["Ann Leer"], [*labels, "CITY"])
    for each in (together, in_one):
        counted = each.residuals_in({"report.html": f"Ann Leer, {SECRET}", "manifest.json": SECRET}, ())
        assert {place: [*numbers.items()] for place, numbers in counted.items()} == {
            "manifest.json": [("NAME", 1)],
            "report.html": [("CITY", 1), ("NAME", 1)],
        }


def test_of_very_much_that_was_removed_one_piece_in_so_many_is_looked_for(
    removed: Callable[..., RemovedText], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = removed([SECRET])
    assert few.every == 1
    monkeypatch.setattr(leaks, "MOST_NEEDLES", 2)
    assert removed([SECRET, "Bob Quux", "Ann Leer", "Eve Mall"]).every == 3


def test_columns_are_looked_through_as_they_are_let_out(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile]
) -> None:
    meta = [("note", f"seen {SECRET} in Quux"), ("room", "9")]
    part = decided(
        {
            "published": ([""], pa.string()),
            "subject_id": ([SECRET], pa.string()),
            "meta": ([meta], pa.map_(pa.string(), pa.string())),
        }
    )

    def counted(columns: Columns) -> list[int]:
        found = leaks._residuals_in_part(part, removed=removed([SECRET, "in Quux"]).parts, columns=columns, ids=False)
        return [len(numbers) for numbers in found.values()]

    assert counted({"note": None}) == counted({"note": str}) == [3]
    assert counted({"note": lambda value: value.replace(SECRET, "[NAME]")}) == [1]
    assert counted({"room": None, "subject_id": None}) == []


def test_ids_are_looked_through_for_umlauts_as_two_letters(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile]
) -> None:
    ids = ["Anna_MUELLER.txt", "kroeger", "muller-x"]
    part = decided({"published": ([""] * 3, pa.string()), "doc_id": (ids, pa.string())})
    parts = removed(["Anna Müller", "Dr. Kröger", "Bäcker"]).parts
    found = leaks._residuals_in_part(part, removed=parts, columns={}, ids=True)
    assert {place: len(numbers) for place, numbers in found.items()} == {(IDS, "X"): 3}


@pytest.mark.parametrize(
    ("piece", "text", "counted"),
    [
        ("Ankara Łódź", "in ANKARA LODZ.", 1),
        ("İZMİRLİ", "of izmirli", 1),
        ("Weiß-Hof", "WEISS-HOF", 1),
        ("Jörg Müller", "of JOERG MUELLER,", 1),
        ("Jo\u0308rg Ott", "Joerg Ott", 1),
        ("Anna Mueller", "Anna Müller", 1),
        ("Haakon", "Håkon", 0),
        ("Haakon Lie", "Håkon Lie", 1),
        ("Haushöhe", "Haushoehe, Haushöhe", 2),
        ("The Poets", "the pots", 0),
        ("The Ward", "the ward", 0),
        ("Quincy Zimt", "quincy zimts", 0),
    ],
)
def test_what_is_in_published_texts_is_counted_by_base_letters(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile], piece: str, text: str, counted: int
) -> None:
    part = decided({"published": (["", text], pa.string())})
    numbers = leaks._residuals_in_part(part, removed=removed([piece]).parts, columns={}, ids=False)
    assert {place: len(found) for place, found in numbers.items()} == ({(TEXTS, "X"): counted} if counted else {})


def test_documents_that_hold_removed_text_are_counted_and_the_first_of_them_named(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile]
) -> None:
    meta = [[], [("note", f"of {SECRET}")], []]
    columns = {
        "published": ([f"by {SECRET}", "the ward", f"{SECRET.upper()} and Quincy"], pa.string()),
        "doc_id": (["a", "b", "c"], pa.string()),
        "subject_id": ([None] * 3, pa.string()),
        "meta": (meta, pa.map_(pa.string(), pa.string())),
    }
    part, parts = decided(columns), removed([SECRET, "The Ward"]).parts
    _, documents, _ = leaks._found_in_part(part, removed=parts, columns={"note": None}, ids=False)
    assert documents == {TEXTS: ResidualDocuments(2, ("a", "c")), COLUMNS: ResidualDocuments(1, ("b",))}
    many = decided({"published": ([SECRET, ""] * 400, pa.string()), "doc_id": ([*map(str, range(800))], pa.string())})
    _, documents, _ = leaks._found_in_part(many, removed=parts, columns={}, ids=False)
    assert documents == {TEXTS: ResidualDocuments(400, tuple(sorted(map(str, range(0, 800, 2)))[:20]))}


@pytest.mark.parametrize("order", [1, -1])
def test_which_documents_are_named_does_not_hang_on_how_a_corpus_is_parted(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile], order: int
) -> None:
    parts, ids = removed([SECRET]).parts, [f"d{number:02}" for number in range(60)]

    def found(names: Sequence[str]) -> Mapping[str, ResidualDocuments]:
        part = decided({"published": ([SECRET] * len(names), pa.string()), "doc_id": (names, pa.string())})
        return leaks._found_in_part(part, removed=parts, columns={}, ids=False)[1]

    shuffled = sorted(ids, key=lambda name: name[::-1])
    parted = [found(shuffled[:25]), found(shuffled[25:])][::order]
    assert of_all_parts(parted) == {TEXTS: ResidualDocuments(60, tuple(ids[:20]))}


def test_words_of_two_columns_are_no_piece_of_removed_text_that_a_document_holds(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile]
) -> None:
    meta = [[("ward", "ann"), ("note", "lee")], [("ward", "Ann Lee"), ("note", "of Ann Lee")]]
    columns = {
        "published": ([""] * 2, pa.string()),
        "doc_id": (["a", "b"], pa.string()),
        "subject_id": ([None] * 2, pa.string()),
        "meta": (meta, pa.map_(pa.string(), pa.string())),
    }
    parts = removed(["Ann Lee"]).parts
    named: Columns = {"ward": None, "note": None}
    _, documents, _ = leaks._found_in_part(decided(columns), removed=parts, columns=named, ids=False)
    assert documents == {COLUMNS: ResidualDocuments(1, ("b",))}


@pytest.mark.parametrize(("technique", "counted"), [("surrogate", 0), ("pseudonym", 0), ("suppress", 1)])
def test_of_what_is_published_what_was_made_up_only_is_no_leak(
    removed: Callable[..., RemovedText], decided: Callable[..., PartFile], technique: str, counted: int
) -> None:
    """One document has removed text as a replacement, between others that shift it; another has it as it was."""
    parts = removed([SECRET]).parts

    def number(texts: Sequence[str], edits: Sequence[Sequence[Edit]]) -> int:
        part = decided({"published": (texts, pa.string())}, edits)
        found = leaks._residuals_in_part(part, removed=parts, columns={}, ids=False)
        return sum(len(numbers) for numbers in found.values())

    long = f"[{'X' * len(SECRET)}]"
    edits = [(13, 16, technique, SECRET, "X"), (3, 5, "suppress", long, "X"), (21, 22, "suppress", long, "X")]
    text = f"of {long} and at {SECRET}, in {long}"
    assert number([text], [edits]) == counted
    assert number([text, f"by {SECRET}"], [edits, ()]) == 1
