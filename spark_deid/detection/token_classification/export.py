"""Folders of exported token classifiers, as optimum writes them: configuration, tokenizer and a file of ONNX."""

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.text.language import known_languages

# Token types that show a model which cannot see them of uppercase letters and line breaks: the shape of each token's
# text.


OTHER, LOWER, TITLE, UPPER, MIXED, CAPITAL, DIGITS = range(7)
"""Kinds of characters of a token: no letter, lowercase, one uppercase letter first, uppercase, others; one, digits."""
LINE = 8
"""Value that is added for a token that begins a line, or the text."""


def shape_types(text: str, offsets: Sequence[tuple[int, int]]) -> Int64s:
    """Return the shape of each token of a text, in the order of the text, by where they are in it.

    >>> shape_types("Ann B. saw\\nbC 7", [(0, 3), (4, 5), (5, 6), (7, 10), (11, 13), (14, 15)]).tolist()
    [10, 5, 0, 1, 12, 6]
    """
    known: dict[str, int] = {}
    types: list[int] = []
    reached = 0
    for start, end in offsets:
        piece = text[start:end]
        shape = known.get(piece)
        if shape is None:
            shape = known[piece] = shape_of(piece)
        if shape == CAPITAL and text[end : end + 1].isalpha():
            shape = TITLE
        if not types or (start > reached and "\n" in text[reached:start]):
            shape += LINE
        types.append(shape)
        reached = end
    return np.asarray(types, np.int64)


def shape_of(piece: str) -> int:
    """Return what characters a token has.

    >>> [shape_of(piece) for piece in ("—", "now", "Now", "NOW", "McRae", "N", "12")]
    [0, 1, 2, 3, 4, 5, 6]
    """
    if piece.isdigit():
        return DIGITS
    if not any(map(str.isalpha, piece)):
        return OTHER
    if piece.islower():
        return LOWER
    if piece.isupper():
        return CAPITAL if len(piece) == 1 else UPPER
    return TITLE if piece[0].isupper() and piece[1:].islower() else MIXED


def no_types(text: str, offsets: Sequence[tuple[int, int]]) -> Int64s:
    """Return zeros, which models take that were trained without token types."""
    return np.zeros(len(offsets), np.int64)


TOKEN_TYPES: Mapping[str, Callable[[str, Sequence[tuple[int, int]]], Int64s]] = MappingProxyType(
    {"": no_types, "shape": shape_types}
)
"""Values of ``token_types`` in config.json of an export; ``""`` names nothing."""


