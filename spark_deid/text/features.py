"""Named sets of token features."""

from collections.abc import Sequence
from importlib import resources

from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import UsageError
from spark_deid.text.background import BackgroundUse, background_columns, background_templates
from spark_deid.text.clusters import clusters_digest
from spark_deid.text.gazetteer import gazetteer_digest
from spark_deid.text.tagging import TaggerUse
from spark_deid.text.templates import FeatureTemplate, parse_templates
from spark_deid.text.token_columns.cluster import CLUSTER_COLUMNS
from spark_deid.text.token_columns.gazetteer import GAZETTEER_COLUMNS
from spark_deid.text.token_columns.neighbours import NEIGHBOUR_COLUMNS
from spark_deid.text.token_columns.speech import SPEECH_COLUMNS, SPEECH_TEMPLATES
from spark_deid.text.token_columns.table import COLUMNS
from spark_deid.text.tokenizer import ALL_BORDERS, TokenBorder, ViewTokenizer
from spark_deid.text.vocabulary import WordVocabulary, load_vocabulary

_DATA = resources.files("spark_deid.text") / "data" / "features"
DEFAULT_LANGUAGES = ("en", "es")


class FeatureSet(BaseModel):
    """All that decides a token's features but the model's key: templates, borders of tokens, word lists.

    ``merged`` tells whether mail, dates and the like become one token each; ``background`` names the models whose
    probabilities are features, ``gazetteer`` and ``clusters`` the digests of the tables of gazetteers and of clusters
    where templates read them, ``tagger`` what tells parts of speech.
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
    """Return a bundled feature set with the word lists of these languages, and the templates of models and tagger.

    ``hide`` and ``rich`` read the text and the training data alone; ``gazetteer`` and ``full`` gazetteers too, and
    ``clusters`` gazetteers and clusters of words. Names
    of background models are resolved by ``learners.background.chosen_features``.
    """
    if name not in feature_sets():
        raise UsageError(f"features: expected one of {', '.join(feature_sets())}, got {name!r}")
    templates = parse_templates((_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines())
    read = {name for template in templates for name, _ in template.cells}
    return FeatureSet(
        name=name,
        templates=(
            *(str(template) for template in templates),
            *background_templates(background),
            *(SPEECH_TEMPLATES if tagger else ()),
        ),
        merged=name != "hide",
        vocabulary=load_vocabulary(tuple(languages)),
        background=tuple(background),
        gazetteer=gazetteer_digest() if read & {column.name for column in GAZETTEER_COLUMNS} else "",
        clusters=clusters_digest() if read & {column.name for column in CLUSTER_COLUMNS} else "",
        tagger=tagger,
    )
