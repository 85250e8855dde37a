"""Candidates, draws, sentences and guesses, on small vocabularies."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from spark_deid.core.arrow import lists_of
from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.span import Span
from spark_deid.private_training.embeddings.building import StoreWriter
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import VectorBlock
from spark_deid.private_training.pseudonyms import sentence_columns
from spark_deid.private_training.pseudonyms.candidates import NeighbourTable, candidates_of, write_table
from spark_deid.private_training.pseudonyms.drawing import PseudonymSource, draw_digits, pseudonymize
from spark_deid.private_training.pseudonyms.guessing import (
    LikelyNames,
    count_replaced,
    likely_names,
    pairs_of,
    public_names,
)
from spark_deid.private_training.pseudonyms.sentence_columns import sentences_of
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.private_training.spark import figures
from spark_deid.private_training.unchanged_words import unchanged_among, unchanged_words
from spark_deid.private_training.word_tokens import (
    DIGITS,
    LETTERS,
    MARK,
    around_tokens,
    letter_runs,
    long_words,
    tokens_of,
)
from spark_deid.storage.parts import PartFile

WORDS = ("james", "henry", "jamesson", "james", "JAMES", "robert", "oslo", "new-york", "1999", "paris")
ANGLES = (0.0, 0.2, 0.1, 0.3, 0.05, 0.5, 2.0, 2.1, 0.01, 2.2)


@pytest.fixture
def store(tmp_path: Path) -> EmbeddingStore:
    vectors = np.array([[np.cos(angle), np.sin(angle)] for angle in ANGLES], np.float32)
    with StoreWriter(str(tmp_path / "store")) as writer:
        writer.add(VectorBlock(WORDS, vectors))
        return writer.close("test", "")


def source_of(store: EmbeddingStore, place: Path, scope: str = "token", **settings: object) -> PseudonymSource:
    chosen = NeighbourSettings(**{"neighbours": 3, **settings})  # type: ignore[arg-type]
    rows = np.arange(len(WORDS))
    found = candidates_of(store, rows, chosen)
    place.mkdir()
    write_table(place, rows, found.rows, found.subwords)
    return PseudonymSource(str(store.folder), str(place), scope, chosen.include_self, b"k" * 32)


def names_of(store: EmbeddingStore, row: int, **settings: object) -> list[str]:
    found = candidates_of(store, [row], NeighbourSettings(**settings))  # type: ignore[arg-type]
    return [store.word(other) for other in found.rows[0].tolist() if other != ABSENT]


def test_candidates_are_the_nearest_words_of_letters_without_the_word_in_any_case(store: EmbeddingStore) -> None:
    assert names_of(store, 0, neighbours=3) == ["jamesson", "henry", "robert"]
    assert names_of(store, 0, neighbours=2, include_self=True) == ["james", "jamesson"]
    assert names_of(store, 0, neighbours=2, exclude=("subword",)) == ["henry", "robert"]
    assert names_of(store, 0, neighbours=1, exclude=("nearer:0.1",)) == ["robert"]
    assert names_of(store, 0, neighbours=50) == ["jamesson", "henry", "robert", "oslo", "paris"]
    assert candidates_of(store, [0], NeighbourSettings(neighbours=3)).subwords.tolist() == [1]


def test_words_that_contain_the_word_are_counted_among_as_many_nearest(tmp_path: Path) -> None:
    vectors = np.array([[np.cos(angle), np.sin(angle)] for angle in (0, 0.1, 0.2, 0.3)], np.float32)
    with StoreWriter(str(tmp_path / "store")) as writer:
        writer.add(VectorBlock(("ann", "bob", "anna", "joann"), vectors))
        store = writer.close("test", "")
    counts = [candidates_of(store, [0], NeighbourSettings(neighbours=n)).subwords[0] for n in (1, 2, 3)]
    assert counts == [0, 1, 2]


@pytest.mark.parametrize("wrong", [("near",), ("nearer:2",), ("nearer:x",), ("nearer:nan",)])
def test_what_is_passed_over_is_named_by_known_words(wrong: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError, match=r"nearer:0\.1"):
        NeighbourSettings(exclude=wrong)


def written(store: EmbeddingStore, place: Path, text: str, doc_id: str = "d", **settings: object) -> str:
    spans = [Span(0, len(text), "NAME")]
    document = Document(doc_id, text)
    edits = pseudonymize(document, spans, source=source_of(store, place, **settings))  # type: ignore[arg-type]
    return apply_edits(text, edits)


def test_words_are_replaced_in_their_case_and_marks_remain(store: EmbeddingStore, tmp_path: Path) -> None:
    text = "JAMES, James (james) 25yo O'Neil 👩 12/03"
    drawn = written(store, tmp_path / "t", text)
    assert unchanged_words(text, drawn)[1] == 0
    assert [mark for mark in drawn if mark in ",()/'"] == [",", "(", ")", "'", "/"]
    upper, title, small = drawn.replace(",", "").replace("(", "").replace(")", "").split()[:3]
    assert (upper.isupper(), title.istitle(), small.islower()) == (True, True, True)
    assert {upper.lower(), title.lower(), small} <= {"jamesson", "henry", "robert"}
    assert "👩" not in drawn
    assert drawn == written(store, tmp_path / "u", text)
    assert drawn != written(store, tmp_path / "v", text, "another document")


def test_one_word_has_one_pseudonym_in_a_document_where_asked_for(store: EmbeddingStore, tmp_path: Path) -> None:
    text = " ".join(["James JAMES jämes"] * 10)
    assert len(set(written(store, tmp_path / "t", text, scope="document").lower().split())) == 1
    assert len(set(written(store, tmp_path / "u", text).lower().split())) > 1


def test_draws_reach_every_candidate_equally(store: EmbeddingStore, tmp_path: Path) -> None:
    drawn = Counter(written(store, tmp_path / "t", "james " * 3000).split())
    assert set(drawn) == {"jamesson", "henry", "robert"}
    assert all(900 < number < 1100 for number in drawn.values())


def test_a_span_never_remains_as_a_whole_even_where_words_may(store: EmbeddingStore, tmp_path: Path) -> None:
    source = source_of(store, tmp_path / "t", neighbours=1, include_self=True)
    text = "james"
    assert apply_edits(text, pseudonymize(Document("d", text), [Span(0, 5, "NAME")], source=source)) != text


def drawn_pseudonyms(store: EmbeddingStore, place: Path, text: str, number: int, scope: str = "token") -> Counter[str]:
    """Count the pseudonyms of one annotation in a number of documents, among four candidates with the word itself."""
    source = source_of(store, place, scope, neighbours=4, include_self=True)
    spans = [Span(0, len(text), "NAME")]
    return Counter(pseudonymize(Document(f"d{i}", text), spans, source=source)[0].replacement for i in range(number))


@pytest.mark.parametrize("scope", ["token", "document"])
def test_each_pseudonym_is_as_likely_where_words_may_be_their_own(
    store: EmbeddingStore, tmp_path: Path, scope: str
) -> None:
    drawn = drawn_pseudonyms(store, tmp_path / "t", "james", 4800, scope=scope)
    assert set(drawn) == {"jamesson", "henry", "robert"}
    assert all(1500 < number < 1700 for number in drawn.values()), drawn


@pytest.mark.parametrize("scope", ["token", "document"])
def test_each_pair_of_pseudonyms_is_as_likely_where_words_may_be_their_own(
    store: EmbeddingStore, tmp_path: Path, scope: str
) -> None:
    drawn = drawn_pseudonyms(store, tmp_path / "t", "james oslo", 4800, scope=scope)
    assert len(drawn) == 15
    assert "james oslo" not in drawn
    assert all(250 < number < 390 for number in drawn.values()), drawn


def test_a_new_draw_is_that_of_all_occurrences_in_a_document(store: EmbeddingStore, tmp_path: Path) -> None:
    source = source_of(store, tmp_path / "t", "document", neighbours=2, include_self=True)
    text = "james, James Oslo, JAMES"
    spans = [Span(0, 5, "NAME"), Span(7, 17, "NAME"), Span(19, 24, "NAME")]
    for number in range(100):
        document = Document(f"d{number}", text)
        first, both, last = (edit.replacement for edit in pseudonymize(document, spans, source=source))
        assert first == last.lower() == both.split()[0].lower() != "james"
        reversed_spans = pseudonymize(document, spans[::-1], source=source)
        assert [edit.replacement for edit in reversed_spans] == [last, both, first]


def test_a_word_in_another_case_is_drawn_again(store: EmbeddingStore, tmp_path: Path) -> None:
    assert {name.lower() for name in drawn_pseudonyms(store, tmp_path / "t", "jaMes", 200)} <= {
        "jamesson",
        "henry",
        "robert",
    }


def test_a_word_without_a_vector_is_never_kept(store: EmbeddingStore, tmp_path: Path) -> None:
    text = "Zyxwv 東京 Qq"
    assert unchanged_words(text, written(store, tmp_path / "t", text))[1] == 0


@given(st.text(st.characters(categories=["Nd"]), min_size=1, max_size=8), st.binary(min_size=1, max_size=4))
def test_digits_become_others_of_as_many_and_of_one_script(digits: str, stream: bytes) -> None:
    drawn = draw_digits(digits, b"k" * 32, stream)
    assert drawn != digits
    assert [chr(ord(d) - int(d)) for d in drawn] == [chr(ord(d) - int(d)) for d in digits]


PIECES = st.lists(
    st.sampled_from(["Ann. ", "Bo! ", "\n\n", "\n- x ", "word ", "  ", "of:\n", "Dr. "]), min_size=5, max_size=30
)


@given(PIECES, st.lists(st.integers(0, 60), min_size=2, max_size=8), st.integers(3, 40))
def test_sentences_hold_everything_and_cut_no_span(pieces: list[str], borders: list[int], most: int) -> None:
    text = "".join(pieces)
    inside = sorted({border for border in borders if border <= len(text)})
    spans = list(zip(inside[::2], inside[1::2], strict=False))
    before, sentence_columns.MOST = sentence_columns.MOST, most
    try:
        found = list(sentences_of(text, spans))
    finally:
        sentence_columns.MOST = before
    assert "".join(text[start:end] for start, end in found).split() == text.split() or "".join(
        "".join(text[start:end] for start, end in found).split()
    ) == "".join(text.split())
    for start, end in spans:
        visible = [place for place in range(start, end) if not text[place].isspace()]
        assert sum(any(one <= place < other for place in visible) for one, other in found) <= 1


ODD = """Ann. |Bo! |word |  |Dr. |A. |?" |(X|“É|é.|vs. |xDr. Y|_Dr. Y|.|•|– |\u0663|.) (B|½ |\u00a0|\x1c|\x85|”  1"""
LINES = ["\n\n", "\n- x ", "of:\n", "\n12) ", "\n1234. a", "\n 3. b", " \t\r\n", "\n", "\r\n", "\n\u0663. x"]
TITLES = "Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Rev|No|vs|Fig|Dra|Sra|Srta|approx|etc"
BORDER = regex.compile(
    rf"""
    \n[ \t\r]*(?:\n\s*)+                                             # blank lines
    | \n(?=[ \t]*(?:[-*•·–]|\d{{1,3}}[.)])[ \t])                      # items of lists
    | (?<=[.:;!?])[ \t]*\n                                           # lines that end as sentences do
    | (?<![\p{{Lu}}]\.)(?<!\b(?:{TITLES})\.)(?<=[.!?]["')\]»”]?)\s+(?=["'(\[«“¿¡]?[\p{{Lu}}\p{{Nd}}])
    """,
    regex.VERBOSE,
)


