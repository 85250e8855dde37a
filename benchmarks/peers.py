"""The same labelling the python-crfsuite way: features as strings or dictionaries, made in Python, token by token."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pycrfsuite

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.span import Span
from spark_deid.learners.lexicon import no_lexicon
from spark_deid.text.bio import decode, encode, tag_names
from spark_deid.text.column_layout import PAD
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import feature_set
from spark_deid.text.token_columns.table import COLUMNS
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

Items = list[Any]
Featurize = Callable[[str], Iterator[Items]]
NO_KEY = b"no secret in a benchmark"


def shape(word: str) -> str:
    return "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)


def short(signs: str) -> str:
    return "".join(c for i, c in enumerate(signs) if not i or signs[i - 1] != c)


def of_word(word: str) -> list[tuple[str, str]]:
    """The features of HIDE that look at one word only."""
    lower, signs = word.lower(), shape(word)
    features = [("word", word), ("lower", lower), ("shape", signs), ("short", short(signs))]
    features += [("length", str(min(len(word), 10))), ("case", str(word[0].isupper()))]
    features += [(f"prefix{k}", lower[:k]) for k in range(1, 5) if len(word) >= k]
    return features + [(f"suffix{k}", lower[-k:]) for k in range(1, 5) if len(word) >= k]


def look(word: str) -> tuple[str, str, str]:
    """Lower case, shape and short shape of a word; of no word beyond the text's ends."""
    signs = shape(word)
    return word.lower(), signs, short(signs)


def around(looks: Sequence[tuple[str, str, str]], i: int) -> Iterator[tuple[str, str]]:
    """The features of HIDE that look at the neighbours; ``looks`` has two places more at either end."""
    second, first, here, after, last = looks[i : i + 5]
    yield "lower[-2]", second[0]
    yield "lower[-1]", first[0]
    yield "lower[+1]", after[0]
    yield "lower[+2]", last[0]
    yield "short[-2]", second[2]
    yield "short[-1]", first[2]
    yield "short[+1]", after[2]
    yield "short[+2]", last[2]
    yield "shape[-1]", first[1]
    yield "shape[+1]", after[1]
    yield "before", f"{first[0]} {here[0]}"
    yield "after", f"{here[0]} {after[0]}"
    yield "shorts", f"{first[2]} {here[2]} {after[2]}"


def hide_lists(words: Sequence[str]) -> Items:
    """Lists of strings; what looks at a word only is computed once a document."""
    alone = {word: [f"{name}={value}" for name, value in of_word(word)] for word in set(words)}
    seen = {word: look(word) for word in {"", *words}}
    looks = [seen[word] for word in ("", "", *words, "", "")]
    return [[*alone[word], *(f"{name}={value}" for name, value in around(looks, i))] for i, word in enumerate(words)]


def hide_dictionaries(words: Sequence[str]) -> Items:
    """Dictionaries, as in the tutorials."""
    looks = [look(word) for word in ("", "", *words, "", "")]
    return [dict([*of_word(word), *around(looks, i)]) for i, word in enumerate(words)]


def rich_features(
    extractor: FeatureExtractor, view: TextView, tokens: ViewTokens
) -> Iterator[tuple[int, int, list[list[tuple[str, str]]]]]:
    """Write out every template in Python; the columns, which a Python program would have to make, are given away."""
    names = {column.name: row for row, column in enumerate(COLUMNS)}
    templates = [(str(t), [(names[name], offset) for name, offset in t.cells]) for t in extractor.features.parsed()]
    kept = extractor.templates.kept.tolist()
    for start, columns, reduced, pieces in extractor.windows(view, tokens, no_lexicon().known()):
        rows = columns.tolist()
        few = reduced.tolist()
        for first, end in pieces:
            items = []
            for t in range(first + PAD, end + PAD):
                item = []
                for (name, cells), always in zip(templates, kept, strict=True):
                    if few[t - PAD] and not always:
                        continue
                    values = [rows[row][t + offset] for row, offset in cells]
                    if all(values):
                        item.append((name, "|".join(map(str, values))))
                items.append(item)
            yield start + first, start + end, items


