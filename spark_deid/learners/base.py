"""The interface of learners and models."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.core.span import Span
from spark_deid.text.view import TextView


class TrainingExample(NamedTuple):
    """A view with the gold spans still to be found in it; offsets are those of the original text.

    ``auxiliary`` are spans of labels that are not to be found: a learner may train on them as further classes,
    which it never marks, since a known place is not a person.
    """

    doc_id: str
    view: TextView
    spans: tuple[Span, ...]
    auxiliary: tuple[Span, ...] = ()


class WordProbabilities(NamedTuple):
    """The words of a text, in original offsets; how probable it is that each is marked, and that it has one label."""

    starts: Int32s
    ends: Int32s
    marked: Float64s
    labelled: Float64s


class FittedModel(Protocol):
    """A fitted model."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that the model can predict, sorted."""

    def tokens(self, view: TextView) -> tuple[Int32s, Int32s]:
        """Return the instances of a view: tokens without placeholders.

        Args:
            view: A view of a text.

        Returns:
            The starts and the ends, in original offsets.
        """

    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return the spans of a view.

        Args:
            view: A view of a text.

        Returns:
            Disjoint spans in order, in original offsets. They touch no removed passage.
        """

    def save(self, folder: Path) -> None:
        """Write the model.

        Args:
            folder: A new folder for the model only.
        """


class ModelLearner(Protocol):
    """A learner makes a model from examples."""

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> FittedModel:
        """Fit a model. Equal examples and seeds give equal models.

        Args:
            examples: Views with their gold spans.
            seed: The seed of all random choices.

        Returns:
            The model.
        """