CONFIG, TOKENIZER, TOKENIZER_CONFIG, CALIBRATION, CARD = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "calibration.json",
    "card.json",
)
OUTSIDE = "O"
"""The tag of tokens that are in no entity."""
LONGEST = 512
"""Tokens that a model takes at a time where nothing states how many."""
THRESHOLD = 0.5
"""The probability from which words are marked where neither a plan nor a model names one."""
_READABLE = 16 << 20
"""Bytes of a configuration at most."""
_BEGINS = frozenset("BSU")
_PREFIX = re.compile(r"([BIELSU])[-_](.+)")
_PADDED_POSITIONS = frozenset(("roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "xlm-roberta-xl"))
"""Kinds of models whose first two positions are not token's."""


class EntityTag(NamedTuple):
    """What a class of a model says of a token: the entity it is in, ``""`` for none, and whether one begins there."""

    entity: str
    begins: bool


class TokenClassifierExport(NamedTuple):
    """An exported model: its folder and file, what its classes state, and how many tokens it takes, special ones too.

    ``temperature`` and ``bias`` are those by which log-odds of entities are made probabilities. ``token_types`` names
    the information about each token besides its id, one of TOKEN_TYPES, ``language`` (ISO 639) that of the
    text that it is for; where it is ``""`` no one stated one. ``threshold`` is what plans follow that name none.
    """

    folder: str
    model: str
    sha256: str
    tags: tuple[EntityTag, ...]
    longest: int
    temperature: float = 1.0
    bias: float = 0.0
    token_types: str = ""
    language: str = ""
    threshold: float = THRESHOLD

    @property
    def entities(self) -> tuple[str, ...]:
        """Return the entities that the model knows, in order of its classes."""
        return tuple(dict.fromkeys(tag.entity for tag in self.tags if tag.entity))


def read_export(folder: Path) -> TokenClassifierExport:
    """Return what a folder holds. Raises ModelError, which names the file and what was expected in it."""
    return _read(str(folder), _stamp(folder))


def export_hash(folder: Path) -> str:
    """Return the sha256 of all files of a folder, with their names."""
    digest = hashlib.sha256()
    for path in _files(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{file_sha256(path)}\n".encode())
    return digest.hexdigest()


@lru_cache(maxsize=8)
def _read(place: str, _: tuple[object, ...]) -> TokenClassifierExport:
    folder = Path(place)
    config = read_json(folder / CONFIG)
    if not (folder / TOKENIZER).is_file():
        raise ModelError(f"{folder / TOKENIZER}: expected the file of a fast tokenizer next to {CONFIG}, found none")
    calibration = read_json(folder / CALIBRATION) if (folder / CALIBRATION).is_file() else {}
    temperature, bias = (calibration.get(name, usual) for name, usual in (("temperature", 1.0), ("bias", 0.0)))
    numbers = all(isinstance(each, int | float) and math.isfinite(each) for each in (temperature, bias))
    if not numbers or temperature <= 0:
        raise ModelError(f"{folder / CALIBRATION}: expected a temperature above 0 and a bias, both numbers")
    return TokenClassifierExport(
        place,
        str(_model_file(folder).relative_to(folder)),
        export_hash(folder),
        _tags(folder / CONFIG, config),
        _longest(folder, config),
        float(temperature),
        float(bias),
        _token_types(folder / CONFIG, config),
        _language(folder / CONFIG, config),
        _threshold(folder / CONFIG, config),
    )


def _files(folder: Path) -> Sequence[Path]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    if leading := next((path for path in found if not path.resolve().is_relative_to(folder.resolve())), None):
        raise ModelError(f"{leading}: this link leads out of the folder. Expected the files of the model inside it")
    return found


def _stamp(folder: Path) -> tuple[object, ...]:
    """Return what changes where a file of a folder does."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: expected the folder of a token classifier in ONNX, found none")
    stats = ((path, path.stat()) for path in _files(folder))
    return tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)


def read_json(path: Path) -> Mapping[str, Any]:
    """Return the object that a file of JSON in an export holds; raises ModelError where it holds none."""
    try:
        if path.stat().st_size > _READABLE:
            raise ModelError(f"{path}: expected less than {_READABLE >> 20} MB")
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ModelError(f"{path}: expected this file, which optimum writes when it exports a model") from None
    except (OSError, ValueError, RecursionError):
        raise ModelError(f"{path}: expected JSON") from None
    if not isinstance(found, dict):
        raise ModelError(f"{path}: expected an object of JSON")
    return found


def _model_file(folder: Path) -> Path:
    usual = (folder / "model.onnx", folder / "onnx" / "model.onnx")
    found = next((path for path in usual if path.is_file()), None)
    others = [found] if found else sorted(folder.rglob("*.onnx"))
    if len(others) != 1:
        raise ModelError(f"{folder}: expected one model.onnx, found {len(others)} files of ONNX")
    return others[0]


def _tags(path: Path, config: Mapping[str, Any]) -> tuple[EntityTag, ...]:
    named = config.get("id2label")
    try:
        by_number = {int(number): str(label) for number, label in dict(named or {}).items()}
    except (TypeError, ValueError):
        by_number = {}
    if not by_number or sorted(by_number) != list(range(len(by_number))):
        raise ModelError(f"{path}: expected id2label, a label for each class from 0 on")
    if OUTSIDE not in by_number.values():
        raise ModelError(f"{path}: expected {OUTSIDE} among the labels of a token classifier, got none")
    return read_tags([by_number[number] for number in range(len(by_number))])


def read_tags(labels: Sequence[str]) -> tuple[EntityTag, ...]:
    """Read labels such as B-PER and I-PER; where not every one has such a prefix, each is an entity separately.

    >>> read_tags(["O", "B-PER", "I-PER"])[1:]
    (EntityTag(entity='PER', begins=True), EntityTag(entity='PER', begins=False))
    >>> read_tags(["O", "E-MAIL", "PATIENT"])[1:]
    (EntityTag(entity='E-MAIL', begins=False), EntityTag(entity='PATIENT', begins=False))
    """
    matches = [_PREFIX.fullmatch(label) for label in labels]
    has_prefixes = all(match or label == OUTSIDE for match, label in zip(matches, labels, strict=True))
    return tuple(
        EntityTag("", False)
        if label == OUTSIDE
        else EntityTag(match[2], match[1] in _BEGINS)
        if match and has_prefixes
        else EntityTag(label, False)
        for match, label in zip(matches, labels, strict=True)
    )


def _token_types(path: Path, config: Mapping[str, Any]) -> str:
    if "token_types" not in config:
        return ""
    named = config["token_types"]
    if not isinstance(named, str) or not named or named not in TOKEN_TYPES:
        known = ", ".join(json.dumps(each) for each in TOKEN_TYPES if each)
        raise ModelError(f"{path}: token_types: expected {known}, or no such key if all tokens have type 0")
    return named


def _language(path: Path, config: Mapping[str, Any]) -> str:
    stated = config.get("language", "")
    if stated and (not isinstance(stated, str) or stated not in known_languages()):
        raise ModelError(f"{path}: language: expected the code of a language, such as en, or no such key")
    return str(stated)


def _threshold(path: Path, config: Mapping[str, Any]) -> float:
    stated = config.get("threshold", THRESHOLD)
    if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 < stated < 1:
        raise ModelError(f"{path}: threshold: expected a probability between 0 and 1, or no such key")
    return float(stated)


def _longest(folder: Path, config: Mapping[str, Any]) -> int:
    """Return how many tokens the model takes at a time: what its tokenizer says, and no more than it has positions."""
    result = read_json(folder / TOKENIZER_CONFIG) if (folder / TOKENIZER_CONFIG).is_file() else {}
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _PADDED_POSITIONS:
        positions -= 2
    limits = [
        each for each in (result.get("model_max_length"), positions) if isinstance(each, int) and 8 <= each <= 1 << 16
    ]
    return min(limits, default=LONGEST)
