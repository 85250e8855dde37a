"""What a plan says of generalization: a rule's options, and the rules of all labels together."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule, PlanSection
from spark_deid.core.options import option
from spark_deid.ontology.policies import Method, Objective, PathPolicy

GENERALIZE = "generalize"
OTHERS = "*"
Segment = Literal["document", "paragraph", "sentence"]
SensePolicy = Literal["first", "lesk"]
MOST_T = 1 << 62


class GeneralizeSettings(PlanSection):
    """How the terms of a label are generalized: until their originals could be any of ``t`` texts, a segment."""

    t: int = option(64, "How many texts each segment's original could be, at least.", ge=2, le=MOST_T)
    alpha: float = option(0.5, "The weight of the whole against its terms' likeness, in the cost.", ge=0, le=1)
    segment: Segment = option("document", "What t is counted over.")
    objective: Objective = option("uniform", "What is least: the cost, or the number of texts (volume).")
    search: Method = option("exact", "How it is found; beyond its reach, exact gives way to one-step.")
    delta: int = option(1, "How far lub looks around.", ge=0, le=3)
    ontology: str = option("wordnet", "One that comes with the package, or a file of `ontology build`.", min_length=1)
    paths: PathPolicy = option("first", "Which hypernym a path takes where there are several.")
    sense: SensePolicy = option("first", "Which sense a term has: the usual one, or the one whose gloss fits.")
    senses: dict[str, str] = Field(default_factory=dict)
    frequencies: str = option("", "A table of term and count: originals then count by how often they are written.")
    unseen: float = option(0.0, "Added to the frequency of every original.", ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _senses_are_known(self) -> "GeneralizeSettings":
        from spark_deid.ontology.ontology import ontology_at

        ontology = ontology_at(self.ontology)
        mistakes = []
        for term, sense in self.senses.items():
            try:
                ontology.concept(term, sense)
            except UsageError as error:
                mistakes.append(f"senses: {error}")
        if self.frequencies:
            from spark_deid.ontology.sources.frequencies import read_frequencies
            from spark_deid.plausibility.likelihood import weigh

            weigh(ontology, read_frequencies(Path(self.frequencies)), unseen=self.unseen)
        if mistakes:
            raise ValueError("; ".join(mistakes))
        return self

    @property
    def reading(self) -> "OntologyReading":
        """Return what words are read by."""
        return OntologyReading(
            self.ontology, self.paths, self.sense, tuple(sorted(self.senses.items())), self.frequencies, self.unseen
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


@dataclass(frozen=True)
class GeneralizeRules:
    """The rules of a plan that generalize, by label; ``others`` are the labels whose rules do something else."""

    by_label: Mapping[str, GeneralizeSettings]
    others: frozenset[str] = frozenset()

    def key_of(self, label: str) -> str | None:
        """Return the label whose rule takes this label; all without a rule of their own go by one."""
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

    @property
    def ontologies(self) -> tuple[str, ...]:
        """Return the ontologies, each once."""
        return tuple(dict.fromkeys(reading.ontology for reading in self.readings))


def rules_of(rules: Mapping[str, LabelRule]) -> GeneralizeRules:
    """Take the rules that generalize; raises UsageError where two read one ontology in different ways."""
    own = {label: rule.settings for label, rule in rules.items() if rule.technique == GENERALIZE}
    found = GeneralizeRules(
        {label: settings for label, settings in own.items() if isinstance(settings, GeneralizeSettings)},
        frozenset(rules) - set(own),
    )
    if len(found.readings) > len(found.ontologies):
        labels = ", ".join(sorted(found.by_label))
        raise UsageError(
            f"rules of {labels}: paths, sense, senses, frequencies and unseen differ over one ontology; "
            "a concept has one node in a document, so expected them to agree"
        )
    return found
