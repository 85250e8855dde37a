"""What a user asks of the classes of a table, such as ``k=5,l=2``."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from spark_deid.anonymity.model_kind import ModelKind, ModelNeeds
from spark_deid.anonymity.models import MODELS, examples
from spark_deid.core.errors import UsageError


@dataclass(frozen=True)
class ModelDemand:
    """A model with its numbers, such as ``recursive-l=3:2``."""

    name: str
    numbers: tuple[Fraction, ...]

    @property
    def kind(self) -> ModelKind:
        """Return the model."""
        return MODELS.find(self.name)

    @property
    def parameters(self) -> str:
        """Return the demand as it is typed."""
        return f"{self.name}={':'.join(map(_number_text, self.numbers))}"


@dataclass(frozen=True)
class ModelDemands:
    """Models that every class must satisfy, all of them."""

    demands: tuple[ModelDemand, ...]

    def __contains__(self, name: str) -> bool:
        return any(demand.name == name for demand in self.demands)

    def __str__(self) -> str:
        return ",".join(demand.parameters for demand in self.demands)

    def numbers(self, name: str, *absent: int) -> tuple[Fraction, ...]:
        """Return the numbers of a model, ``absent`` where it is not asked for."""
        found = (demand.numbers for demand in self.demands if demand.name == name)
        return next(found, tuple(map(Fraction, absent)))

    @property
    def guarantees(self) -> tuple[str, ...]:
        """Return the names of the assessments that a table needs to pass the gate."""
        return tuple(demand.kind.guarantee for demand in self.demands)

    @property
    def needs(self) -> frozenset[ModelNeeds]:
        """Return all that the models need."""
        return frozenset(need for demand in self.demands for need in demand.kind.needs)

    @property
    def monotone(self) -> bool:
        """Tell whether the union of two classes that satisfy all models satisfies them."""
        return all(demand.kind.monotone for demand in self.demands)

    @property
    def absorbing(self) -> bool:
        """Tell whether a union satisfies all models where one of its classes does."""
        return all(demand.kind.absorbing for demand in self.demands)


def read_models(text: str) -> ModelDemands:
    """Read models as they are typed; raises UsageError with all that is wrong.

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


def _number_text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def _models(parts: Iterable[str]) -> ModelDemands:
    demands, wrong = [], []
    for part in parts:
        try:
            demands.append(_demand(part))
        except UsageError as error:
            wrong.append(str(error))
    names = [demand.name for demand in demands]
    wrong += [f"model: {name}: stands more than once" for name in sorted(set(names)) if names.count(name) > 1]
    for demand in demands:
        for other in (each for each in demand.kind.required_models if each not in names):
            example = f"{MODELS.find(other).example},{demand.kind.example}"
            wrong.append(f"model: {demand.name}: needs {other} beside it, as in {example}")
    if not (demands or wrong):
        wrong.append("model: expected at least one, as in k=5,l=2")
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
    return ModelDemand(name, numbers)
