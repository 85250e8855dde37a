"""Columns against plain Python: integers are compared, hashes by whether they are equal where the reference is."""

import pickle
import re
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.text.column_layout import PAD
from spark_deid.text.extractor import WordMemories
from spark_deid.text.kernels.hashing import salt
from spark_deid.text.token_columns.table import COLUMNS, fill_columns, nothing_known
from spark_deid.text.token_columns.word import word_memory
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import load_vocabulary

KEY = np.array([1, 2], np.uint64)
PLAIN = ViewTokenizer(vocabulary=load_vocabulary(("es",)), merged=False)
PARTS = [
    "Ana",
    "ana",
    "ANA",
    "de",
    "Paz",
    "Hospital",
    "madre",
    "28012",
    "12",
    ":",
    ": ",
    "\n",
    " ",
    "(",
    ")",
    ",",
    ".",
    "-",
]
TEXTS = st.lists(st.sampled_from([*PARTS, "é\u0301", "😀"]), max_size=24).map("".join)


class Reading:
    """The columns of a text by name, and its tokens as strings."""

    def __init__(self, text: str, removed: tuple[Span, ...] = ()) -> None:
        view = TextView(text, removed)
        self.tokens = PLAIN(view)
        placeholders = np.array([salt(label) for label in view.classes], np.uint64)
        self.table = fill_columns(self.tokens, KEY, placeholders, nothing_known(), word_memory(2))
        self.words = [text[a:b] for a, b in zip(self.tokens.starts, self.tokens.ends, strict=True)]
        ends = [0, *self.tokens.ends][: len(self.words)]
        gaps = [text[end:start] for end, start in zip(ends, self.tokens.starts, strict=True)]
        self.opens_line = [i == 0 or "\n" in gap for i, gap in enumerate(gaps)]

    def __getitem__(self, name: str) -> list[int]:
        row = [column.name for column in COLUMNS].index(name)
        return [int(value) for value in self.table[row, PAD : PAD + len(self.words)]]

    def lines(self) -> list[tuple[int, int]]:
        """Yield first token and end of each line."""
        firsts = [i for i, opens in enumerate(self.opens_line) if opens]
        return list(zip(firsts, [*firsts, len(self.words)][1:], strict=bool(firsts)))


def same_classes(hashes: list[int], reference: Sequence[object]) -> bool:
    """Return whether two rows of values are equal in the same places; None represents 0."""
    pairs = set(zip(hashes, [0 if value is None else (value,) for value in reference], strict=True))
    return (
        len(pairs) == len({left for left, _ in pairs}) == len({right for _, right in pairs})
        and all((left == 0) == (right == 0) for left, right in pairs)
    )  # fmt: skip


def shape(word: str) -> str:
    signs = ("X" if c.isupper() else "d" if c.isdigit() else "x" if c.isalpha() else c for c in word if c != "\u0301")
    return "".join(signs)


@given(TEXTS)
def test_the_token_only(text: str) -> None:
    reading = Reading(text)
    words = reading.words
    assert same_classes(reading["word"], words)
    assert same_classes(reading["lower"], [word.lower() for word in words])
    assert same_classes(reading["shape"], [shape(word) for word in words])
    assert same_classes(reading["short"], [re.sub(r"(.)\1+", r"\1", shape(word)) for word in words])
    for k in range(1, 5):
        assert same_classes(reading[f"prefix{k}"], [word.lower()[:k] if len(word) >= k else None for word in words])
        assert same_classes(reading[f"suffix{k}"], [word.lower()[-k:] if len(word) >= k else None for word in words])
    assert reading["length"] == [min(len(word), 10) for word in words]
    assert reading["case"] == [2 if word[0].isupper() else 1 for word in words]


@given(TEXTS)
def test_lines_and_field_labels(text: str) -> None:
    reading = Reading(text)
    words = reading.words
    lines = reading.lines()
    labels, headers, following = [], [], []
    for first, end in lines:
        label, header = "none", None
        for i in range(first, end):
            labels.append(label)
            if words[i] == ":" and i > first:
                before: list[str] = []
                for j in range(i - 1, first - 1, -1):
                    if len(before) == 4 or not (words[j][0].isalpha() or words[j] in "/-"):
                        break
                    before.append(words[j].lower())
                label = before[0] if before else "odd"
                if before and header is None and i - first < 7:
                    header = tuple(before)
        headers += [header or "none"] * (end - first)
        for i in range(first, end):
            colons = [j for j in range(i, end) if words[j] == ":"]
            near = colons and colons[0] - i <= 6
            following.append((words[colons[0] - 1].lower() if colons[0] else "end") if near else None)
    assert same_classes(reading["label"], labels)
    assert same_classes(reading["header"], headers)
    assert same_classes(reading["next.label"], following)
    assert reading["line"] == [
        min(number, 24) + 1 for number, (first, end) in enumerate(lines) for _ in range(first, end)
    ]
    assert reading["line.place"] == [min(i - first, 6) + 1 for first, end in lines for i in range(first, end)]
    assert reading["line.rest"] == [min(end - 1 - i, 4) + 1 for first, end in lines for i in range(first, end)]