class Peer:
    """A python-crfsuite tagger with the features of a set, as lists of strings or as dictionaries.

    ``tuples`` are lists too, of every template of the set as it occurs.
    """

    def __init__(self, extractor: FeatureExtractor, form: str) -> None:
        self._extractor = extractor
        self._form = form
        self._tagger = pycrfsuite.Tagger()

    def items(self, text: str) -> Iterator[tuple[ViewTokens, int, int, Items]]:
        """Yield what is given to CRFsuite for each piece of a text; tokens are cut by compiled code, for every peer."""
        view = TextView(text)
        tokens = self._extractor.tokenizer(view)
        if self._extractor.features.name != "hide" or self._form == "tuples":
            for first, end, rows in rich_features(self._extractor, view, tokens):
                listed = self._form != "dictionaries"
                lists = [[f"{name}={value}" for name, value in row] for row in rows] if listed else None
                yield tokens, first, end, lists if lists is not None else [dict(row) for row in rows]
            return
        words = [text[a:b] for a, b in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]
        if words:
            yield tokens, 0, len(words), (hide_lists if self._form == "lists" else hide_dictionaries)(words)

    def train(self, documents: Sequence[Any], labels: Sequence[str], path: Path, iterations: int) -> None:
        trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
        trainer.set_params({"c1": 0, "c2": 0.3, "max_iterations": iterations, "feature.minfreq": 2})
        names = tag_names(labels)
        for document in documents:
            for tokens, first, end, items in self.items(document.text):
                closed = np.zeros(len(tokens), np.bool_)
                tags = encode(tokens.starts, tokens.ends, closed, document.spans, labels)[first:end]
                trainer.append(items, [names[tag] for tag in tags.tolist()])
        trainer.train(str(path))
        self._tagger.open(str(path))

    def open(self, path: Path) -> "Peer":
        self._tagger.open(str(path))
        return self

    def tags(self, text: str) -> Iterator[tuple[ViewTokens, int, int, list[str]]]:
        """Label a text: yield its tokens, and the first, the end and the tags of each piece."""
        for tokens, first, end, items in self.items(text):
            yield tokens, first, end, self._tagger.tag(items)

    def tag(self, text: str) -> int:
        """Label a text; return its number of tokens."""
        return sum(end - first for _, first, end, _ in self.tags(text))

    def spans(self, text: str, labels: Sequence[str]) -> Iterator[Span]:
        """Yield the spans that a text's tags represent."""
        numbers = {name: number for number, name in enumerate(tag_names(labels))}
        for tokens, first, end, tags in self.tags(text):
            found = np.array([numbers[tag] for tag in tags], np.int32)
            apart = tokens.is_apart[first:end]
            yield from decode(tokens.starts[first:end], tokens.ends[first:end], apart, found, labels)

    def sequences(self, texts: Sequence[str]) -> list[tuple[Any, int]]:
        """Make CRFsuite's own sequences beforehand, with their sizes."""
        made = (items for text in texts for _, _, _, items in self.items(text))
        return [(pycrfsuite.ItemSequence(items), len(items)) for items in made]

    def tag_sequences(self, sequences: Sequence[tuple[Any, int]]) -> int:
        for sequence, _ in sequences:
            self._tagger.tag(sequence)
        return sum(size for _, size in sequences)


def tag_batches(
    incoming: Iterator[pa.RecordBatch], *, features: str, path: str, labels: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    """Find spans in batches of texts, on a worker of Spark, with feature lists."""
    peer = _opened(features, path)
    for batch in incoming:
        ids, texts = batch.column("doc_id").to_pylist(), batch.column("text").to_pylist()
        found = ((doc_id, peer.spans(text, labels)) for doc_id, text in zip(ids, texts, strict=True))
        yield from gather_batches(((doc_id, *span) for doc_id, spans in found for span in spans), tables.SPANS)


@lru_cache(maxsize=1)
def _opened(features: str, path: str) -> Peer:
    return Peer(FeatureExtractor(feature_set(features), NO_KEY), "lists").open(Path(path))
