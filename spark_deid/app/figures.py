"""What use cases tell of what they did; ``to_json`` gives what ``--json`` writes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.report.missed_names import missed_sentences

if TYPE_CHECKING:
    from spark_deid.detection.token_classification.card import ClassifierCard
    from spark_deid.evaluation.counts import MatchCounts
    from spark_deid.evaluation.score import MatchScores
    from spark_deid.greedy.model_card import ModelCard

Json = dict[str, Any]


@dataclass(frozen=True)
class CommandFigures:
    """Figures of a use case."""

    def to_json(self) -> Json:
        """Return the figures as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingFigures(CommandFigures):
    """A model folder, and the report of its training."""

    model: Path
    report: Json

    def to_json(self) -> Json:
        """Return the report."""
        return self.report


@dataclass(frozen=True)
class ModelCardsFigures(CommandFigures):
    """The cards of shipped models and token classifiers, the faults of broken ones by name, or a model's templates."""

    cards: "tuple[ModelCard, ...]"
    broken: Mapping[str, str]
    classifiers: "tuple[ClassifierCard, ...]" = ()
    templates: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableConversionFigures(CommandFigures):
    """A table of people that was written, and its rows."""

    output: str
    rows: int


@dataclass(frozen=True)
class ExportFigures(CommandFigures):
    """A model to give away; ``f1`` has what is lost by a measure, None where no labelled text was given."""

    output: str
    rounds: int
    f1: Mapping[str, Mapping[str, float]] | None


@dataclass(frozen=True)
class SampleFigures(CommandFigures):
    """A page of ``documents`` documents of ``of``; ``bound_without_ticks`` is the share that none ticked allows."""

    output: str
    documents: int
    of: int
    draw: int
    bound_without_ticks: float


@dataclass(frozen=True)
class ConversionFigures(CommandFigures):
    """A corpus that was written, and the inputs rejected by reason."""

    output: str
    documents: int
    spans: int
    rejects: Mapping[str, int]

    def to_json(self) -> Json:
        """Return the figures as plain values; no rejects are told as 0."""
        return asdict(self) | {"rejects": self.rejects or 0}


@dataclass(frozen=True)
class SynthesisFigures(CommandFigures):
    """A corpus that was made up."""

    output: str
    documents: int
    seconds: float


@dataclass(frozen=True)
class ResidualText:
    """The gold that a plan leaves, counted by gold's own labels, and why a run of the plan would be refused."""

    counts: "MatchCounts"
    refused: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what remains of entities and words by label, and how many other words are hidden."""
        words = self.counts["other_words", "", "all"]
        hidden = self.counts["other_words", "", "hidden"]
        return {
            "entities": self._by_label("residual_entities"),
            "words": self._by_label("residual_words"),
            "all_words": self._of("residual_words", ""),
            "other_words": {"all": words, "hidden": hidden, "fraction": hidden / words if words else 0.0},
            "refused": list(self.refused),
        }

    def _by_label(self, measure: str) -> Json:
        return {label: self._of(measure, label) for label in self.counts.labels(measure) if label}

    def _of(self, measure: str, label: str) -> dict[str, int]:
        return {kind: self.counts[measure, label, kind] for kind in ("all", "whole", "part", "by_rule", "by_allow")}


@dataclass(frozen=True)
class EvaluationFigures(CommandFigures):
    """Scores of all that was found, and those of each round where asked for; of a plan also what it leaves.

    ``trained_on`` counts the documents that the model was trained on, ``trained_models`` does for a plan's models.
    """

    scores: "MatchScores"
    rounds: "Mapping[str, MatchScores] | None" = None
    trained_on: int = 0
    residual: ResidualText | None = None
    trained_models: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> Json:
        """Return the scores under the keys of the contract, and how many documents the model was trained on, if any."""
        trained: Json = {"trained_on": self.trained_on} if self.trained_on else {}
        if self.residual is not None:
            trained |= {"residual": self.residual.to_json()}
        if self.trained_models:
            trained |= {"trained_models": dict(self.trained_models)}
        rounds = {} if self.rounds is None else {"rounds": {name: each.to_json() for name, each in self.rounds.items()}}
        return self.scores.to_json() | rounds | trained


@dataclass(frozen=True)
class VerificationFigures(CommandFigures):
    """A release that is what was committed; ``compared`` tells whether its workspace's edits give its texts.

    ``rows`` are those of a table of people, which has no documents. ``reversible_by`` names what must go so that nobody
    can turn a release with pseudonyms, surrogates or shifted dates back.
    """

    release: str
    documents: int
    compared: bool
    rows: int | None = None
    reversible_by: tuple[str, ...] | None = None

    def to_json(self) -> Json:
        """Return what was verified, documents or rows, and what could turn it back where that was looked for."""
        if self.rows is not None:
            return {"release": self.release, "rows": self.rows}
        record: Json = {"release": self.release, "documents": self.documents, "compared": self.compared}
        return record if self.reversible_by is None else {**record, "reversible_by": list(self.reversible_by)}


@dataclass(frozen=True)
class AttackFigures(CommandFigures):
    """The report of an attack."""

    report: Json

    def to_json(self) -> Json:
        """Return the report."""
        return self.report


@dataclass(frozen=True)
class ReleaseAssessmentFigures(CommandFigures):
    """A guarantee that was counted again."""

    guarantee: str
    parameters: str
    value: float
    threshold: float
    satisfied: bool
    evidence: str


@dataclass(frozen=True)
class TableAssessmentFigures(CommandFigures):
    """A table whose privacy models were counted again, an assessment each; ``risk`` is that of being found again."""

    table: str
    classes: int
    rows: int
    persons_in_several_classes: int
    satisfied: bool
    risk: Mapping[str, float]
    assessments: tuple[Mapping[str, Any], ...]
    respelled_ids: int = 0


@dataclass(frozen=True)
class TableReleaseFigures(CommandFigures):
    """A table that was recoded and holds; ``summary`` has counts, loss and risks."""

    output: str
    summary: Json
    assessments: tuple[Mapping[str, Any], ...]
    seconds: float

    def to_json(self) -> Json:
        """Return the figures as plain values."""
        own = {"assessments": [dict(each) for each in self.assessments], "seconds": self.seconds}
        return {"output": self.output, **self.summary, **own}

    def headline(self) -> Json:
        """Return what is worth a line."""
        names = ("verdict", "algorithm", "model", "rows", "persons", "classes", "suppressed_rows")
        record = {name: self.summary[name] for name in names if name in self.summary}
        loss = {
            name: self.summary["loss"][name] for name in ("ncp", "average_class_size") if name in self.summary["loss"]
        }
        risk = {f"highest_risk_{when}": each["prosecutor"] for when, each in self.summary["risk"].items()}
        return {"output": self.output, **record, **loss, **risk, "seconds": self.seconds}


@dataclass(frozen=True)
class SettingFigures:
    """A setting of a table's recoding with its loss, risks and omitted rows, or with the reason why it has no figures.

    ``loss`` is the NCP, None if the algorithm does not report it. ``highest_risk`` is that of an attacker who knows the
    quasi-identifiers and the kept columns.
    """

    model: str
    algorithm: str
    verdict: str | None = None
    rows: int = 0
    suppressed_rows: int = 0
    classes: int = 0
    average_class_size: float | None = None
    loss: float | None = None
    highest_risk: float | None = None
    average_risk: float | None = None
    warnings: tuple[str, ...] = ()
    refused: str | None = None
    command: str = ""

    @classmethod
    def of_summary(
        cls, model: str, algorithm: str, summary: Mapping[str, Any], warnings: tuple[str, ...]
    ) -> "SettingFigures":
        """Return the figures of a setting whose table satisfies its models."""
        after = summary["risk"]["after"]
        known = summary["risk"].get("after_with_kept", after)
        return cls(
            model,
            algorithm,
            verdict=summary["verdict"],
            rows=summary["rows"],
            suppressed_rows=summary.get("suppressed_rows", 0),
            classes=summary["classes"],
            average_class_size=summary["loss"]["average_class_size"],
            loss=summary["loss"].get("ncp"),
            highest_risk=max(after["prosecutor"], known["prosecutor"]),
            average_risk=max(after["marketer"], known["marketer"]),
            warnings=warnings,
        )


@dataclass(frozen=True)
class ComparisonFigures(CommandFigures):
    """Settings of a table's recoding, and the place of their page. No table was written."""

    input: str
    settings: tuple[SettingFigures, ...]
    page: str | None
    seconds: float


