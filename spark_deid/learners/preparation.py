"""From examples to what learners train on: tokens with tags, hashed attributes, the train lexicon, kinds of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Int32s
from spark_deid.learners.background import make_extractor
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.chain import LabelledSequence
from spark_deid.learners.lexicon import DocumentLexicon, TaggedDocument, learn_lexicon, no_lexicon
from spark_deid.learners.propagation import learn_kinds
from spark_deid.learners.scoring import MAX_TAGS
from spark_deid.text.bio import OUTSIDE, encode, tag_names
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import FeatureSet, feature_set
from spark_deid.text.token_columns.table import TrainingKnowledge, nothing_known
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView


class PreparedExample(NamedTuple):
    """An example cut into tokens with their tags, and what the lexicon reveals it."""

    view: TextView
    tokens: ViewTokens
    tags: Int32s
    known: TrainingKnowledge


@dataclass(frozen=True, repr=False)
class FitPreparation:
    """All examples of a fit."""

    extractor: FeatureExtractor
    labels: tuple[str, ...]
    """All classes, auxiliary ones included."""
    examples: tuple[PreparedExample, ...]
    lexicon: DocumentLexicon

    def sequences(self, example: PreparedExample) -> list[LabelledSequence]:
        """Compute the attributes of an example: pieces of bounded length, in order."""
        return [
            LabelledSequence(attributes.copy(), example.tags[first:end])
            for first, end, attributes in self.extractor.sequences(example.view, example.tokens, example.known)
        ]

    def kinds(self) -> dict[str, str]:
        """Return the kinds of merged tokens that always carry one label, with that label."""
        kinds = np.concatenate([each.tokens.arrays.merged for each in self.examples])
        return learn_kinds(kinds, np.concatenate([each.tags for each in self.examples]), self.labels)


def prepare(
    examples: Sequence[TrainingExample], features: FeatureSet | str, key: bytes, *, auxiliary: Iterable[str] = ()
) -> FitPreparation:
    """Cut examples into tokens, tag them, and learn the lexicon where a feature reads it.

    Spans of ``auxiliary`` labels are tagged too, where no span to be found has the token. Raises ModelError without
    any token, or with more labels than a model can distinguish.
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
    informed = tuple(each._replace(known=about) for each, about in zip(cut, known, strict=True))
    return FitPreparation(extractor, labels, informed, lexicon)


def _cut(extractor: FeatureExtractor, example: TrainingExample, labels: Sequence[str]) -> PreparedExample:
    tokens = extractor.tokenizer(example.view)
    tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
    others = [span for span in example.auxiliary if span.label in labels]
    if others:
        closed = tokens.is_placeholder | (tags != OUTSIDE)
        tags = np.where(closed, tags, encode(tokens.starts, tokens.ends, closed, others, labels))
    return PreparedExample(example.view, tokens, tags, nothing_known())


def _lexicon(
    extractor: FeatureExtractor, cut: Sequence[PreparedExample], labels: int
) -> tuple[DocumentLexicon, list[TrainingKnowledge]]:
    """Return the lexicon of all examples, and the knowledge that each of them gets."""
    if not extractor.uses_lexicon:
        return no_lexicon(), [nothing_known() for _ in cut]
    learned = learn_lexicon(
        (TaggedDocument(extractor.words(each.view, each.tokens), each.tags) for each in cut), labels
    )
    return learned.lexicon, [learned.known(number) for number in range(len(cut))]
