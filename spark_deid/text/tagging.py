"""Part-of-speech taggers: averaged perceptrons of nltk by their folder, or those that installed packages bring.

``english-pos`` comes with the package (``resources/train_tagger.py`` trains it). Another package provides a tagger with
an entry point of the group ``spark_deid.taggers`` whose value makes one when called without arguments. Nothing is ever
downloaded: users fetch nltk's own data and name its folder.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import ModelError, SparkDeidError, UsageError
from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.text.kernels.hashing import salt
from spark_deid.text.kernels.tokens import LINE_BREAK
from spark_deid.text.tokenizer import ViewTokens

GROUP = "spark_deid.taggers"
NLTK = "nltk"
BUNDLED = "english-pos"
"""The tagger of English that comes with the package; a model that uses it keeps a copy, as of any folder."""
FOLDER = "tagger"
"""Where a model folder keeps the files of its tagger."""
PARTS = ("weights", "tagdict", "classes")
REMOVED = "Xxxx"
"""The word that a tagger gets instead of a removed piece of any class: a word it does not know."""


class TaggerError(SparkDeidError):
    """A tagger that gave something else than a tag for each word."""


class LineTagger(Protocol):
    """What tags the words of a line."""

    def tag(self, words: Sequence[str]) -> Sequence[str]:
        """Return a tag for each word."""


class TaggerUse(BaseModel):
    """A tagger by its name (``nltk``, or that of an installed one), its folder when trained with, and its digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    place: str = ""
    sha256: str = ""


@dataclass(frozen=True, repr=False)
class PartsOfSpeech:
    """An opened tagger; sent elsewhere, it is opened there again."""

    use: TaggerUse
    folder: str
    tagger: LineTagger

    def hashes(self, tokens: ViewTokens) -> UInt64s:
        """Tag the tokens of a view line by line; return the hash of each token's tag, 0 for removed pieces."""
        found = np.array([_hash(tag) for tag in self.tags(tokens)], np.uint64)
        found[tokens.is_placeholder] = 0
        return found

    def tags(self, tokens: ViewTokens) -> list[str]:
        """Tag the tokens of a view line by line."""
        words = _words(tokens)
        begins = np.flatnonzero(tokens.arrays.gaps[: len(words)] == LINE_BREAK).tolist()
        borders = [0, *(begin for begin in begins if begin), len(words)]
        tags: list[str] = []
        for first, end in pairwise(borders):
            if end > first:
                tags += self._tagged(words[first:end])
        return tags

    def save(self, folder: Path) -> None:
        """Copy a tagger's files beside a model, so that the model needs nothing else; installed ones have none."""
        if self.folder:
            (folder / FOLDER).mkdir(mode=0o700)
            for name, content in _files(Path(self.folder)).items():
                (folder / FOLDER / f"tagger.{name}.json").write_bytes(content)

    def _tagged(self, words: list[str]) -> list[str]:
        tags = list(self.tagger.tag(words))
        if len(tags) != len(words) or not all(isinstance(tag, str) for tag in tags):
            raise TaggerError(f"tagger {self.use.name}: expected a tag for each of {len(words)} words")
        return tags

    def __reduce__(self) -> tuple[object, ...]:
        return open_tagger, (self.use, self.folder)


def tagger_use(place: str) -> TaggerUse | None:
    """Return what a model states about a tagger: ``nltk:FOLDER``, ``english-pos`` or an installed one; None for none.

    Raises UsageError if it is missing.
    """
    if not place:
        return None
    name, _, folder = (NLTK, "", str(_bundled())) if place == BUNDLED else place.partition(":")
    if name == NLTK and folder:
        return TaggerUse(name=NLTK, place=str(Path(folder).resolve()), sha256=_digest(Path(folder)))
    if place not in _installed():
        known = ", ".join((BUNDLED, *_installed()))
        raise UsageError(f"tagger: expected nltk:FOLDER, or an installed one ({known}), got {place!r}")
    return TaggerUse(name=place)


def open_packed(use: TaggerUse, model: Path | None) -> PartsOfSpeech:
    """Open the tagger of a model, from its copy in the model's folder if there is one."""
    copied = model is not None and (model / FOLDER).is_dir()
    return open_tagger(use, str(model / FOLDER) if model is not None and copied else use.place)


@lru_cache(maxsize=8)
def open_tagger(use: TaggerUse, folder: str) -> PartsOfSpeech:
    """Open a tagger, once a process.

    Raises ModelError where its files are gone or others than they were, UsageError where it is not installed.
    """
    if use.name != NLTK:
        points = list(entry_points(group=GROUP, name=use.name))
        if not points:
            raise UsageError(f"tagger: the model needs {use.name!r}, which no installed package provides")
        return PartsOfSpeech(use, "", points[0].load()())
    if _digest(Path(folder)) != use.sha256:
        raise ModelError(f"tagger: expected the files in {folder} with which the model was trained, got others")
    return PartsOfSpeech(use, folder, _Perceptron(_files(Path(folder))))


class _Perceptron:
    """nltk's averaged perceptron, from its three files."""

    def __init__(self, files: dict[str, bytes]) -> None:
        from nltk.tag.perceptron import PerceptronTagger

        self._tagger: Any = PerceptronTagger(load=False)
        self._tagger.decode_json_params(json.loads(files[part]) for part in PARTS)

    def tag(self, words: Sequence[str]) -> list[str]:
        return [tag for _, tag in self._tagger.tag(list(words))]


def _bundled() -> Path:
    """Return the folder of the tagger that comes with the package."""
    return Path(__file__).parent / "data" / BUNDLED


def _files(folder: Path) -> dict[str, bytes]:
    """Return the content of nltk's files, by what they hold."""
    found = {part: sorted(folder.glob(f"*.{part}.json")) for part in PARTS}
    if any(len(paths) != 1 for paths in found.values()):
        raise ModelError(
            f"tagger: expected one file each of {', '.join(f'*.{part}.json' for part in PARTS)} in {folder},"
            " as nltk's averaged_perceptron_tagger_eng has them; nothing is downloaded"
        )
    return {part: paths[0].read_bytes() for part, [*paths] in found.items()}


def _digest(folder: Path) -> str:
    parts = (hashlib.sha256(content).hexdigest() for content in _files(folder).values())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _installed() -> tuple[str, ...]:
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@lru_cache(maxsize=1024)
def _hash(tag: str) -> int:
    return int(salt(f"pos {tag}"))


def _words(tokens: ViewTokens) -> list[str]:
    hidden = tokens.is_placeholder.tolist()
    starts, ends = tokens.arrays.starts.tolist(), tokens.arrays.ends.tolist()
    return [
        REMOVED if gone else tokens.codes[a:b].tobytes().decode("utf-32-le", "surrogatepass")
        for a, b, gone in zip(starts, ends, hidden, strict=True)
    ]