@dataclass(frozen=True)
class ExperimentFigures(CommandFigures):
    """The folder of an experiment, and what its page shows."""

    output: str
    results: Json

    def to_json(self) -> Json:
        """Return what the page shows, with the folder."""
        return {"output": self.output, **self.results}


@dataclass(frozen=True)
class ReleaseFigures(CommandFigures):
    """A release: counts over its documents, and how long it took."""

    release: str
    documents: int
    rejects: int
    rounds: int
    spans: int
    publish_ratio: float
    seconds: float
    missed_names: Mapping[str, object] = field(default_factory=dict)
    """How many words of names are estimated to be missed, as in the manifest; empty where no detector could tell."""

    def to_json(self) -> Json:
        """Return the figures as plain values."""
        record = asdict(self)
        return record if self.missed_names else {name: each for name, each in record.items() if name != "missed_names"}

    def _repr_html_(self) -> str:
        """Show the figures in a notebook, and where the report lies."""
        # Start-up: help shows no figures.
        from spark_deid.report.render import notebook_table

        named = {name.replace("_", " "): value for name, value in self.to_json().items() if name != "missed_names"}
        missed = missed_sentences({"missed_names": self.missed_names})
        return notebook_table("Released", (*named.items(), ("report", f"{self.release}/report.html")), missed)


@dataclass(frozen=True)
class SkippedFigures(CommandFigures):
    """A run that was skipped because its release exists and is what the run would repeat."""

    release: str
    skipped: bool = True


@dataclass(frozen=True)
class RepeatsFigures(CommandFigures):
    """A release without rare text; ``results`` is what the search reports."""

    output: str
    results: Json
    assessments: tuple[Mapping[str, Any], ...]
    rejects: Mapping[str, int]
    seconds: float

    def to_json(self) -> Json:
        """Return the figures as plain values."""
        own = {"assessments": list(self.assessments), "rejects": dict(self.rejects), "seconds": self.seconds}
        return {"output": self.output, **self.results, **own}

    def headline(self) -> Json:
        """Return what is worth a line."""
        names = ("documents", "characters", "runs", "hidden_characters", "unsuppressed_ratio")
        record = {name: self.results[name] for name in names}
        return {"output": self.output, **record, "rejects": dict(self.rejects), "seconds": self.seconds}


@dataclass(frozen=True)
class RestorationFigures(CommandFigures):
    """A text whose pseudonyms gave way: how many, how many of them leniently read, and whether it is a document's own.

    ``text`` is for the screen alone, empty where it went to a file.
    """

    output: str
    restored: int
    lenient: int
    exact: bool
    text: str = field(default="", repr=False)

    def to_json(self) -> Json:
        """Return the figures without the text."""
        return {name: value for name, value in asdict(self).items() if name != "text"}
