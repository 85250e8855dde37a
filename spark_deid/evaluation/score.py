"""Scores of predicted spans against gold spans."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spark_deid.core.span import Span
from spark_deid.evaluation.counts import MatchCounts, count_documents

Figures = dict[str, float]
_LABELLED = ("strict", "relaxed", "token")


@dataclass(frozen=True)
class MatchScores:
    """Read scores off counts.

    - ``strict``: same start, end and label, as sets; a discontinuous annotation counts by its hull.
    - ``relaxed``: same start and label, ends at most two characters apart, paired one to one (the relaxed score of
      i2b2 2014); both are over spans as given, so predicted spans may overlap each other.
    - ``token``: word tokens (``\\w+``) with a label; a span gives its label to every word that it touches, so a word
      can have several labels. ``binary_token`` asks only whether a word has any.
    - ``publish_ratio``: word tokens that no predicted span touches over all word tokens.
    - ``entity_recall``: gold entities all of whose mentions are covered (every word of every mention touched by some
      predicted span, of whatever label) over all gold entities. Spans carry no entity id, so the mentions of one
      entity are those of one document with the same label and the same surface after case folding and whitespace
      normalization; an entity without a word token is not counted.

    A ratio of nothing is 0, but the publish ratio of a corpus without words is 1.
    """

    counts: MatchCounts

    @property
    def documents(self) -> int:
        """Return the number of documents scored."""
        return self.counts["documents", "", "all"]

    @property
    def publish_ratio(self) -> float:
        """Return the fraction of word tokens that no predicted span touches."""
        total = self.counts["words", "", "all"]
        return self.counts["words", "", "kept"] / total if total else 1.0

    @property
    def entity_recall(self) -> float:
        """Return the fraction of gold entities all of whose mentions are covered."""
        return _ratio(self.counts["entities", "", "kept"], self.counts["entities", "", "all"])

    @property
    def strays(self) -> int:
        """Return the number of spans whose document was not among the documents; they are in no score."""
        return self.counts["strays", "", "all"]

    def micro(self, measure: str) -> Figures:
        """Return precision, recall and f1 of ``strict``, ``relaxed``, ``token`` or ``binary_token`` over all labels."""
        return self._figures(measure, self.counts.labels(measure))

    def by_label(self, measure: str) -> dict[str, Figures]:
        """Return precision, recall and f1 of every label that gold or prediction has, and how often gold has it."""
        return {
            label: {**self._figures(measure, (label,)), "support": self.counts[measure, label, "gold"]}
            for label in self.counts.labels(measure)
        }

    def to_json(self) -> dict[str, object]:
        """Return the scores under the keys of the contract.

        >>> scores = evaluate([("I am Ann.", [Span(5, 8, "NAME")], [Span(5, 8, "NAME")])])
        >>> list(scores.to_json())
        ['documents', 'publish_ratio', 'entity_recall', 'strict', 'relaxed', 'token', 'binary_token']
        >>> scores.to_json()["strict"]["micro"]
        {'precision': 1.0, 'recall': 1.0, 'f1': 1.0}
        """
        return {
            "documents": self.documents,
            "publish_ratio": self.publish_ratio,
            "entity_recall": self.entity_recall,
            **{measure: {"micro": self.micro(measure), "labels": self.by_label(measure)} for measure in _LABELLED},
            "binary_token": {"micro": self.micro("binary_token")},
        }

    def of_labels(self, known: Collection[str]) -> dict[str, object]:
        """Return the scores as ``to_json`` does, without the figures of labels that are not among these."""
        scores: dict[str, Any] = self.to_json()
        for measure in _LABELLED:
            chosen = {label: figures for label, figures in scores[measure]["labels"].items() if label in known}
            scores[measure] = scores[measure] | {"labels": chosen}
        return scores

    def _figures(self, measure: str, labels: Iterable[str]) -> Figures:
        labels = tuple(labels)
        matched, gold, predicted = (
            sum(self.counts[measure, label, kind] for label in labels) for kind in ("matched", "gold", "predicted")
        )
        return {
            "precision": _ratio(matched, predicted),
            "recall": _ratio(matched, gold),
            "f1": _ratio(2 * matched, gold + predicted),
        }


def evaluate(pairs: Iterable[tuple[str, Sequence[Span], Sequence[Span]]]) -> MatchScores:
    """Score documents, each its text, its gold and its predicted spans; ``MatchScores`` states by which rules."""
    return MatchScores(count_documents(pairs))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
