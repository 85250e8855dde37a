"""Privacy models by name, of this package and of installed packages.

A model is a condition for every *class*: the rows that agree on all quasi-identifiers. Classes are counted by
people. Without a person column, every row is one person. A package provides a model with an entry point of the
group ``spark_deid.privacy_models`` whose value is a ``ModelKind``::

    [project.entry-points."spark_deid.privacy_models"]
    p-sensitive = "my_package.sensitive_values:KIND"
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.anonymity.model_demand import ModelDemand, ModelDemands, ModelRule
from spark_deid.anonymity.model_options import ALPHA, DELTA, ENTROPY, FREQUENCY, RECURSIVE, K, L, M, ModelNeeds, T

# Packages of version 0.1.0 import these two from here.
from spark_deid.anonymity.model_options import ModelParameter as ModelParameter
from spark_deid.anonymity.model_options import Numbers as Numbers
from spark_deid.core.errors import UsageError
from spark_deid.core.registry import MethodRegistry

if TYPE_CHECKING:
    from spark_deid.anonymity.spark.class_table import ClassTable
    from spark_deid.anonymity.spark.figures import ModelFigure


@dataclass(frozen=True, kw_only=True)
class ModelKind(ModelRule):
    """A privacy model.

    Attributes:
        count: Returns the figures of the classes of a written table. The gate uses only these figures, so ``count``
            shares no code with ``tighten``.

    Example:
        A package names its kind in an entry point of ``spark_deid.privacy_models``::

            KIND = ModelKind(guarantee="p-sensitive", tighten=_tighten, count=_count, describe="...", example="p=3")
    """

    count: "Callable[[ClassTable, ModelDemand], Sequence[ModelFigure]]"


MODELS = MethodRegistry(
    noun="model",
    group="spark_deid.privacy_models",
    built_in=MappingProxyType(
        {
            K: "spark_deid.anonymity.built_in_models:K_ANONYMITY",
            L: "spark_deid.anonymity.built_in_models:L_DIVERSITY",
            FREQUENCY: "spark_deid.anonymity.built_in_models:FREQUENCY_L_DIVERSITY",
            ENTROPY: "spark_deid.anonymity.built_in_models:ENTROPY_L_DIVERSITY",
            RECURSIVE: "spark_deid.anonymity.built_in_models:RECURSIVE_L_DIVERSITY",
            T: "spark_deid.anonymity.built_in_models:T_CLOSENESS",
            DELTA: "spark_deid.anonymity.built_in_models:DELTA_PRESENCE",
            ALPHA: "spark_deid.anonymity.built_in_models:ALPHA_K_ANONYMITY",
            M: "spark_deid.anonymity.built_in_models:M_INVARIANCE",
        }
    ),
    kind=ModelKind,
)


def usable_models() -> Iterator[tuple[str, ModelKind]]:
    """Yield the models by name, except models whose packages fail to load."""
    for name in MODELS.names():
        try:
            yield name, MODELS.find(name)
        except UsageError:
            continue


def examples() -> tuple[str, ...]:
    """Return how each model is asked for."""
    return tuple(kind.example for _, kind in usable_models())


def models_that_look_at(need: ModelNeeds) -> tuple[str, ...]:
    """Return the names of the models that need another input than the table."""
    return tuple(name for name, kind in usable_models() if need in kind.looked_at)


def models_of_texts() -> tuple[str, ...]:
    """Return the names of the models that are recounted in the texts of an identifier view."""
    return tuple(name for name, kind in usable_models() if kind.of_texts)


# Demands of users, read from text such as ``k=5,l=2``.


def read_models(text: str) -> ModelDemands:
    """Read models as they are typed.

    Args:
        text: Models, such as ``k=5,l=2``.

    Returns:
        The models.

    Raises:
        UsageError: A model or number is wrong. The message lists all errors.

    >>> str(read_models("k=5, recursive-l=3:2"))
    'k=5,recursive-l=3:2'
    >>> read_models("k=1")
    Traceback (most recent call last):
    spark_deid.core.errors.UsageError: model: k: expected an integer >= 2, as in k=5, got 'k=1'
    """
    return _models(part.strip() for part in text.split(",") if part.strip())


def models_of(numbers: Mapping[str, object]) -> ModelDemands:
    """Read models as a plan has them, names and numbers; raises UsageError with all that is wrong."""
    return _models(f"{name}={value}" for name, value in numbers.items())


def _models(parts: Iterable[str]) -> ModelDemands:
    demands, wrong = [], []
    for part in parts:
        try:
            demands.append(_demand(part))
        except UsageError as error:
            wrong.append(str(error))
    names = [demand.name for demand in demands]
    wrong += [f"model: {name}: listed more than once" for name in sorted(set(names)) if names.count(name) > 1]
    for demand in demands:
        for other in (each for each in demand.kind.required_models if each not in names):
            example = f"{MODELS.find(other).example},{demand.kind.example}"
            wrong.append(f"model: {demand.name}: needs {other} as well, as in {example}")
    if not (demands or wrong):
        wrong.append("model: expected at least one model, as in k=5,l=2")
    if wrong:
        raise UsageError("\n".join(wrong))
    return ModelDemands(tuple(demands))


def _demand(part: str) -> ModelDemand:
    name, _, value = (side.strip() for side in part.partition("="))
    if name not in MODELS.names():
        raise UsageError(f"model: expected some of {', '.join(examples())}, got {part!r}")
    kind = MODELS.find(name)
    given = value.split(":")
    read = [number.read(text.strip()) for number, text in zip(kind.numbers, given, strict=False)]
    numbers = tuple(number for number in read if number is not None)
    if len(numbers) != len(kind.numbers) or len(given) != len(numbers):
        expected = ", then ".join(number.expected for number in kind.numbers)
        raise UsageError(f"model: {name}: expected {expected}, as in {kind.example}, got {part!r}")
    wanted = kind.wrong(numbers) if kind.wrong else None
    if wanted is not None:
        raise UsageError(f"model: {name}: expected {wanted}, as in {kind.example}, got {part!r}")
    return ModelDemand(name, numbers, kind)
