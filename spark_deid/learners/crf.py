"""A conditional random field over hashed attributes, fitted by CRFsuite."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.errors import ModelError
from spark_deid.learners.base import Example
from spark_deid.learners.crf_model import CrfModel, load_model
from spark_deid.learners.crfsuite import Labelled, train
from spark_deid.learners.following import learn_kinds
from spark_deid.learners.lexicon import Lexicon, Tagged, learn_lexicon, no_lexicon
from spark_deid.learners.scoring import MAX_TAGS, build_weight_table
from spark_deid.learners.sharing import public_keys, public_slots
from spark_deid.text.bio import encode, tag_names
from spark_deid.text.columns.table import Known, nothing_known
from spark_deid.text.extractor import Extractor
from spark_deid.text.features import FeatureSet, feature_set
from spark_deid.text.tokenizer import Tokens
from spark_deid.text.view import View

__all__ = ["CrfLearner", "CrfModel", "load_model"]


class _Prepared(NamedTuple):
    """An example cut into tokens with their tags."""

    view: View
    tokens: Tokens
    tags: NDArray[np.int32]


@dataclass(frozen=True)
class CrfLearner:
    """Fit a CRF with L-BFGS.

    ``features`` is a feature set or the name of a bundled one; ``key`` hashes the words in it. ``c1`` and ``c2`` weigh
    the penalties; an attribute needs ``min_frequency`` tokens, and so many with one tag. ``outside_bias`` is added to
    the score of O when decoding. Texts of ``copy_length`` characters and more that are found somewhere are marked
    wherever they stand in the document (0: nowhere). Merged tokens of a kind that always carries one label get it.
    """

    features: FeatureSet | str
    key: bytes = field(repr=False)
    c1: float = 0.0
    c2: float = 0.3
    min_frequency: int = 2
    max_iterations: int = 100
    outside_bias: float = 0.0
    copy_length: int = 4

    def fit(self, examples: Sequence[Example], *, seed: int) -> CrfModel:
        """Fit a model; L-BFGS draws nothing, so the seed changes nothing. Raises ModelError without any token."""
        chosen = self.features if isinstance(self.features, FeatureSet) else feature_set(self.features)
        extractor = Extractor(chosen, self.key)
        labels = tuple(sorted({span.label for example in examples for span in example.spans}))
        if len(tag_names(labels)) > MAX_TAGS:
            raise ModelError(f"labels: expected at most {(MAX_TAGS - 1) // 2}, got {len(labels)}")
        prepared = [_prepare(extractor, example, labels) for example in examples]
        if not any(len(each.tokens) for each in prepared):
            raise ModelError("training: expected documents with at least one token")
        lexicon, known = _lexicon(extractor, prepared, len(labels))
        sequences = [
            Labelled(attributes.copy(), each.tags[first:end])
            for each, told in zip(prepared, known, strict=True)
            for first, end, attributes in extractor.sequences(each.view, each.tokens, told)
        ]
        options = {"c1": self.c1, "c2": self.c2, "max_iterations": self.max_iterations}
        weights = train(sequences, tag_names(labels), options, self.min_frequency)
        table = build_weight_table(weights)
        return CrfModel(
            extractor=extractor,
            labels=labels,
            names=weights.names,
            table=table,
            transitions=weights.transitions,
            lexicon=lexicon,
            kinds=_kinds(prepared, labels),
            outside_bias=self.outside_bias,
            copy_length=self.copy_length,
            public=public_slots(table, public_keys(sequences, extractor.templates.secret)),
        )


def _prepare(extractor: Extractor, example: Example, labels: Sequence[str]) -> _Prepared:
    tokens = extractor.tokenizer(example.view)
    tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
    return _Prepared(example.view, tokens, tags)


def _lexicon(extractor: Extractor, prepared: Sequence[_Prepared], labels: int) -> tuple[Lexicon, list[Known]]:
    """Return the lexicon of all examples, and what each of them is told."""
    if not extractor.uses_lexicon:
        return no_lexicon(), [nothing_known() for _ in prepared]
    learned = learn_lexicon((Tagged(extractor.words(each.view, each.tokens), each.tags) for each in prepared), labels)
    return learned.lexicon, [learned.known(number) for number in range(len(prepared))]


def _kinds(prepared: Sequence[_Prepared], labels: Sequence[str]) -> dict[str, str]:
    kinds = np.concatenate([each.tokens.arrays.merged for each in prepared])
    return learn_kinds(kinds, np.concatenate([each.tags for each in prepared]), labels)
