"""Named sets of token features."""

from collections.abc import Sequence
from importlib import resources

from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import UsageError
from spark_deid.text.columns.table import COLUMNS
from spark_deid.text.templates import Template, parse_templates
from spark_deid.text.tokenizer import ALL_BORDERS, Border, Tokenizer
from spark_deid.text.vocabulary import Vocabulary, load_vocabulary

_DATA = resources.files("spark_deid.text") / "data" / "features"
DEFAULT_LANGUAGES = ("en", "es")


class FeatureSet(BaseModel):
    """All that decides a token's features but the model's key: templates, borders of tokens, word lists.

    ``merged`` tells whether mail, dates and the like become one token each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    templates: tuple[str, ...]
    borders: int = int(ALL_BORDERS)
    merged: bool = True
    vocabulary: Vocabulary = Vocabulary()

    def parsed(self) -> tuple[Template, ...]:
        """Return the templates as values."""
        return parse_templates(self.templates)

    def without_words(self) -> "FeatureSet":
        """Return the set without the templates that read words."""
        secret = {column.name for column in COLUMNS if column.secret}
        kept = tuple(str(t) for t in self.parsed() if secret.isdisjoint(name for name, _ in t.cells))
        return self.model_copy(update={"name": f"{self.name} without words", "templates": kept})

    def tokenizer(self) -> Tokenizer:
        """Return what cuts views into this set's tokens."""
        return Tokenizer(Border(self.borders), self.vocabulary, merged=self.merged)


def feature_sets() -> tuple[str, ...]:
    """Return the names of the bundled feature sets."""
    return tuple(sorted(path.name.removesuffix(".txt") for path in _DATA.iterdir() if path.name.endswith(".txt")))


def feature_set(name: str = "rich", *, languages: Sequence[str] = DEFAULT_LANGUAGES) -> FeatureSet:
    """Return a bundled feature set with the word lists of these languages: ``hide`` or ``rich``."""
    if name not in feature_sets():
        raise UsageError(f"features: expected one of {', '.join(feature_sets())}, got {name!r}")
    templates = parse_templates((_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines())
    return FeatureSet(
        name=name,
        templates=tuple(str(template) for template in templates),
        merged=name != "hide",
        vocabulary=load_vocabulary(tuple(languages)),
    )
