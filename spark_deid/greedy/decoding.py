"""How a fitted model turns scores into spans: Viterbi with a bias on O, or a threshold on marginals."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.learners.base import FittedModel

BIASES = (0.0, -0.25, -0.5, -0.75, -1.0, -1.25, -1.5)
"""What cross-validation may add to the score of O; below 0 the model finds more."""
THRESHOLDS = (*(1 / (1 + 10 ** (power / 8)) for power in range(24, -13, -1)), 1.0)
"""What a publish budget chooses from, lowest first: even steps of the odds from .001 to 30; the last finds nothing."""


class DecodingRule(NamedTuple):
    """Add ``bias`` to the score of O; where ``threshold`` is given, take tokens whose probability exceeds it."""

    bias: float = 0.0
    threshold: float | None = None


PLAIN = DecodingRule()


@runtime_checkable
class AdjustableModel(Protocol):
    """A model that can be decoded in other ways without another fit; each call gives a cheap copy."""

    def with_bias(self, delta: float) -> FittedModel:
        """Return the model with ``delta`` added to the score of O at every token."""

    def with_threshold(self, threshold: float) -> FittedModel:
        """Return the model that marks a token where the probability of any label exceeds the threshold."""


def decode_as(model: FittedModel, decoding: DecodingRule) -> FittedModel:
    """Return a model that decodes as reported.

    Raises UsageError where the model has one decoding only, and another is asked for.
    """
    if decoding == PLAIN:
        return model
    if not isinstance(model, AdjustableModel):
        raise UsageError("decoding: this learner has only its built-in decoding. Set viterbi")
    if decoding.threshold is not None:
        return model.with_threshold(decoding.threshold)
    return model.with_bias(decoding.bias)


def feasible_candidates(model: FittedModel, candidates: tuple[DecodingRule, ...]) -> tuple[DecodingRule, ...]:
    """Return the candidates that this model can follow."""
    return candidates if isinstance(model, AdjustableModel) else (PLAIN,)


def cost_sensitive(loss_ratio: float) -> DecodingRule:
    """Return the decoding that removes where ``p > C / (L + C)``."""
    return DecodingRule(threshold=1 / (1 + loss_ratio))


def list_candidates(config: TrainConfig) -> tuple[DecodingRule, ...]:
    """Return the decodings among which a round chooses.

    A bias is chosen out of fold only: on its own training data a model needs none.
    """
    if config.publish_budget is not None:
        return tuple(DecodingRule(threshold=threshold) for threshold in THRESHOLDS)
    if config.decoding == "cost":
        return (cost_sensitive(config.loss_ratio),)
    return tuple(DecodingRule(bias) for bias in BIASES) if config.counts == "oof" else (PLAIN,)


# Spans of a model fitted to whole words: "Abernathy" to "Abernathy-Wills", and "Abernathy." without its full stop.


_REST = re.compile(r"-[^\W\d_][\w'’]*(?:-[^\W\d_][\w'’]*)*")
_NUMBERS = re.compile(r"/[0-9]{1,2}(?:/[0-9]{2,4})?(?![\w/])")
_LONGEST = 64
_MARKS = ".,;:!?"
"""They show no one's name, and readers miss them; inside a span they remain hidden."""


def whole_words(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Widen each span to the words with hyphens at its ends, and to the numbers that continue with what it ends in.

    Half of a name in two parts shows the person as the whole does. "/5" of a day that a span cuts does the same. Parts
    of a word belong together if the part next to the span begins with a capital. Marks that a sentence is cut by remain
    in the text where a span begins or ends with them; spans of such marks only are omitted.

    >>> text = "Dear Ann Abernathy-Wills."
    >>> found = (Span(5, 18, "NAME"), Span(9, 25, "NAME"), Span(24, 25, "NAME"))
    >>> [text[span.start : span.end] for span in whole_words(text, found)]
    ['Ann Abernathy-Wills', 'Abernathy-Wills']
    """
    for span in spans:
        start, end = _unmarked(text, span.start, span.end)
        if start == end:
            continue
        start, end = _start(text, start), _end(text, end)
        yield span if (start, end) == (span.start, span.end) else span._replace(start=start, end=end)


def _unmarked(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[end - 1] in _MARKS:
        end -= 1
    while start < end and text[start] in _MARKS:
        start += 1
    return start, end


def _end(text: str, end: int) -> int:
    mark, last = text[end : end + 1], text[end - 1 : end]
    if mark == "-" and last.isalpha() and text[end + 1 : end + 2].isupper():
        rest = _REST.match(text, end, end + _LONGEST)
        return rest.end() if rest else end
    if mark == "/" and last.isdigit():
        rest = _NUMBERS.match(text, end)
        return rest.end() if rest else end
    return end


def _start(text: str, start: int) -> int:
    if text[start - 1 : start] != "-" or not text[start : start + 1].isupper():
        return start
    place = start - 1
    while place > max(0, start - _LONGEST) and (text[place - 1].isalnum() or text[place - 1] in "'’-"):
        place -= 1
    return place if text[place : place + 1].isupper() else start
