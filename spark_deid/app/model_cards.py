"""Cards of shipped models and token classifiers, and the feature templates of a model."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from spark_deid.app.figures import ModelCardsFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.learning import ModelsOptions
from spark_deid.app.token_features import templates_of
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.registry import MethodRegistry
from spark_deid.detection.token_classification.card import classifier_card
from spark_deid.detection.token_classification.shipped import TOKEN_CLASSIFIERS
from spark_deid.greedy.model_card import model_card
from spark_deid.greedy.shipped import MODELS, check_named, model_folder

Card = TypeVar("Card")


def models(options: ModelsOptions, progress: Progress = no_progress) -> ModelCardsFigures:
    """Return the cards of all shipped models, or the card or the templates of one model.

    In a list, a broken model is an entry and not an error.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The cards.
    """
    if options.templates and options.name is not None:
        check_named(options.name)
        return ModelCardsFigures((), {}, templates=tuple(templates_of(model_folder(options.name))))
    broken: dict[str, str] = {}
    cards = _cards(MODELS, model_card, options.name, broken)
    classifiers = _cards(TOKEN_CLASSIFIERS, classifier_card, options.name, broken)
    return ModelCardsFigures(cards, broken, classifiers)


def _cards(
    registry: MethodRegistry[Path], read: Callable[[str], Card], wanted: str | None, broken: dict[str, str]
) -> tuple[Card, ...]:
    """Return the cards of a registry's models, or of the one wanted. In a list, broken ones go to ``broken``."""
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
