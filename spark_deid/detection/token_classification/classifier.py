"""An exported model at work: a tokenizer and a session of onnxruntime, one of each a process."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.numerics.arrays import Float32s, Int64s
from spark_deid.core.span import Span
from spark_deid.detection.token_classification.decoding import spans_of
from spark_deid.detection.token_classification.export import TOKEN_TYPES, TOKENIZER, TokenClassifierExport

# Long texts in windows that overlap, so that each token is judged with what is around it.


OVERLAP = 4
"""A window shares the fourth part of its tokens with the next."""


class TokenWindow(NamedTuple):
    """The tokens of a window: their ids, and the place of each in the text's tokens; -1 of special ones."""

    ids: Int64s
    places: Int64s


def windows_of(ids: Sequence[int], before: Sequence[int], after: Sequence[int], longest: int) -> Iterator[TokenWindow]:
    """Cut a text's tokens into windows of at most ``longest`` with the special tokens around each.

    >>> [window.places.tolist() for window in windows_of(range(7), [101], [102], 6)]
    [[-1, 0, 1, 2, 3, -1], [-1, 3, 4, 5, 6, -1]]
    """
    size = longest - len(before) - len(after)
    step = size - size // OVERLAP
    for start in range(0, max(1, len(ids) - size // OVERLAP), step):
        own = np.asarray(ids[start : start + size], np.int64)
        places = np.arange(start, start + len(own), dtype=np.int64)
        yield TokenWindow(
            np.concatenate([np.asarray(before, np.int64), own, np.asarray(after, np.int64)]),
            np.concatenate([np.full(len(before), -1), places, np.full(len(after), -1)]),
        )


def join_windows(windows: Sequence[TokenWindow], scores: Sequence[Float32s], tokens: int) -> Float32s:
    """Return each token's scores in the window where it is furthest from a border (tokens x classes)."""
    classes = scores[0].shape[1]
    found = np.zeros((tokens, classes), np.float32)
    distance = np.full(tokens, -1, np.int64)
    for window, own in zip(windows, scores, strict=True):
        real = np.flatnonzero(window.places >= 0)
        places = window.places[real]
        first, last = int(places[0]) if len(places) else 0, int(places[-1]) if len(places) else 0
        # A wider window would show nothing before or after the text.
        left = np.where(first == 0, tokens, places - first)
        right = np.where(last == tokens - 1, tokens, last - places)
        away = np.minimum(left, right)
        better = away > distance[places]
        found[places[better]] = own[real[better]]
        distance[places[better]] = away[better]
    return found


INSTALL = "onnx: models need onnxruntime and tokenizers, which are not installed: pip install 'spark-deid[onnx]'"
_QUIET = 4
_WHOLE = "tensor(int64)"
_KNOWN = _IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"


class TokenClassifier(NamedTuple):
    """A model that is loaded; ``inputs`` are the names of what it takes, ``before`` and ``after`` ids around a text."""

    export: TokenClassifierExport
    tokenizer: Any
    session: Any
    inputs: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    def spans(self, text: str, labels: Mapping[str, str | None], threshold: float) -> list[Span]:
        """Return the entities of a text, with labels instead of the model's names for them."""
        offsets, logits = self.logits(text)
        return [*spans_of(text, offsets, logits, self.export, labels, threshold)]

    def logits(self, text: str) -> tuple[Sequence[tuple[int, int]], Float32s]:
        """Return where a text's tokens stand, in code points, and what the model says of each (tokens x classes)."""
        encoded = self.tokenizer.encode(text, add_special_tokens=False)
        if not encoded.ids:
            return [], np.zeros((0, len(self.export.tags)), np.float32)
        token_types = np.append(TOKEN_TYPES[self.export.token_types](text, encoded.offsets), 0)
        windows = [*windows_of(encoded.ids, self.before, self.after, self.export.longest)]
        scores = [self._scores(window, token_types) for window in windows]
        return encoded.offsets, join_windows(windows, scores, len(encoded.ids))

    def _scores(self, window: TokenWindow, token_types: Int64s) -> Float32s:
        """Return what the model states about a window's tokens; the last of ``token_types`` is that of special ones.

        Several at a time would take longer on one thread, and more memory; and where a model's numbers are quantized by
        what it is given, a token's scores would hang on other windows.
        """
        ids = window.ids[None]
        given = {_IDS: ids, _MASK: np.ones_like(ids), _TYPES: token_types[window.places][None]}
        try:
            found = self.session.run(None, {name: given[name] for name in self.inputs})[0]
        except Exception as error:  # onnxruntime raises separate classes; what they state may quote numbers of a text
            raise ModelError(
                f"{self.export.folder}: the model failed on the tokens of its tokenizer "
                f"({type(error).__name__}). Expected model and tokenizer of the same export"
            ) from None
        if found.shape != (*ids.shape, len(self.export.tags)):
            raise ModelError(
                f"{self.export.folder}: expected scores of {len(self.export.tags)} classes for each token, as many as"
                f" id2label of its config.json has, got an array of shape {found.shape}"
            )
        return np.asarray(found[0], np.float32)


@lru_cache(maxsize=2)
def load_classifier(export: TokenClassifierExport) -> TokenClassifier:
    """Load a model, on one thread, so that it states the same everywhere it runs. Raises UsageError and ModelError."""
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise UsageError(INSTALL) from error
    folder = Path(export.folder)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _QUIET
    try:
        session = onnxruntime.InferenceSession(str(folder / export.model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises separate classes for each fault of a file
        raise ModelError(f"{folder / export.model}: onnxruntime can't load it ({type(error).__name__})") from None
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the tokenizers' parser raises nothing more special
        raise ModelError(
            f"{folder / TOKENIZER}: expected the file of a fast tokenizer ({type(error).__name__})"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # what a text states is text, such as [MASK] of a redacted one
    inputs = tuple(each.name for each in session.get_inputs())
    if _IDS not in inputs or not set(inputs) <= set(_KNOWN):
        raise ModelError(f"{folder / export.model}: expected inputs of {', '.join(_KNOWN)}, got {', '.join(inputs)}")
    if wrong := [each for each in session.get_inputs() if each.type != _WHOLE]:
        raise ModelError(f"{folder / export.model}: expected {wrong[0].name} of {_WHOLE}, got {wrong[0].type}")
    if export.token_types and _TYPES not in inputs:
        raise ModelError(f"{folder / export.model}: expected an input {_TYPES}, since config.json names token_types")
    before, after = _around(tokenizer, folder)
    if export.longest - len(before) - len(after) < 2:
        raise ModelError(f"{folder}: expected room for a text between special tokens")
    return TokenClassifier(export, tokenizer, session, inputs, before, after)


def _around(tokenizer: Any, folder: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the special tokens that a tokenizer puts before a text and behind it."""
    encoded = tokenizer.encode("a")
    plain = [n for n, is_special in enumerate(encoded.special_tokens_mask) if not is_special]
    if not plain:
        raise ModelError(f"{folder / TOKENIZER}: expected a tokenizer that knows letters")
    return tuple(encoded.ids[: plain[0]]), tuple(encoded.ids[plain[-1] + 1 :])
