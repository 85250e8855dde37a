"""What models of tokens share: attributes are scored by a table of weights, and tags decoded from the scores."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s, UInt8s
from spark_deid.core.span import Span
from spark_deid.learners.array_validation import check_labels, check_lexicon, check_number, check_table, expect
from spark_deid.learners.calibration import UNCALIBRATED, SigmoidCalibration
from spark_deid.learners.folders import ModelFormat, read_folder, write_folder
from spark_deid.learners.lexicon import DocumentLexicon, arrays_of, lexicon_of, no_lexicon
from spark_deid.learners.propagation import add_kinds
from spark_deid.learners.scoring import WeightTable, only_public, score
from spark_deid.text.bio import OUTSIDE, Offsets, decode
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import FeatureSet
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.token_columns.table import TrainingKnowledge
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

MAX_COPY = 1 << 20
MakeExtractor = Callable[[FeatureSet, bytes, Path], FeatureExtractor]
"""Make the extractor of a feature set, a key and the model folder that they are of."""


class TokenScores(NamedTuple):
    """The scores ``[token, column]`` of consecutive tokens, from ``first`` to ``end``."""

    first: int
    end: int
    scores: Float64s


@dataclass(frozen=True, repr=False, kw_only=True)
class TokenModel(ABC):
    """A model whose fields, settings and arrays have the same names, so that ``form`` states what is saved."""

    form: ClassVar[ModelFormat[Any]]

    extractor: FeatureExtractor
    labels: tuple[str, ...]
    table: WeightTable
    lexicon: DocumentLexicon
    kinds: Mapping[str, str]
    sigmoid: SigmoidCalibration = UNCALIBRATED
    outside_bias: float = 0.0
    copy_length: int = 4
    public: UInt8s = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Which slots of the table hold features without words; empty where nothing shows."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Return how many scores a token has."""

    @abstractmethod
    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""

    def with_bias(self, delta: float) -> Self:
        """Return the model with ``delta`` more on the score (or log odds) of O; below 0 it finds more."""
        return replace(self, outside_bias=self.outside_bias + delta)

    def without_words(self) -> Self:
        """Return the model with neither key, features that carry words, nor lexicon; its other weights remain.

        Raises ModelError for a model of a folder that does not distinguish them.
        """
        table = only_public(self.table, self.public, self.width)
        extractor = FeatureExtractor(self.extractor.features.without_words(), b"")
        return replace(self, extractor=extractor, table=table, lexicon=no_lexicon(), public=np.zeros(0, np.uint8))

    def tokens(self, view: TextView) -> tuple[Offsets, Offsets]:
        """Return the starts and ends of tokens in original offsets, without placeholders."""
        return self.extractor.tokenizer(view).visible

    def scored(self, view: TextView, tokens: ViewTokens) -> Iterator[TokenScores]:
        """Yield the scores of consecutive sequences; columns beyond ``width`` are padding."""
        for start, columns, reduced, pieces in self.extractor.windows(view, tokens, self._known):
            for first, end in pieces:
                scores = score(columns, reduced, first, end, self.extractor.templates, self.table, self.width)
                yield TokenScores(start + first, start + end, scores)

    def spans(self, tokens: ViewTokens, tags: Int32s) -> tuple[Span, ...]:
        """Return the spans of tags, changed in place: merged tokens of a kind that always carries a label get it."""
        add_kinds(tags, tokens.arrays.merged, self.kinds, self.labels)
        tags[tokens.is_placeholder] = OUTSIDE
        return decode(tokens.starts, tokens.ends, tokens.is_apart, tags, self.labels)

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        check_labels(self.labels, tuple(self.kinds.values()))
        expect(set(self.kinds) <= set(KINDS), "kinds: expected those of merged tokens")
        expect(0 <= self.copy_length <= MAX_COPY, f"copy_length: expected 0 to {MAX_COPY}")
        expect(self.sigmoid.slope != 0, "slope: expected another number than 0")
        for name in ("slope", "intercept"):
            check_number(name, getattr(self.sigmoid, name))
        check_number("outside_bias", self.outside_bias)
        check_table(self.table, self.width, self.public)
        check_lexicon(self.lexicon.words, self.lexicon.spans, len(self.labels))
        self.extractor.check()

    @cached_property
    def _known(self) -> TrainingKnowledge:
        return self.lexicon.known()

    def save(self, folder: Path) -> None:
        """Write the model into a new or empty folder: JSON and arrays, nothing that runs when read."""
        values = {**vars(self), **self.table._asdict(), **arrays_of(self.lexicon), **self.sigmoid._asdict()}
        values["features"] = self.extractor.features
        settings = self.form.settings(**{name: values[name] for name in self.form.settings.model_fields})
        write_folder(folder, self.form, settings, values, self.extractor.key)
        if self.extractor.tagger:
            self.extractor.tagger.save(folder)

    @classmethod
    def read(cls, folder: Path, key: bytes, make_extractor: MakeExtractor) -> Self:
        """Read a model whose files were checked before; its arrays are mapped into memory.

        Raises ModelError on a folder that is missing, of another version or of another key.
        """
        settings, arrays = read_folder(folder, cls.form, key)
        given = {**dict(settings), **arrays}
        built: dict[str, Any] = {
            "extractor": make_extractor(given["features"], key, folder),
            "table": WeightTable(*(arrays[name] for name in WeightTable._fields)),
            "sigmoid": SigmoidCalibration(given["slope"], given["intercept"]),
            "lexicon": lexicon_of(arrays),
        }
        return cls(**built, **{each.name: given[each.name] for each in fields(cls) if each.name not in built})
