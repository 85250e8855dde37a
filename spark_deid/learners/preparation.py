"""From examples to what learners train on: tokens with tags, hashed attributes, the train lexicon, kinds of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.learners.background import make_extractor
from spark_deid.learners.base import Example
from spark_deid.learners.crfsuite import Labelled
from spark_deid.learners.following import learn_kinds
from spark_deid.learners.lexicon import Lexicon, Tagged, learn_lexicon, no_lexicon
from spark_deid.learners.scoring import MAX_TAGS
from spark_deid.numerics.arrays import Int32s
from spark_deid.text.bio import OUTSIDE, encode, tag_names
from spark_deid.text.columns.table import Known, nothing_known
from spark_deid.text.extractor import Extractor
from spark_deid.text.features import FeatureSet, feature_set
from spark_deid.text.tokenizer import Tokens
from spark_deid.text.view import View


class Prepared(NamedTuple):
    """An example cut into tokens with their tags, and what the lexicon tells of it."""

    view: View
    tokens: Tokens
    tags: Int32s
    known: Known


@dataclass(frozen=True, repr=False)
class Preparation:
    """All examples of a fit."""

    extractor: Extractor
    labels: tuple[str, ...]
    """All classes, auxiliary ones included."""
    examples: tuple[Prepared, ...]
    lexicon: Lexicon

    def sequences(self, example: Prepared) -> list[Labelled]:
        """Compute the attributes of an example: pieces of bounded length, in order."""
        return [
            Labelled(attributes.copy(), example.tags[first:end])
            for first, end, attributes in self.extractor.sequences(example.view, example.tokens, example.known)
        ]

    def kinds(self) -> dict[str, str]:
        """Return the kinds of merged tokens that always carry one label, with that label."""
        kinds = np.concatenate([each.tokens.arrays.merged for each in self.examples])
        return learn_kinds(kinds, np.concatenate([each.tags for each in self.examples]), self.labels)


def prepare(
    examples: Sequence[Example], features: FeatureSet | str, key: bytes, *, auxiliary: Iterable[str] = ()
) -> Preparation:
    """Cut examples into tokens, tag them, and learn the lexicon where a feature reads it.

    Spans of ``auxiliary`` labels are tagged too, where no span to be found has the token. Raises ModelError without
    any token, or with more labels than a model can tell apart.
    """
    chosen = features if isinstance(features, FeatureSet) else feature_set(features)
    extractor = make_extractor(chosen, key)
    labels = tuple(sorted({*auxiliary, *(span.label for example in examples for span in example.spans)}))
    if len(tag_names(labels)) > MAX_TAGS:
        raise ModelError(f"labels: expected at most {(MAX_TAGS - 1) // 2}, got {len(labels)}")
    cut = [_cut(extractor, example, labels) for example in examples]
    if not any(len(each.tokens) for each in cut):
        raise ModelError("training: expected documents with at least one token")
    lexicon, known = _lexicon(extractor, cut, len(labels))
    told = tuple(each._replace(known=about) for each, about in zip(cut, known, strict=True))
    return Preparation(extractor, labels, told, lexicon)


def _cut(extractor: Extractor, example: Example, labels: Sequence[str]) -> Prepared:
    tokens = extractor.tokenizer(example.view)
    tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
    others = [span for span in example.auxiliary if span.label in labels]
    if others:
        closed = tokens.is_placeholder | (tags != OUTSIDE)
        tags = np.where(closed, tags, encode(tokens.starts, tokens.ends, closed, others, labels))
    return Prepared(example.view, tokens, tags, nothing_known())


def _lexicon(extractor: Extractor, cut: Sequence[Prepared], labels: int) -> tuple[Lexicon, list[Known]]:
    """Return the lexicon of all examples, and what each of them is told."""
    if not extractor.uses_lexicon:
        return no_lexicon(), [nothing_known() for _ in cut]
    learned = learn_lexicon((Tagged(extractor.words(each.view, each.tokens), each.tags) for each in cut), labels)
    return learned.lexicon, [learned.known(number) for number in range(len(cut))]
