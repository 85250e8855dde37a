"""Model folders: ``model.json``, ``feature.key``, ``rounds/01`` and on, ``training.json``."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from spark_deid.core.errors import ModelError, SparkDeidError, UsageError
from spark_deid.core.hashing import file_sha256, fingerprint, keyed_hash, read_key, write_key
from spark_deid.greedy.config import NO_PATTERNS
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.report import Json, versions
from spark_deid.greedy.shipped import RECORD
from spark_deid.learners.base import FittedModel
from spark_deid.storage.path_checks import check_creatable
from spark_deid.text.patterns import LimitedPattern, PatternDetector

Loader = Callable[[str, Path, bytes], FittedModel]
"""Read the model of one round, given the name of its learner, its folder and the feature key."""

FORMAT = 1
FIRST_LEARNER = "crf"
"""What fitted the rounds of a folder that does not say."""
KEY, TRAINING, ROUNDS = "feature.key", "training.json", "rounds"


class FittedRound(NamedTuple):
    """A round's model, the decoding that was chosen for it, and the name of the learner that fitted it."""

    model: FittedModel
    decoding: DecodingRule
    learner: str = FIRST_LEARNER


@dataclass(frozen=True, kw_only=True)
class ModelFileRecord:
    """What ``model.json`` says of a model besides its rounds."""

    labels: tuple[str, ...]
    loss_ratio: float
    decoding: str
    placeholders: tuple[str, ...] = ()
    patterns: PatternDetector = NO_PATTERNS


class ModelSummary(NamedTuple):
    """What a manifest says of a model."""

    hash: str
    labels: tuple[str, ...]
    rounds: int


def check_destination(folder: Path) -> None:
    """Raise UsageError where a model folder can't be written, such as one that is there and not empty."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder}: expected a folder. Choose a new name")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder}: folder is not empty. Choose a new folder, or remove this one first")
    check_creatable(folder)


def write_model(
    folder: Path, record: ModelFileRecord, rounds: Sequence[FittedRound], key: bytes, report: Mapping[str, Json]
) -> None:
    """Write a folder beside the final one and rename it, so that a model is there whole or not at all."""
    check_destination(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        _write_files(draft, record, rounds, key, report)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def read_model(
    folder: Path, loader: Loader, *, checked: str = ""
) -> tuple[ModelFileRecord, tuple[FittedRound, ...], bytes, dict[str, Json]]:
    """Read a model folder: its record, rounds, key and training report; every hash is checked.

    ``checked`` is the stamp that the folder had when its rounds were last checked: as long as it has the same, its
    large files are not read again.
    """
    content = _checked(folder, checked)
    with reject_damage(folder):
        key = _read_key(folder, content)
        rounds = tuple(_read_round(folder / ROUNDS, each, key, loader) for each in content["rounds"])
        if not (folder / TRAINING).is_file() or file_sha256(folder / TRAINING) != content["training"]:
            raise ModelError(f"{folder / TRAINING}: missing, damaged or edited, as its hash shows")
        report = _read_json(folder / TRAINING)
        if content.get("report", _report_hash(report)) != _report_hash(report):
            raise ModelError(f"{folder / TRAINING}: expected the report of this model, as its hash shows")
        return _record(content), rounds, key, report


@contextmanager
def reject_damage(folder: Path) -> Iterator[None]:
    """Raise ModelError in place of whatever a record of the wrong form leads to; errors of this package pass."""
    try:
        yield
    except SparkDeidError:
        raise
    except Exception as error:  # of a folder from elsewhere, keys, types and values can all be wrong
        raise ModelError(f"{folder}: damaged: reading it failed with {type(error).__name__}") from None


def model_hash(folder: Path, *, checked: str = "") -> str:
    """Return the hash of a model, its files checked against it: labels, settings, rounds and versions.

    ``checked`` is as in ``read_model``. Raises ModelError as ``load_sanitizer`` does.
    """
    return str(_checked(Path(folder), checked)["hash"])


def model_stamp(folder: Path) -> str:
    """Return what changes whenever a file of a folder is written: names, sizes and times; cheap, and no proof."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    states = [(path.relative_to(folder).as_posix(), path.stat()) for path in files]
    return fingerprint([[name, state.st_size, state.st_mtime_ns] for name, state in states])


def model_summary(folder: Path) -> ModelSummary:
    """Return hash, labels and number of rounds of a model folder."""
    content = _checked(Path(folder))
    with reject_damage(Path(folder)):
        return ModelSummary(content["hash"], tuple(content["labels"]), len(content["rounds"]))


def model_record(folder: Path) -> ModelFileRecord:
    """Return what a model folder says of its model besides the rounds, its files checked."""
    content = _checked(Path(folder))
    with reject_damage(Path(folder)):
        return _record(content)


def read_training_report(folder: Path) -> dict[str, Json]:
    """Return what training said of a model."""
    return _read_json(Path(folder) / TRAINING)


def bound_report(folder: Path) -> dict[str, Json] | None:
    """Return what training said of a model where the model's hash binds it; None for models made before it did.

    Raises ModelError where the report is another.
    """
    content = _checked(Path(folder))
    if "report" not in content:
        return None
    report = read_training_report(folder)
    if content["report"] != _report_hash(report):
        raise ModelError(f"{Path(folder) / TRAINING}: expected the report of this model, as its hash shows")
    return report


