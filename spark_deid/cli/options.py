"""Options that several commands have, and their values."""

import math
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spark_deid import app
from spark_deid.core.errors import UsageError


class Counts(StrEnum):
    """Where the stop test counts."""

    oof = "oof"
    train = "train"


class Decoding(StrEnum):
    """How a model decides."""

    viterbi = "viterbi"
    cost = "cost"


class Unit(StrEnum):
    """What k counts, or that the input's own is to be chosen."""

    auto = "auto"
    subject = "subject"
    document = "document"
    occurrence = "occurrence"


class Tokens(StrEnum):
    """What is judged as one."""

    word = "word"
    space = "space"
    script = "script"


Input = Annotated[str, typer.Option("--input", help="A file, a folder or a glob; .gz is read everywhere.")]


Format = Annotated[str, typer.Option("--format", help=f"One of: {', '.join(app.format_names())}.")]


ModelFolder = Annotated[Path, typer.Option("--model", help="A model folder made by train.")]


def _writable(path: Path | None) -> Path | None:
    """Check, before anything is done, that a file of figures can be written; makes nothing."""
    if path is None:
        return None
    if os.path.isdir(path):
        raise UsageError(f"--json {path}: is a folder; name a file")
    place = next(place for place in (path, *path.absolute().parents) if os.path.exists(place))
    if not (place == path or os.path.isdir(place)) or not os.access(place, os.W_OK):
        raise UsageError(f"--json {path}: {place} is no folder or not open to writing; name another file")
    return path


Json = Annotated[
    Path | None, typer.Option("--json", callback=_writable, help="Write the figures to this file, as JSON.")
]


Master = Annotated[
    str | None, typer.Option("--master", help="A Spark master, such as spark://host:7077; local cores by default.")
]


def split_commas(value: str | None) -> tuple[str, ...] | None:
    """Return the parts of a list with commas between; None where nothing was given."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if value else None


def split_numbers(value: str | None) -> tuple[int, ...]:
    """Return whole numbers above 0, in order and each once; raises UsageError for anything else."""
    parts = split_commas(value) or ()
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError("budgets: expected whole numbers above 0, with commas between")
    return tuple(sorted({int(part) for part in parts}))


def chosen_background(value: str | None, features: str) -> tuple[str, ...]:
    """Return the background models that are asked for; by default those that the feature set comes with."""
    if value is None:
        return app.default_background(features)
    return () if value == "none" else split_commas(value) or ()


def split_ratios(value: str) -> tuple[float, ...]:
    """Return numbers above 0, in order and each once; raises UsageError for anything else."""
    try:
        ratios = sorted({float(part) for part in split_commas(value) or ()})
    except ValueError:
        ratios = []
    if not ratios or not all(0 < ratio < math.inf for ratio in ratios):
        raise UsageError("loss-ratios: expected numbers above 0, with commas between")
    return tuple(ratios)
