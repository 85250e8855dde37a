"""Named sets of token features."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import UsageError
from spark_deid.text.background import BackgroundUse, background_columns, background_templates
from spark_deid.text.gazetteer import gazetteer_digest
from spark_deid.text.tagging import TaggerUse
from spark_deid.text.templates import (
    DefinedTemplates,
    FeatureTemplate,
    features_label,
    is_definition,
    parse_templates,
    read_definition,
    templates_of,
)
from spark_deid.text.token_columns.cluster import CLUSTER_COLUMNS
from spark_deid.text.token_columns.gazetteer import GAZETTEER_COLUMNS
from spark_deid.text.token_columns.line_class import LINE_CLASS_COLUMNS
from spark_deid.text.token_columns.neighbours import NEIGHBOUR_COLUMNS
from spark_deid.text.token_columns.speech import SPEECH_COLUMNS, SPEECH_TEMPLATES
from spark_deid.text.token_columns.table import COLUMNS
from spark_deid.text.tokenizer import ALL_BORDERS, TokenBorder, ViewTokenizer
from spark_deid.text.vocabulary import WordVocabulary, clusters_digest, load_vocabulary

_DATA = resources.files("spark_deid.text") / "data" / "features"
DEFAULT_LANGUAGES = ("en", "es")
_UNMERGED = "hide"
"""The set of the paper, in which mail, dates and the like are several tokens, also for sets that start from it only."""


class FeatureSet(BaseModel):
    """All that decides a token's features but the model's key: templates, borders of tokens, word lists.

    With ``merged``, mail, dates and the like become one token each. ``background`` names the models whose probabilities
    are features. ``gazetteer`` and ``clusters`` are the digests of these tables if templates read them. ``tagger``
    names a tagger of parts of speech.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    templates: tuple[str, ...]
    borders: int = int(ALL_BORDERS)
    merged: bool = True
    vocabulary: WordVocabulary = WordVocabulary()
    background: tuple[BackgroundUse, ...] = ()
    gazetteer: str = ""
    clusters: str = ""
    tagger: TaggerUse | None = None

    def parsed(self) -> tuple[FeatureTemplate, ...]:
        """Return the templates as values."""
        return parse_templates(self.templates)

    def without_words(self) -> "FeatureSet":
        """Return the set without the templates that read words, models trained on other text, or a tagger."""
        secret = {column.name for column in (*COLUMNS, *NEIGHBOUR_COLUMNS) if column.secret}
        secret.update(column.name for column in (*background_columns(self.background), *SPEECH_COLUMNS))
        kept = tuple(str(t) for t in self.parsed() if secret.isdisjoint(name for name, _ in t.cells))
        changes = {"name": f"{self.name} without words", "templates": kept, "background": (), "tagger": None}
        return self.model_copy(update=changes)

    def tokenizer(self) -> ViewTokenizer:
        """Return what cuts views into this set's tokens."""
        return ViewTokenizer(TokenBorder(self.borders), self.vocabulary, merged=self.merged)


def feature_sets() -> tuple[str, ...]:
    """Return the names of the bundled feature sets."""
    return tuple(sorted(path.name.removesuffix(".txt") for path in _DATA.iterdir() if path.name.endswith(".txt")))


def feature_set(
    name: str = "rich",
    *,
    languages: Sequence[str] = DEFAULT_LANGUAGES,
    background: Sequence[BackgroundUse] = (),
    tagger: TaggerUse | None = None,
) -> FeatureSet:
    """Return a feature set with the word lists of these languages, and the templates of models and tagger.

    Args:
        name: A bundled set, or a definition as ``resolve_features`` returns it. ``hide`` and ``rich`` read only the
            text and the training data. ``gazetteer``, ``full`` and ``clusters`` also read gazetteers, and ``clusters``
            clusters of words.
        languages: The languages of the word lists.
        background: Background models. ``learners.background.chosen_features`` resolves their names.
        tagger: A tagger of parts of speech.

    Raises:
        UsageError: The set is unknown, or a template reads parts of speech without a tagger.
    """
    templates, merged = feature_set_parts(name)
    read = {name for template in templates for name, _ in template.cells}
    if tagger is None and (speech := read & {column.name for column in SPEECH_COLUMNS}):
        raise UsageError(f"features: {', '.join(sorted(speech))}: these columns need --tagger")
    return FeatureSet(
        name=features_label(name),
        templates=(
            *(str(template) for template in templates),
            *background_templates(background),
            *(SPEECH_TEMPLATES if tagger else ()),
        ),
        merged=merged,
        vocabulary=load_vocabulary(tuple(languages)),
        background=tuple(background),
        gazetteer=gazetteer_digest() if read & {column.name for column in GAZETTEER_COLUMNS} else "",
        clusters=clusters_digest() if read & {column.name for column in CLUSTER_COLUMNS} else "",
        tagger=tagger,
    )


def resolve_features(given: str) -> str:
    """Return a bundled set's name, or the definition that a file of templates holds, which needs the file no more.

    A bundled name wins over a file of that name. A file with exactly the features of a bundled set becomes its name.
    Raises UsageError with every mistake of the file.
    """
    if given in feature_sets() or is_definition(given):
        return given
    if not Path(given).is_file():
        known = ", ".join(feature_sets())
        raise UsageError(f"expected one of {known}, or a file of feature templates, got {given!r}")
    definition = read_definition(Path(given))
    try:
        found = feature_set_parts(definition)
    except UsageError as error:
        raise UsageError("\n".join(f"{given}: {line}" for line in str(error).splitlines())) from error
    return next((name for name in feature_sets() if feature_set_parts(name) == found), definition)


def base_sets(features: str) -> tuple[str, ...]:
    """Return the bundled sets that features start from."""
    return _defined(features).bases


def feature_set_parts(features: str) -> tuple[tuple[FeatureTemplate, ...], bool]:
    """Return templates, and whether tokens are merged: what makes two sets the same."""
    templates, bases = _defined(features)
    return templates, not bases or set(bases) != {_UNMERGED}


def _defined(features: str) -> DefinedTemplates:
    if is_definition(features):
        return templates_of(features, feature_sets(), _column_names(), _bundled)
    if features not in feature_sets():
        raise UsageError(f"features: expected one of {', '.join(feature_sets())}, got {features!r}")
    return DefinedTemplates(_bundled(features), (features,))


def _bundled(name: str) -> tuple[FeatureTemplate, ...]:
    return parse_templates((_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines())


def _column_names() -> frozenset[str]:
    """Return the columns that templates of a file can read. Those of background models come with the models."""
    families = (COLUMNS, NEIGHBOUR_COLUMNS, GAZETTEER_COLUMNS, CLUSTER_COLUMNS, LINE_CLASS_COLUMNS, SPEECH_COLUMNS)
    return frozenset(column.name for family in families for column in family)