def _write_files(
    draft: Path, record: ModelFileRecord, rounds: Sequence[FittedRound], key: bytes, report: Mapping[str, Json]
) -> None:
    os.chmod(draft, 0o700)
    if key:
        write_key(draft / KEY, key)
    (draft / TRAINING).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (draft / ROUNDS).mkdir()
    entries = [_write_round(draft / ROUNDS, number, fitted) for number, fitted in enumerate(rounds, 1)]
    content = {
        "format": FORMAT,
        **asdict(record),
        "rounds": entries,
        "versions": versions(),
        "key": _key_check(key) if key else None,
        "training": file_sha256(draft / TRAINING),
        "report": _report_hash(report),
    }
    content["hash"] = _hash(content)
    (draft / RECORD).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_round(folder: Path, number: int, fitted: FittedRound) -> dict[str, Json]:
    name = f"{number:02d}"
    fitted.model.save(folder / name)
    return {
        "folder": name,
        "learner": fitted.learner,
        "sha256": _folder_hash(folder / name),
        **fitted.decoding._asdict(),
    }


def _read_round(folder: Path, entry: Mapping[str, Any], key: bytes, loader: Loader) -> FittedRound:
    learner = entry.get("learner", FIRST_LEARNER)
    return FittedRound(
        loader(learner, folder / _round_name(entry), key), DecodingRule(entry["bias"], entry["threshold"]), learner
    )


def _round_name(entry: Mapping[str, Any]) -> str:
    """Return the name of a round's folder, which lies in the model's."""
    name = str(entry["folder"])
    if not re.fullmatch("[0-9]{2,}", name):
        raise ModelError("model: rounds: expected folders that are named by numbers")
    return name


def _folder_hash(folder: Path) -> str:
    """Hash a folder's files; while they keep their stamp, once a process."""
    return _hash_files(folder, model_stamp(folder))


@lru_cache(maxsize=64)
def _hash_files(folder: Path, _: str) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return fingerprint([[path.relative_to(folder).as_posix(), file_sha256(path)] for path in files])


def _report_hash(report: Mapping[str, Any]) -> str:
    """Hash what a training report says but for times, which differ between runs that give the same model."""
    return fingerprint(_timeless(json.loads(json.dumps(report))))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(each) for name, each in value.items() if name != "seconds"}
    return [_timeless(each) for each in value] if isinstance(value, list) else value


def _hash(content: Mapping[str, Any]) -> str:
    """Hash what decides the model's answers, and what training said of it; times of training are no part of it."""
    return fingerprint({name: value for name, value in content.items() if name not in ("hash", "training")})


def _key_check(key: bytes) -> str:
    return keyed_hash(key, "spark-deid", "feature key")


def _checked(folder: Path, checked: str = "") -> dict[str, Any]:
    if not (folder / RECORD).is_file():
        raise ModelError(f"{folder}: no model here ({RECORD} is missing). Expected a folder written by train")
    content = _read_json(folder / RECORD)
    if content.get("format") != FORMAT:
        raise ModelError(f"{folder}: model format {content.get('format')}, expected {FORMAT}. Train the model again")
    if content.get("hash") != _hash(content):
        raise ModelError(f"{folder / RECORD}: damaged or edited, as its hash shows")
    if checked and checked == model_stamp(folder):
        return content
    with reject_damage(folder):
        for each in content["rounds"]:
            place = folder / ROUNDS / _round_name(each)
            if _folder_hash(place) != each["sha256"]:
                raise ModelError(f"{place}: damaged or incomplete, as its hash shows")
    return content


def _read_key(folder: Path, content: Mapping[str, Any]) -> bytes:
    if content["key"] is None:
        return b""
    try:
        key = read_key(folder / KEY)
    except SparkDeidError as error:
        raise ModelError(f"{folder}: {KEY} is missing or unreadable, so features cannot be computed") from error
    if _key_check(key) != content["key"]:
        raise ModelError(f"{folder / KEY}: expected the key of this model")
    return key


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: can't be read as JSON ({type(error).__name__})") from None
    if not isinstance(content, dict):
        raise ModelError(f"{path}: expected a JSON object")
    return content


def _record(content: Mapping[str, Any]) -> ModelFileRecord:
    custom = tuple(
        LimitedPattern(**(each | {"context": tuple(map(str, each["context"]))}))
        for each in content["patterns"]["custom"]
    )
    loss_ratio = content["loss_ratio"]
    if not 0 < loss_ratio < float("inf"):
        raise ModelError("model: loss_ratio: expected a positive number")
    if content["decoding"] not in ("viterbi", "cost"):
        raise ModelError("model: decoding: expected viterbi or cost")
    return ModelFileRecord(
        labels=_words_of(content, "labels"),
        loss_ratio=loss_ratio,
        decoding=content["decoding"],
        placeholders=_words_of(content, "placeholders"),
        patterns=PatternDetector(kinds=tuple(content["patterns"]["kinds"]), custom=custom),
    )


def _words_of(content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of words of ``model.json``; an empty one would stand anywhere in a text."""
    words = content[name]
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise ModelError(f"model: {name}: expected a list of non-empty words")
    return tuple(words)
