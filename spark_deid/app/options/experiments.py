"""Options of the experiments."""

from pydantic import Field

from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings as GreedyExperiment
from spark_deid.app.experiments.settings import PlausibilityExperimentSettings as PlausibilityExperiment
from spark_deid.app.experiments.settings import RepeatsExperimentSettings as RepeatsExperiment
from spark_deid.app.experiments.settings import (
    RepresentationExperimentSettings as RepresentationExperiment,
)
from spark_deid.app.experiments.settings import SurrogatesExperimentSettings as SurrogatesExperiment
from spark_deid.app.options.fields import Engine, FormatOptions, Input, LabelledFormat, Master, Unlabelled, Workers
from spark_deid.core.options import option


class RepeatsExperimentOptions(RepeatsExperiment):
    """Labelled text, a place for the figures, and what is tried."""

    input: Input
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    output: str = Field(description="A new folder for tables, charts and report.html.")
    master: Master = None
    engine: Engine = "auto"


class PlausibilityExperimentOptions(PlausibilityExperiment):
    """An ontology, a place for the figures, and what is tried."""

    output: str = Field(description="A new folder for tables, charts and report.html.")
    master: Master = None
    engine: Engine = "auto"


class GreedyExperimentOptions(GreedyExperiment):
    """Labelled text, a place for the figures, and who plays."""

    input: Input
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    output: str = Field(description="A new folder, or the folder of an interrupted run with the same options.")
    workers: int | None = option(None, "Number of parallel fits on this machine.", ge=1)
    master: Master = None
    engine: Engine = "auto"


class RepresentationExperimentOptions(RepresentationExperiment):
    """Labelled text to train on and to score, a place for the figures, and what is tried."""

    input: Input
    format: LabelledFormat
    test: str = Field(description="Labelled text to test and attack the networks.")
    options: FormatOptions = Field(default_factory=dict)
    output: str = Field(description="A new folder, or the folder of an interrupted run with the same options.")

    @property
    def own(self) -> RepresentationExperiment:
        """Return what is tried, without the places of files."""
        return RepresentationExperiment(**{**self.of(RepresentationExperiment), "embeddings": "STORE"})


class SurrogatesExperimentOptions(SurrogatesExperiment):
    """Labelled text, a place for the figures, and what is tried."""

    input: Input
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    output: str = Field(description="A new folder, or the folder of an interrupted run with the same options.")
    workers: Workers = None
