"""Cards of shipped models and token classifiers, and the feature templates of a model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from spark_deid.app.figures import CommandFigures, ModelCardsFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.learning import FeaturesOptions, ModelsOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.registry import MethodRegistry
from spark_deid.detection.token_classification.card import classifier_card
from spark_deid.detection.token_classification.shipped import TOKEN_CLASSIFIERS
from spark_deid.greedy.model_card import model_card
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import MODELS, check_named, model_folder
from spark_deid.learners.ensemble import EnsembleModel
from spark_deid.learners.explanation import explain_tokens
from spark_deid.learners.token_model import TokenModel

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


# Show a model's features at work: its templates, and the weights that a document's tokens have.


NO_TEMPLATES = "this learner has no feature templates"


@dataclass(frozen=True)
class TokenFeatureFigures(CommandFigures):
    """The number of tokens that were explained, and those that got a label. `lines` show text of the document."""

    tokens: int
    labelled: int
    lines: tuple[str, ...]
    output: str | None

    def to_json(self) -> dict[str, object]:
        """Return the counts only, since the lines contain text."""
        return {"tokens": self.tokens, "labelled": self.labelled, "output": self.output}


def features(options: FeaturesOptions, progress: Progress = no_progress) -> TokenFeatureFigures:
    """Explain each token of a document: its features with their weights, and what decided its label.

    Raises:
        UsageError: The document can't be read, or the learner has no templates.
    """
    text = _text(options.document)
    tokens = labelled = 0
    lines: list[str] = []
    for number, (model, view) in enumerate(load_sanitizer(options.model).views(text), 1):
        found = explain_tokens(model, view)
        if found is None:
            raise UsageError(f"{options.model}: round {number}: {NO_TEMPLATES}")
        tokens += len(found)
        lines.append(f"round {number}")
        for each in found:
            labelled += bool(each.label)
            surface = text[each.start : each.end]
            decided = f"{each.label} by {each.decided}" if each.label else each.decided or "O"
            lines.append(f"{each.start}-{each.end} {surface!r}: {decided}; {each.tag} {each.total:+.3f}")
            lines += [f"    {weight:+8.3f}  {template}" for template, weight in each.features[: options.most]]
    if options.output is not None:
        write_private_file(options.output, "\n".join(lines) + "\n")
    return TokenFeatureFigures(tokens, labelled, tuple(lines), options.output)


def templates_of(model: Path) -> Iterator[str]:
    """Yield the feature templates of a model's first round. Raises UsageError if its learner has no templates."""
    first = load_sanitizer(model).rounds[0].model
    tokens_of = first.crf if isinstance(first, EnsembleModel) else first
    if not isinstance(tokens_of, TokenModel):
        raise UsageError(f"{model}: {NO_TEMPLATES}")
    yield from tokens_of.extractor.features.templates


def _text(document: Path) -> str:
    try:
        return document.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"--document {document}: cannot read this file: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--document {document}: expected text in UTF-8") from None
