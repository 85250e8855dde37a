"""Options of commands that learn a model, show it, export it or use it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.app.options.fields import (
    AnyLabelledFormat,
    Engine,
    Format,
    FormatOptions,
    Input,
    LabelledFormat,
    Master,
    Unlabelled,
    Workers,
    annotated_formats,
    new_private_file,
)
from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.labels import is_label
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, one_of, option
from spark_deid.detection.token_classification.shipped import ENGLISH_NEURAL, INSTALL_ENGLISH, TOKEN_CLASSIFIERS
from spark_deid.greedy.shipped import MODELS, NamedModel
from spark_deid.greedy.training_settings import TrainingSettings

MODEL = "A model folder written by train, or the name of a shipped model (see models)."


class TrainOptions(TrainingSettings):
    """Labelled text, the model folder to make, and how it is learned."""

    input: Input
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    output: Path = Field(description="A new or empty folder for the model.")
    patterns: Path | None = option(None, "A plan whose pattern detectors take part in the simulated rounds.")
    context: Path | None = option(
        None, "A plan with a `context`. Training also learns the terms of its categories with route label."
    )
    key_file: Path | None = option(None, "Key file for features that contain words. The default is a random key.")
    learning_curve: Annotated[bool, OptionFlag("--learning-curve")] = option(
        False, "Also train on fractions of the text, to show whether more labels would help."
    )
    workers: Workers = None
    master: str | None = option(
        None, "A Spark master that trains folds and learners as tasks. The default trains in local processes."
    )


class ExportOptions(CommandOptions):
    """A model, and where what may be given away of it goes."""

    model: Annotated[Path, ArgumentMetavar("MODEL"), NamedModel] = Field(description=MODEL)
    output: Annotated[Path, ArgumentMetavar("OUT")] = Field(description="A new folder.")
    gold: str | None = option(None, "Labelled text that the model was not trained on, to measure the loss in F1.")
    format: AnyLabelledFormat = option(None, "The format of the labelled text.")
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"

    @field_validator("format")
    @classmethod
    def _pair(cls, name: str | None, info: ValidationInfo) -> str | None:
        if (name is None) != (info.data.get("gold") is None):
            raise ValueError("--gold and --format need each other")
        return name


class DetectOptions(CommandOptions):
    """A corpus, and the model that annotates it."""

    model: Annotated[Path, NamedModel] = Field(description=MODEL)
    input: Input
    format: Format
    options: FormatOptions = Field(default_factory=dict)
    output: str = Field(description="A new folder for the annotated corpus.")
    to: Annotated[str, one_of(annotated_formats)] = Field(description="The format of the output.")
    decoding: Literal["viterbi", "cost"] | None = option(
        None, "viterbi, or cost (annotate if p > C/(L+C)). The default is the decoding of the training."
    )
    master: Master = None
    engine: Engine = "auto"


class EvaluateOptions(CommandOptions):
    """A labelled corpus, and what is scored against it: a model, a table of spans, or a plan."""

    gold: str = Field(description="A labelled corpus.")
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    model: Annotated[Path | None, NamedModel] = option(None, f"Score this model. {MODEL}")
    spans: str | None = option(None, "Score this table of spans: the Delta table of a workspace.")
    plan: Path | None = option(
        None, "Score the spans that this plan hides. The plan does not see gold and writes no files."
    )
    overrides: Annotated[dict[str, str], OptionFlag("--set")] = Field(
        default_factory=dict,
        description="Value that overrides the plan, as path.to.key=value. Repeatable. Needs --plan.",
    )
    scratch: Path | None = option(None, "A folder that every worker of the cluster sees. Needs --plan.")
    labels: tuple[str, ...] | None = option(
        None,
        "Labels to score, separated by commas. The default is every label. PER=NAME scores gold's PER as NAME.",
        min_length=1,
    )
    rounds: bool = option(False, "Also score each round of the model separately.")
    page: str | None = option(None, "New private file (mode 0600) for a page of the scores. With --plan it shows text.")
    master: Master = None
    engine: Engine = "auto"

    _is_new = field_validator("page")(new_private_file)

    @field_validator("plan")
    @classmethod
    def _either(cls, plan: Path | None, info: ValidationInfo) -> Path | None:
        given = [info.data.get(name) for name in ("model", "spans")]
        if "model" in info.data and sum(each is not None for each in (*given, plan)) != 1:
            raise ValueError("expected one of --model, --spans and --plan")
        return plan

    @field_validator("overrides")
    @classmethod
    def _of_a_plan(cls, overrides: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        if overrides and info.data.get("plan") is None:
            raise ValueError("needs --plan")
        return overrides

    @field_validator("labels")
    @classmethod
    def _names(cls, labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if labels is None:
            return None
        if not all(re.fullmatch("[^=:]+(?:[=:][^=:]+)?", label) for label in labels):
            raise ValueError("expected labels, or pairs such as PER=NAME, separated by commas")
        pairs = tuple(label.replace(":", "=") for label in labels)
        if len({pair.partition("=")[0] for pair in pairs}) < len(pairs):
            raise ValueError("expected each label of gold once")
        return pairs

    @property
    def renamed(self) -> dict[str, str]:
        """Return the labels of gold that are scored, each with the one that a detector writes for it."""
        return {name: other or name for name, _, other in (label.partition("=") for label in self.labels or ())}

    @field_validator("rounds")
    @classmethod
    def _of_a_model(cls, rounds: bool, info: ValidationInfo) -> bool:
        if rounds and info.data.get("model") is None:
            raise ValueError("needs --model")
        return rounds


class CalibrateOptions(CommandOptions):
    """The folder of a token classifier, and labelled text that it was not trained on."""

    model: Annotated[Path, ArgumentMetavar("FOLDER")] = Field(
        description="Folder of a token classifier in ONNX, as in a plan's `onnx`."
    )
    gold: str = Field(description="A labelled corpus that the model was not trained on.")
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    labels: tuple[str, ...] = option(
        (), "Pairs of the model's entities and gold's labels: PER=NAME,LOC=CITY. MISC= ignores an entity."
    )

    @field_validator("labels")
    @classmethod
    def _pairs(cls, labels: tuple[str, ...]) -> tuple[str, ...]:
        for entity, sign, label in (each.partition("=") for each in labels):
            if not (entity and sign) or (label and not is_label(label)):
                raise ValueError("expected pairs such as PER=NAME, separated by commas")
        return labels

    @property
    def labels_by_entity(self) -> Mapping[str, str | None]:
        """Return the label of each entity that was named, none for those that are omitted."""
        return {entity: label or None for entity, _, label in (each.partition("=") for each in self.labels)}


def model_names() -> tuple[str, ...]:
    """Return the names of shipped models and token classifiers."""
    return tuple(dict.fromkeys((*MODELS.names(), *TOKEN_CLASSIFIERS.names())))


class ModelsOptions(CommandOptions):
    """The shipped models to list, or one model to describe."""

    templates: Annotated[bool, OptionFlag("--templates")] = option(
        False, "List the feature templates of a shipped model or of a model folder."
    )
    name: Annotated[str | None, ArgumentMetavar("[NAME]")] = option(None, "Shipped model whose card is shown.")

    @field_validator("name")
    @classmethod
    def _known(cls, name: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("templates"):
            if name is None:
                raise ValueError("--templates needs a model")
        elif name == ENGLISH_NEURAL and name not in model_names():
            raise ValueError(f"not installed; {INSTALL_ENGLISH}")
        elif name is not None and name not in model_names():
            raise NotOneOf(name, model_names())
        return name


class FeaturesOptions(CommandOptions):
    """A model, and a document whose tokens are explained."""

    model: Annotated[Path, ArgumentMetavar("MODEL"), NamedModel] = Field(
        description="A model folder, or the name of a shipped model."
    )
    document: Path = Field(description="A file of text in UTF-8.")
    most: int = option(10, "Maximum number of features per token.", ge=1)
    output: str | None = option(None, "A new file that only you can read. The default is the screen.")

    _is_new = field_validator("output")(new_private_file)
