"""Learners by name: those of this package, and those that installed packages bring.

A package brings a learner with an entry point of the group ``spark_deid.learners`` whose value is a ``LearnerKind``::

    [project.entry-points."spark_deid.learners"]
    presidio = "my_package.learner:KIND"

What it makes need not learn: a recognizer that comes trained gives the same model whatever the examples.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType

from spark_deid.core.errors import UsageError
from spark_deid.learners.base import Learner, Model

GROUP = "spark_deid.learners"


@dataclass(frozen=True)
class LearnerSettings:
    """What every learner is told.

    The name of a feature set, the key that hashes words, the most iterations, and the models whose probabilities are
    features too: names of shipped ones, or model folders. ``by_cost`` tells that models will be asked for
    probabilities, so that these are worth calibrating. ``tagger`` tells parts of speech (``text.tagging``), if any.
    """

    features: str
    key: bytes = field(repr=False)
    iterations: int = 100
    background: tuple[str, ...] = ()
    by_cost: bool = False
    tagger: str = ""


@dataclass(frozen=True)
class LearnerKind:
    """How a learner is made, and how its models are read back from the folder that they saved.

    The files of that folder were checked against their hashes before ``load`` is called.
    """

    make: Callable[[LearnerSettings], Learner]
    load: Callable[[Path, bytes], Model]


BUILT_IN: Mapping[str, EntryPoint] = MappingProxyType(
    {
        name: EntryPoint(name, f"spark_deid.learners.{kind}", GROUP)
        for name, kind in {
            "crf": "crf:KIND",
            "svm": "linear:SVM",
            "adaboost": "linear:ADABOOST",
            "ensemble": "ensemble:KIND",
        }.items()
    }
)
"""Loaded when asked for, as installed ones are: what fits them takes its time to import."""


def learner_names() -> tuple[str, ...]:
    """Return the names of all learners: built in first, then installed ones, sorted; a built-in name is not taken."""
    return (*BUILT_IN, *sorted({point.name for point in _installed()} - set(BUILT_IN)))


def learner_kind(name: str) -> LearnerKind:
    """Return the learner of a name; raises UsageError where there is none, or where its package can't be loaded."""
    for point in (*BUILT_IN.values(), *_installed()):
        if point.name == name:
            return _loaded(point)
    raise UsageError(f"learner: expected one of {', '.join(learner_names())}, got {name!r}")


def make_learner(name: str, settings: LearnerSettings) -> Learner:
    """Make a learner by its name."""
    return learner_kind(name).make(settings)


def load_learned(name: str, folder: Path, key: bytes) -> Model:
    """Read a model that the learner of this name fitted, from its own folder."""
    return learner_kind(name).load(folder, key)


def _installed() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _loaded(point: EntryPoint) -> LearnerKind:
    try:
        kind = point.load()
    except Exception as error:
        raise UsageError(f"learner {point.name}: {point.value} can't be loaded ({type(error).__name__})") from error
    if not isinstance(kind, LearnerKind):
        raise UsageError(f"learner {point.name}: expected {point.value} to be a LearnerKind")
    return kind