@given(TEXTS)
def test_runs_of_capitalised_words(text: str) -> None:
    reading = Reading(text)
    words = reading.words
    connectors = load_vocabulary(("es",)).words["connector"]
    first_words: list[str | None] = [None] * len(words)
    places, sizes = ([0] * len(words) for _ in range(2))
    i = 0
    while i < len(words):
        if not words[i][0].isupper():
            i += 1
            continue
        last = j = i
        while j + 1 < len(words) and not reading.opens_line[j + 1]:
            j += 1
            if words[j][0].isupper():
                last = j
            elif not (words[j].lower() in connectors or words[j] == "-"):
                break
        for k in range(i, last + 1):
            first_words[k], places[k], sizes[k] = words[i].lower(), min(k - i, 4) + 1, min(last + 1 - i, 8)
        i = last + 1
    assert same_classes(reading["run.first"], first_words)
    assert reading["run.place"] == places
    assert reading["run.size"] == sizes


@given(TEXTS)
def test_words_seen_in_lower_case_too_and_how_often(text: str) -> None:
    reading = Reading(text)
    lower = [word.lower() for word in reading.words]
    capital = [word[0].isupper() for word in reading.words]
    counts = [min(lower.count(word), 4) if up else 0 for word, up in zip(lower, capital, strict=True)]
    small = {word for word in reading.words if word[0].islower()}
    assert reading["seen.count"] == counts
    assert reading["seen.lower"] == [int(up and word in small) for word, up in zip(lower, capital, strict=True)]


@given(TEXTS)
def test_distances_within_the_line(text: str) -> None:
    reading = Reading(text)
    words = reading.words
    keywords = load_vocabulary(("es",)).words["keyword"]
    expected, since_code = [], []
    for first, end in reading.lines():
        for i in range(first, end):
            last = [j for j in range(first, i + 1) if words[j].lower() in keywords]
            expected.append(words[last[-1]].lower() if last and i - last[-1] <= 9 else None)
            codes = [j for j in range(first, i + 1) if re.fullmatch(r"\d{5}", words[j])]
            since_code.append(i - codes[-1] + 1 if codes and i - codes[-1] <= 8 else 0)
    assert same_classes(reading["keyword"], expected)
    assert reading["postal.since"] == since_code


@given(TEXTS)
def test_brackets(text: str) -> None:
    reading = Reading(text)
    words = reading.words
    before: list[str | None] = [None] * len(words)
    parts = [0] * len(words)
    opening = None
    for i, word in enumerate(words):
        if word == "(":
            opening = i
        elif word == ")" and opening is not None:
            if 2 <= i - opening <= 16:
                for j in range(opening + 1, i):
                    before[j] = words[opening - 1].lower() if opening else "start"
                    parts[j] = 1 + min(words[opening + 1 : j + 1].count(","), 3)
            opening = None
    assert same_classes(reading["bracket.before"], before)
    assert reading["bracket.part"] == parts


@given(TEXTS, st.data())
def test_columns_depend_on_what_is_shown_only(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    removed = (Span(start, end, "NAME"),) if start < end else ()
    other = "x y:\n(9)" if removed else ""
    changed = (Span(start, start + len(other), "NAME"),) if removed else ()
    first = Reading(text, removed).table
    second = Reading(text[:start] + other + text[end:], changed).table
    assert first.shape == second.shape
    assert (first == second).all()


def test_every_column_is_within_its_table_of_any_text() -> None:
    for text in ("", " ", "a", ":" * 9, "(" * 40 + ")" * 40, "A\n" * 100, "\u0301" * 5, "a@" * 20):
        assert Reading(text).table.shape[0] == len(COLUMNS)


@given(st.lists(st.text(max_size=40), max_size=12), st.sampled_from([2, 8]))
def test_words_that_are_remembered_have_the_columns_of_new_ones(texts: list[str], entries: int) -> None:
    """A memory of few words is emptied again and again; its answers never differ, after any earlier reads."""
    placeholders = np.array([salt("NAME")], np.uint64)
    memory = word_memory(entries)
    sizes = [array.nbytes for array in memory]
    for text in texts:
        removed = (Span(1, 2, "NAME"),) if len(text) > 2 else ()
        tokens = PLAIN(TextView(text, removed))
        remembered, new = (
            fill_columns(tokens, KEY, placeholders, nothing_known(), words) for words in (memory, word_memory())
        )
        assert (remembered == new).all()
    assert [array.nbytes for array in memory] == sizes


def test_a_memory_belongs_to_one_thread_and_is_not_sent_elsewhere() -> None:
    memories = WordMemories()
    with memories.borrowed() as one, memories.borrowed() as other:
        assert one is not other
    with memories.borrowed() as again:
        assert again is other or again is one
    assert pickle.loads(pickle.dumps(memories))._free == []