def sentences_by_pattern(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Cut a text at all borders that touch no span's inside."""
    borders = [found.span() for found in BORDER.finditer(text)]
    outside = [(one, end) for one, end in borders if all(other <= one or start >= end for start, other in spans)]
    places = [0, *(place for border in outside for place in border), len(text)]
    found = [text[start:end].strip() for start, end in zip(places[::2], places[1::2], strict=True)]
    return [sentence for sentence in found if sentence]


@given(
    st.lists(st.sampled_from([*ODD.split("|"), *LINES]), max_size=25),
    st.lists(st.integers(0, 60), max_size=8, unique=True),
)
def test_sentences_are_what_is_between_all_that_the_pattern_finds(pieces: list[str], borders: list[int]) -> None:
    text = "".join(pieces)
    inside = sorted(border for border in borders if border <= len(text))
    spans = list(zip(inside[::2], inside[1::2], strict=False))
    assert [text[start:end] for start, end in sentences_of(text, spans)] == sentences_by_pattern(text, spans)


def test_long_texts_without_sentences_are_cut_all_the_same() -> None:
    text = "word " * 100_000
    found = list(sentences_of(text, [(0, 4)]))
    assert max(end - start for start, end in found) <= sentence_columns.MOST
    assert len(found) == -(-len(text) // sentence_columns.MOST)


def test_guesses_are_those_of_who_weighs_frequencies_with_candidates(store: EmbeddingStore, tmp_path: Path) -> None:
    source = source_of(store, tmp_path / "t", neighbours=2)
    likely = likely_names(source.store, source.table)
    expected = sorted(
        (name for name in ("james", "henry", "robert") if "henry" in names_of(store, WORDS.index(name), neighbours=2)),
        key=lambda name: -public_names()[name],
    )
    names = list(public_names())
    assert [names[number] for number in likely.of("henry").tolist()] == expected
    assert not len(likely.of("zyxwv"))
    counts = count_replaced(pairs_of("James 12", "Henry 34"), source.store, source.table)
    place = expected.index("james")
    assert (counts["names"], counts["digits"], counts["words"]) == (1, 1, 1)
    assert (counts["guessed_1"], counts["guessed_10"]) == (place < 1, place < 10)
    assert counts["blind_1"] == (next(iter(public_names())) == "james")


@given(st.lists(st.lists(st.integers(0, 5), max_size=140), min_size=1, max_size=4), st.data())
def test_names_are_guessed_at_the_first_of_their_places(behind: list[list[int]], data: st.DataObject) -> None:
    numbers = {f"p{number}": number for number in range(len(behind))}
    starts = np.cumsum([0, *map(len, behind)])
    likely = LikelyNames(numbers, starts, np.array([name for names in behind for name in names], np.int32))
    pseudonyms = data.draw(st.lists(st.sampled_from([*numbers, "none"]), min_size=1, max_size=9))
    names = [data.draw(st.integers(0, 5)) for _ in pseudonyms]
    first = [likely.of(pseudonym).tolist() for pseudonym in pseudonyms]
    expected = [each.index(name) if name in each else 100 for each, name in zip(first, names, strict=True)]
    assert likely.tries(np.array(names), likely.owners(pseudonyms)).tolist() == expected


@given(st.lists(st.integers(0, 29), min_size=1, max_size=9), st.integers(1, 4))
def test_places_among_candidates_are_those_of_plain_search(rows: list[int], width: int) -> None:
    random = np.random.default_rng(width)
    known = np.flatnonzero(random.random(30) < 0.5)
    candidates = np.array([random.permutation(30)[:width] for _ in known], np.int32)
    for row, lacking in enumerate(random.integers(0, width + 1, len(known)).tolist()):
        candidates[row, width - lacking :] = ABSENT
    others = random.integers(-2, 30, len(rows))
    others[others == ABSENT] = -2
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder), known, candidates, np.zeros(len(known), np.int64))
        table = NeighbourTable(Path(folder))
        own = [table.of(row).tolist() for row in rows]
        found = table.ranks(np.array(rows), others).tolist()
    expected = [
        ABSENT if not each else each.index(other) + 1 if other in each else 0
        for each, other in zip(own, others.tolist(), strict=True)
    ]
    assert found == expected
    plain = {
        int(row): [int(each) for each in own if each != ABSENT] for row, own in zip(known, candidates, strict=True)
    }
    assert own == [plain.get(row, []) for row in rows]


