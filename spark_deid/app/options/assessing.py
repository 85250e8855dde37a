"""Options of commands that check a finished release."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.app.options.fields import (
    AnyLabelledFormat,
    Engine,
    FormatOptions,
    LabelledFormat,
    Master,
    Unlabelled,
    Workers,
    new_private_file,
)
from spark_deid.app.options.tables import ColumnOptions
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, loosen_option, option, option_of
from spark_deid.greedy.attack.settings import AttackerSettings
from spark_deid.repeats.settings import CountingUnit


class AttackOptions(AttackerSettings):
    """A release with labelled documents of it, and who attacks."""

    release: str = Field(description="A finished release.")
    workspace: str = Field(description="The workspace of the release, which maps the positions of gold to the release.")
    gold: str = Field(description="Labelled documents that the release contains.")
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    labels: tuple[str, ...] | None = option(
        None, "Labels of identifiers, separated by commas. The default is every label.", min_length=1
    )
    loss_ratio: float | None = option(
        None, "The loss ratio L/C. The default is the ratio of the release's model, or 10.", gt=0
    )
    budgets: tuple[Annotated[int, Field(gt=0)], ...] = option((), "Numbers of inspected words, separated by commas.")
    public: str | None = option(None, "Labelled text from another source, used to train further attackers.")
    public_format: AnyLabelledFormat = option(None, "Its format.")
    public_options: Annotated[dict[str, str], OptionFlag("--public-option")] = Field(
        default_factory=dict, description="Option of the format of --public, as in --option. Repeatable."
    )
    simulate: int = option(0, "Number of simulated inspections in addition to the computed result.", ge=0)
    vc_dimension: float | None = option(
        None, "VC dimension for the sampling bounds. The default is a measured difference.", ge=1
    )
    surrogates: Annotated[bool, OptionFlag("--surrogates")] = option(
        False, "Also guess the real names in a release with surrogates (the parrot attack)."
    )
    page: str | None = option(None, "New private file (mode 0600) for a page about the attackers' results.")
    workers: Workers = None
    master: Master = None
    engine: Engine = "auto"

    @field_validator("public_format")
    @classmethod
    def _pair(cls, name: str | None, info: ValidationInfo) -> str | None:
        if (name is None) != (info.data.get("public") is None):
            raise ValueError("--public and --public-format need each other")
        return name

    _is_new = field_validator("page")(new_private_file)


class AssessReleaseOptions(CommandOptions):
    """A release, and what is counted in it again."""

    release: str = Field(description="A release, or the output of repeats.")
    k: int = Field(ge=2, description="Minimum count of every run of text in the release.")
    unit: CountingUnit = Field(description="What k counts.")
    workspace: str | None = option(
        None, "The workspace: the originals of a release, or for a table the people (m) and column types (delta)."
    )
    published: Annotated[bool, OptionFlag("--published")] = option(False, "Count in the released texts only.")
    sample: int | None = option(None, "Maximum number of distinct runs to count.", ge=1)
    master: Master = None
    engine: Engine = "auto"

    @field_validator("published")
    @classmethod
    def _countable(cls, published: bool, info: ValidationInfo) -> bool:
        if info.data.get("workspace") is None and (not published or info.data.get("unit") is CountingUnit.SUBJECT):
            raise ValueError("expected --workspace, or --published with --unit document or occurrence")
        return published


class VerifyOptions(CommandOptions):
    """A release, and the workspace of its run."""

    release: Annotated[str, ArgumentMetavar("RELEASE")] = Field(description="A finished release.")
    workspace: str | None = option(
        None, "The workspace of the release. Its record and the edits of its originals must reproduce the release."
    )
    master: Master = None
    engine: Engine = "auto"


class AssessTableOptions(ColumnOptions):
    """A table of people, and what is counted in it again."""

    table: str = Field(description="A table in Delta, Parquet or CSV.")


class AssessOptions(CommandOptions):
    """A release or a table, and what is counted in it again."""

    release: str | None = loosen_option(AssessReleaseOptions, "release")
    k: int | None = loosen_option(AssessReleaseOptions, "k")
    unit: CountingUnit | None = loosen_option(AssessReleaseOptions, "unit")
    workspace: str | None = option_of(AssessReleaseOptions, "workspace")
    published: Annotated[bool, OptionFlag("--published")] = option_of(AssessReleaseOptions, "published")
    sample: int | None = option_of(AssessReleaseOptions, "sample")
    table: str | None = loosen_option(AssessTableOptions, "table")
    quasi: tuple[str, ...] | None = loosen_option(AssessTableOptions, "quasi")
    model: str | None = loosen_option(AssessTableOptions, "model")
    sensitive: tuple[str, ...] = option_of(AssessTableOptions, "sensitive")
    person: str | None = option_of(AssessTableOptions, "person")
    hierarchies: str | None = option_of(AssessTableOptions, "hierarchies")
    distance: SensitiveDistance = option_of(AssessTableOptions, "distance")
    population: str | None = option_of(AssessTableOptions, "population")
    locale: str = option_of(AssessTableOptions, "locale")
    delimiter: str = option_of(AssessTableOptions, "delimiter")
    options: Annotated[dict[str, str], OptionFlag("--option")] = option_of(AssessTableOptions, "options")
    quote: str = option_of(AssessTableOptions, "quote")
    escape: str | None = option_of(AssessTableOptions, "escape")
    master: Master = None
    engine: Engine = "auto"

    @field_validator("table")
    @classmethod
    def _one(cls, table: str | None, info: ValidationInfo) -> str | None:
        if (table is None) == (info.data.get("release") is None):
            raise ValueError("expected either --release or --table")
        return table


class SampleOptions(CommandOptions):
    """A release, and how many of its documents are drawn."""

    release: Annotated[str, ArgumentMetavar("RELEASE")] = Field(description="A finished release.")
    output: str = Field(description="New private file (mode 0600) for the page.")
    documents: int = option(100, "Number of documents in the sample.", ge=1)
    draw: int = option(1, "Number of the sample. A later sample has other documents and wider bounds.", ge=1)
    master: Master = None
    engine: Engine = "auto"

    _is_new = field_validator("output")(new_private_file)


class RestoreOptions(CommandOptions):
    """A text with pseudonyms, and the workspace that knows what they represent."""

    file: Annotated[str, ArgumentMetavar("FILE")] = Field(description="A UTF-8 text file with pseudonyms.")
    workspace: str = Field(description="The workspace of the run that created the pseudonyms.")
    document: str | None = option(None, "The id, in the workspace, of the document whose pseudonyms the file contains.")
    subject: str | None = option(
        None, "The subject_id whose pseudonyms the file contains, if the plan has scope: subject."
    )
    lenient: Annotated[bool, OptionFlag("--lenient")] = option(
        False, "Also accept pseudonyms in another case or without brackets."
    )
    output: str | None = option(None, "New private file (mode 0600) for the result. The default is the screen.")
    master: Master = None
    engine: Engine = "auto"

    @field_validator("subject")
    @classmethod
    def _one(cls, subject: str | None, info: ValidationInfo) -> str | None:
        if (subject is None) == (info.data.get("document") is None):
            raise ValueError("expected either --document or --subject, because numbers restart in each")
        return subject

    _is_new = field_validator("output")(new_private_file)
