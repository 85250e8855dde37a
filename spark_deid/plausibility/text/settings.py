"""A plan's settings of generalization: a rule's options, and the rules of all labels together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule, PlanSection
from spark_deid.core.options import option
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.policies import CUT, Objective, PathPolicy, RuleSearch
from spark_deid.ontology.sources.tables import read_frequencies
from spark_deid.ontology.subtrees import hang_concepts, roots_of
from spark_deid.plausibility.likelihood import weigh_leaves

GENERALIZE = "generalize"
ONTOLOGY = "ontology"
"""The detector that marks words by an ontology's list only."""
OTHERS = "*"
Segment = Literal["document", "paragraph", "sentence"]
SensePolicy = Literal["first", "lesk"]
MOST_T = 1 << 62
LEAST_DOCUMENTS = 10
"""Figures over fewer documents are not written where they may be published."""


class GeneralizeSettings(PlanSection):
    """How the terms of a label are generalized: until their originals could be any of ``t`` texts, a segment."""

    t: int = option(64, "Minimum number of possible originals of each segment.", ge=2, le=MOST_T)
    alpha: float = option(0.5, "The weight of the whole against its terms' likeness, in the cost.", ge=0, le=1)
    segment: Segment = option("document", "The unit that t counts.")
    objective: Objective = option("uniform", "The minimized quantity: the cost, or the number of texts (volume).")
    search: RuleSearch = option(
        "exact",
        "The search. exact falls back to one-step if it is too large. cut uses a fixed partition.",
    )
    delta: int = option(1, "How far lub looks around.", ge=0, le=3)
    ontology: str = option("wordnet", "An ontology of the package, or a file of `ontology build`.", min_length=1)
    below: tuple[str, ...] = option(
        (), "The concepts above all terms of the label. A word has its first sense below them."
    )
    paths: PathPolicy = option("first", "The hypernym of a path if a term has several.")
    sense: SensePolicy = option("first", "Which sense a term has: the usual one, or the one whose gloss fits.")
    senses: dict[str, str] = Field(default_factory=dict)
    frequencies: str = option("", "A table of term and count: originals then count by how often they are written.")
    unseen: float = option(0.0, "Added to the frequency of every original.", ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _senses_are_known(self) -> "GeneralizeSettings":
        ontology = ontology_at(self.ontology)
        mistakes = []
        try:
            roots = roots_of(ontology, self.below)
        except UsageError as error:
            roots = ()
            mistakes.append(f"below: {error}")
        inside = hang_concepts(ontology, roots).inside if self.senses else None
        for term, sense in self.senses.items():
            try:
                concept = ontology.concept(term, sense)
                if inside is not None and not inside[concept]:
                    mistakes.append(f"senses: {term}: expected a sense below {', '.join(self.below)}")
            except UsageError as error:
                mistakes.append(f"senses: {error}")
        if self.search == CUT and ontology.spelling is not None:
            mistakes.append(f"search: cut counts originals that are listed: expected another search of {self.ontology}")
        if self.search == CUT and (self.sense != "first" or self.frequencies):
            mistakes.append("search: cut counts all originals as equally likely. Remove lesk and frequencies")
        if self.frequencies:
            weigh_leaves(ontology, read_frequencies(Path(self.frequencies)), unseen=self.unseen)
        if mistakes:
            raise ValueError("; ".join(mistakes))
        return self

    @property
    def reading(self) -> "OntologyReading":
        """Return what words are read by."""
        return OntologyReading(
            self.ontology,
            self.paths,
            self.sense,
            tuple(sorted(self.senses.items())),
            self.frequencies,
            self.unseen,
            self.below,
        )


@dataclass(frozen=True)
class OntologyReading:
    """By what words become concepts, and concepts paths: an ontology, how it is read, and how likely originals are."""

    ontology: str
    paths: PathPolicy = "first"
    sense: SensePolicy = "first"
    senses: tuple[tuple[str, str], ...] = ()
    frequencies: str = ""
    unseen: float = 0.0
    below: tuple[str, ...] = ()


class CutDemand(NamedTuple):
    """What a partition of originals is made for: how words are read, how many texts, and who else reads words."""

    reading: OntologyReading
    t: int
    others: tuple[OntologyReading, ...] = ()


@dataclass(frozen=True)
class GeneralizeRules:
    """The rules of a plan that generalize, by label; ``others`` are the labels whose rules do something else."""

    by_label: Mapping[str, GeneralizeSettings]
    others: frozenset[str] = frozenset()

    def key_of(self, label: str) -> str | None:
        """Return the label whose rule takes this label; all without a separate rule follow one."""
        if label in self.by_label:
            return label
        return OTHERS if OTHERS in self.by_label and label not in self.others else None

    @cached_property
    def reading_by_label(self) -> Mapping[str, OntologyReading]:
        """Return by what the words of each label are read."""
        return {label: settings.reading for label, settings in sorted(self.by_label.items())}

    @cached_property
    def readings(self) -> tuple[OntologyReading, ...]:
        """Return by what words are read, each once."""
        return tuple(dict.fromkeys(self.reading_by_label.values()))

    def reading_of(self, label: str) -> OntologyReading | None:
        """Return by what the words of a label are read, None where its rule does not generalize."""
        key = self.key_of(label)
        return None if key is None else self.reading_by_label[key]

    @cached_property
    def cut_by_reading(self) -> Mapping[OntologyReading, GeneralizeSettings]:
        """Return the settings of the rules that follow a partition, by their reading: those of one count as one."""
        return {each.reading: each for _, each in sorted(self.by_label.items()) if each.search == CUT}

    def demand_of(self, reading: OntologyReading) -> CutDemand:
        """Return what the partition of a reading is made for."""
        others = tuple(each for each in self.readings if each != reading)
        return CutDemand(reading, self.cut_by_reading[reading].t, others)

    def label_of(self, reading: OntologyReading) -> str:
        """Return the first label of a reading: what is found by it beside marked terms has this one."""
        return next(label for label, each in self.reading_by_label.items() if each == reading)

    @property
    def ontologies(self) -> tuple[str, ...]:
        """Return the ontologies, each once."""
        return tuple(dict.fromkeys(reading.ontology for reading in self.readings))


def rules_of(rules: Mapping[str, LabelRule]) -> GeneralizeRules:
    """Take the rules that generalize.

    Raises UsageError where two read one ontology in different ways, ``below`` aside, or one of several follows a
    partition whose subtrees another shares in part.
    """
    own = {label: rule.settings for label, rule in rules.items() if rule.technique == GENERALIZE}
    found = GeneralizeRules(
        {label: settings for label, settings in own.items() if isinstance(settings, GeneralizeSettings)},
        frozenset(rules) - set(own),
    )
    labels = ", ".join(sorted(found.by_label))
    if len({replace(reading, below=()) for reading in found.readings}) > len(found.ontologies):
        raise UsageError(
            f"rules of {labels}: expected equal paths, sense, senses, frequencies and unseen for one "
            "ontology, because a concept has one node in a document"
        )
    _check_cuts(found)
    return found


def _check_cuts(rules: GeneralizeRules) -> None:
    """Check that rules that follow partitions share no part of an ontology, unless they count as one."""
    for (one, first), (other, second) in combinations(sorted(rules.by_label.items()), 2):
        if first.ontology != second.ontology or CUT not in (first.search, second.search):
            continue
        if first.search != second.search:
            raise UsageError(f"rules of {one}, {other}: expected search: cut for all of one ontology, or for none")
        equal = (first.reading, first.t, first.segment) == (second.reading, second.t, second.segment)
        if not equal and _overlap(first, second):
            raise UsageError(
                f"rules of {one}, {other}: below names overlapping subtrees. With search: cut, expected "
                "disjoint subtrees, or the same subtrees with the same t and segment"
            )


def _overlap(first: GeneralizeSettings, second: GeneralizeSettings) -> bool:
    ontology = ontology_at(first.ontology)
    one, other = (hang_concepts(ontology, roots_of(ontology, each.below)).inside for each in (first, second))
    return bool((one & other).any())