def test_figures_of_pseudonyms_are_those_of_words_one_by_one(store: EmbeddingStore, tmp_path: Path) -> None:
    source = source_of(store, tmp_path / "t")
    pairs = pairs_of("james, James Zyxwv Qqq oslo", "henry, Jamesson Robert Henry Oslo")
    counts = count_replaced(pairs, source.store, source.table)
    names = names_of(store, 0, neighbours=3)
    assert counts["words"] == 5
    assert (counts["without_vector"], counts["unchanged"], counts["subword"]) == (2, 1, 1)
    assert (counts["ranked"], counts["rank"]) == (2, names.index("henry") + names.index("jamesson") + 2)


@given(st.lists(st.text(st.sampled_from("aB3 ,\u0663é🦊\n"), max_size=8), max_size=4))
def test_pairs_of_many_spans_are_those_of_each(originals: list[str]) -> None:
    written = [original.translate(str.maketrans("aB3é🦊", "éx4ab")) for original in originals]
    expected = []
    for both in zip(originals, written, strict=True):
        expected += [
            (one.kind, both[0][one.start : one.end], both[1][other.start : other.end])
            for one, other in zip(*map(tokens_of, both), strict=False)
        ]
    found = pairs_of("\0".join(originals), "\0".join(written))
    assert [*zip(found.words, found.pseudonyms, strict=True)] == [each[1:] for each in expected if each[0] == LETTERS]
    assert found.numbers == sum(each[0] == DIGITS for each in expected)


