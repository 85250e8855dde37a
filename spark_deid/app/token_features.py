"""Show a model's features at work: its templates, and the weights that a document's tokens have."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.learning import FeaturesOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.core.errors import UsageError
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.learners.ensemble import EnsembleModel
from spark_deid.learners.explanation import explain_tokens
from spark_deid.learners.token_model import TokenModel

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
