"""What a user asks of the classes of a table, such as ``k=5,l=2``."""

from collections.abc import Iterable, Mapping

from spark_deid.anonymity.model_demand import ModelDemand, ModelDemands
from spark_deid.anonymity.models import MODELS, examples
from spark_deid.core.errors import UsageError


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