def test_spans_that_other_numbers_of_words_represent_are_cut_one_by_one() -> None:
    assert pairs_of("Ann Lee\0Bob\0\0Joe", "Eva\0Joe Ray\0\0Max") == (["Ann", "Bob", "Joe"], ["Eva", "Joe", "Max"], 0)


@given(st.text() | st.text(st.sampled_from("aB3 ,\u0663é🦊\u0301$"), max_size=12))
def test_words_and_numbers_are_the_tokens_that_are_no_marks(text: str) -> None:
    tokens = [token for token in tokens_of(text) if token.kind != MARK]
    pieces = around_tokens(text)
    assert "".join(pieces) == text
    assert pieces[1::2] == [text[token.start : token.end] for token in tokens]
    letters = [text[token.start : token.end] for token in tokens if token.kind == LETTERS]
    assert letter_runs(text) == letters
    words, numbers = long_words("\0".join([text.replace("\0", " "), "a 12", text.replace("\0", " ")]))
    expected = [word for word in letters if len(word) > 1]
    assert (words, numbers.tolist()) == (expected * 2, [0] * len(expected) + [2] * len(expected))


@given(st.text(st.characters(max_codepoint=127)))
def test_tokens_of_ascii_are_those_of_all_text(text: str) -> None:
    beside = [token for token in tokens_of(f"{text}\n\n東") if token.start < len(text)]
    assert list(tokens_of(text)) == beside


