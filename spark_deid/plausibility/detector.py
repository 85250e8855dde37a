"""The detector ``ontology``: terms of an ontology, everywhere they occur; the paper's own choice of sensitive words."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection, PlanView
from spark_deid.core.options import option
from spark_deid.core.span import Finder, Span
from spark_deid.ontology.ontology import ontology_at
from spark_deid.plausibility.text.settings import GENERALIZE, ONTOLOGY, GeneralizeSettings
from spark_deid.plausibility.text.uses import FUNCTION_WORDS, WordUse, use_of
from spark_deid.text.tagging import open_tagger, tagger_use
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.visible import visible

if TYPE_CHECKING:
    from spark_deid.text.tagging import TaggerUse

NAME, TERM = ONTOLOGY, "TERM"
_NOUNS = ("NN", "NOUN", "PROPN")


class OntologySettings(PlanSection):
    """Which words of an ontology are terms: all of them, or those that a tagger takes for nouns."""

    words: Literal["all", "nouns"] = option(
        "all", "all words of the ontology, or only words that are nouns in their line (nouns)."
    )
    tagger: str = option("", "Tagger for nouns: english-pos, nltk:FOLDER, or an installed tagger.")
    source: str = option("wordnet", "An ontology that comes with the package, or a file.", min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> "OntologySettings":
        if (self.words == "nouns") != bool(self.tagger):
            raise ValueError("words: nouns and a tagger (such as english-pos) go together")
        return self


def find_terms(text: str, *, source: str, tagger: "TaggerUse | None") -> list[Span]:
    """Return the terms of an ontology in a text: the longest from left to right, no function words, no bare numbers.

    What is shown to be a verb or an adjective by the words beside it is none either.

    With a tagger a term counts where its last word is tagged as a noun. Texts are read as they look (``text.visible``).
    """
    shown = visible(text)
    if not shown.is_whole:
        return [shown.original(span) for span in find_terms(shown.text, source=source, tagger=tagger)]
    ontology = ontology_at(source)
    rows = ontology.mentions(text).tolist()
    terms = [
        (start, end)
        for start, end, lemma, _ in rows
        if _is_term(text[start:end])
        and (ontology.spelling is not None or use_of(text, start, end, ontology.word(lemma)) is not WordUse.OTHER)
    ]
    if tagger is not None and terms:
        ends = _noun_ends(text, tagger)
        terms = [term for term in terms if term[1] in ends]
    return [Span(start, end, TERM, source=NAME) for start, end in terms]


def _is_term(word: str) -> bool:
    return any(map(str.isalpha, word)) and word.lower() not in FUNCTION_WORDS


def _noun_ends(text: str, tagger: "TaggerUse") -> set[int]:
    tokens = ViewTokenizer()(TextView(text))
    tags = open_tagger(tagger, tagger.place).tags(tokens)
    return {end for end, tag in zip(tokens.ends.tolist(), tags, strict=True) if tag.startswith(_NOUNS)}


def _make(settings: OntologySettings, run: MethodContext) -> Finder:
    return partial(find_terms, source=settings.source, tagger=tagger_use(settings.tagger))


def _check(settings: OntologySettings) -> None:
    ontology_at(settings.source)
    tagger_use(settings.tagger)


def _refuse(settings: OntologySettings, plan: PlanView) -> Sequence[str]:
    given = plan.rules_by_label[TERM].settings
    if not isinstance(given, GeneralizeSettings) or given.ontology == settings.source:
        return ()
    if "ontology" in given.model_fields_set:  # as with a list of terms that a larger ontology generalizes
        return ()
    expected = f"{TERM}: {{technique: {GENERALIZE}, ontology: {settings.source}}}"
    return (
        f"rules.{TERM}: {given.ontology} may lack terms that {NAME} finds in {settings.source}. Expected {expected}",
    )


def _describe(settings: OntologySettings) -> str:
    return f"find terms of {settings.source}: {settings.words}"


def _public(settings: OntologySettings) -> Mapping[str, object]:
    return {NAME: settings.words}


def _seeks(_: OntologySettings) -> DetectorScope:
    return DetectorScope((TERM,), blind_spots=("terms that the ontology lacks, and misspelled ones",))


def _warn(settings: OntologySettings, texts: Sequence[str]) -> tuple[str, ...]:
    if settings.words != "all":
        return ()
    return (f"{NAME}: words: all treats nearly every noun as a term, so the generalized text becomes hard to read",)


KIND = DetectorKind(
    settings=OntologySettings,
    describe=_describe,
    legend="ontology",
    make=_make,
    public=_public,
    check=_check,
    example="ontology: {words: all}",
    seeks=_seeks,
    warn=_warn,
    refuse=_refuse,
    techniques=MappingProxyType({TERM: (GENERALIZE, "suppress", "mask")}),
)
