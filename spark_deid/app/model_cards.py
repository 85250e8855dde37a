"""What models that packages ship say of themselves: GreedySanitize's, and token classifiers."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator

from spark_deid.app.figures import ModelCardsFigures
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.options import ArgumentMetavar, CommandOptions, one_of, option
from spark_deid.core.registry import MethodRegistry
from spark_deid.greedy.shipped import MODELS, model_card
from spark_deid.token_classification.shipped import ENGLISH_NEURAL, INSTALL_ENGLISH, TOKEN_CLASSIFIERS

Card = TypeVar("Card")


def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*MODELS.names(), *TOKEN_CLASSIFIERS.names())))


def _require_installed(name: str | None) -> str | None:
    if name == ENGLISH_NEURAL and name not in _names():
        raise ValueError(f"not installed; {INSTALL_ENGLISH}")
    return name


class ModelsOptions(CommandOptions):
    """Which shipped models to tell of."""

    name: Annotated[str | None, ArgumentMetavar("[NAME]"), AfterValidator(_require_installed), one_of(_names)] = option(
        None, "The card of this one."
    )


def models(options: ModelsOptions) -> ModelCardsFigures:
    """Return the cards of all shipped models, or of one; of several, a broken one is told of and no error."""
    from spark_deid.token_classification.card import classifier_card

    broken: dict[str, str] = {}
    cards = _cards(MODELS, model_card, options.name, broken)
    classifiers = _cards(TOKEN_CLASSIFIERS, classifier_card, options.name, broken)
    return ModelCardsFigures(cards, broken, classifiers)


def _cards(
    registry: MethodRegistry[Path], read: Callable[[str], Card], wanted: str | None, broken: dict[str, str]
) -> tuple[Card, ...]:
    """Return the cards of a registry's models, or of the one that is wanted; tell of broken ones where it is all."""
    found = []
    for name in registry.names():
        try:
            if wanted in (None, name):
                found.append(read(name))
        except SparkDeidError as error:
            if wanted is not None:
                raise
            broken[name] = str(error)
    return tuple(found)