def test_a_word_that_remains_is_counted_by_the_check() -> None:
    assert unchanged_words("Ann Lee", "Joan LEE") == (2, 1)
    assert unchanged_words("Ann", "Anna") == (1, 0)


WORDED = st.lists(st.tuples(*[st.text(st.sampled_from("aAé \0ß,"), max_size=6)] * 2), max_size=4)


@given(WORDED)
def test_words_that_remain_in_many_texts_are_those_of_each(pairs: list[tuple[str, str]]) -> None:
    each = [unchanged_words(*pair) for pair in pairs]
    found = unchanged_among([one for one, _ in pairs], [other for _, other in pairs])
    assert found == (sum(words for words, _ in each), sum(unchanged for _, unchanged in each))


def test_pseudonyms_are_counted_some_at_a_time_as_all_at_once(
    store: EmbeddingStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(store, tmp_path / "t")
    texts = ["James and Henry", "oslo 12"] * 3
    edits = [[(0, 5, "neighbour", "Robert", "A"), (10, 15, "kept", "", "A")], [(0, 4, "neighbour", "Paris", "A")]] * 3
    struct = pa.struct([(name, pa.string() if n > 1 else pa.int32()) for n, name in enumerate(LabelledEdit._fields)])
    batch = pa.RecordBatch.from_arrays([pa.array(texts), lists_of(edits, struct)], names=["text", "edits"])
    monkeypatch.setattr(figures, "read_groups", lambda path, columns: [batch, batch.slice(1)])
    counted = []
    for together in (1, 2, 1000):
        monkeypatch.setattr(figures, "_TOGETHER", together)
        counted.append(figures._count_part(PartFile("p", 11, 0), store=source.store, table=source.table))
    assert counted[0] == counted[1] == counted[2]
    assert counted[0]["words"] == 11


def test_a_full_stop_after_an_initial_ends_no_sentence() -> None:
    text = "Seen by J. Smith today. Fever is gone."
    assert [text[start:end] for start, end in sentences_of(text, [])] == ["Seen by J. Smith today.", "Fever is gone."]
