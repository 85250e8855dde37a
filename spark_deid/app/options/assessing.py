"""Options of commands that check a finished release."""

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.app.options.fields import (
    AnyLabelledFormat,
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
    workspace: str = Field(description="The workspace of its run: its edits move gold to the release.")
    gold: str = Field(description="Labelled documents of the release.")
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    labels: tuple[str, ...] | None = option(
        None, "Labels of identifiers, with commas between; every label by default.", min_length=1
    )
    loss_ratio: float | None = option(None, "L/C; that of the release's model by default, or 10.", gt=0)
    budgets: tuple[Annotated[int, Field(gt=0)], ...] = option((), "Numbers of inspected words, with commas between.")
    public: str | None = option(None, "Labelled text of another origin, for attackers too.")
    public_format: AnyLabelledFormat = option(None, "Its format.")
    public_options: Annotated[dict[str, str], OptionFlag("--public-option")] = Field(
        default_factory=dict, description="How its format is to be read, as --option."
    )
    simulate: int = option(0, "Also simulate the order of inspection, so many times.", ge=0)
    vc_dimension: float | None = option(None, "VC dimension for the sampling bounds; a measured difference else.", ge=1)
    surrogates: Annotated[bool, OptionFlag("--surrogates")] = option(
        False, "Also guess which names of a release with surrogates are real (the parrot attack)."
    )
    page: str | None = option(None, "A new file for a page of what attackers found, which its owner alone can read.")
    workers: Workers = None
    master: Master = None

    @field_validator("public_format")
    @classmethod
    def _pair(cls, name: str | None, info: ValidationInfo) -> str | None:
        if (name is None) != (info.data.get("public") is None):
            raise ValueError("--public and --public-format go together")
        return name

    _is_new = field_validator("page")(new_private_file)


class AssessReleaseOptions(CommandOptions):
    """A release, and what is counted in it again."""

    release: str = Field(description="A release, or the output of repeats.")
    k: int = Field(ge=2, description="What every run of the release must reach.")
    unit: CountingUnit = Field(description="What k counts.")
    workspace: str | None = option(
        None, "The workspace: originals of a release, or who is who (m) and types (delta) of a table."
    )
    published: Annotated[bool, OptionFlag("--published")] = option(False, "Count in the released texts alone.")
    sample: int | None = option(None, "Count at most so many distinct runs.", ge=1)
    master: Master = None

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
        None, "The workspace of its run: its record and its edits of the originals must give the release."
    )
    master: Master = None


class AssessTableOptions(ColumnOptions):
    """A table of people, and what is counted in it again."""

    table: str = Field(description="A table: Delta, Parquet or CSV.")


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

    @field_validator("table")
    @classmethod
    def _one(cls, table: str | None, info: ValidationInfo) -> str | None:
        if (table is None) == (info.data.get("release") is None):
            raise ValueError("expected either --release or --table")
        return table

    @property
    def given(self) -> dict[str, Any]:
        """Return the values that are not their defaults."""
        fields = type(self).model_fields.items()
        defaults = {name: field.get_default(call_default_factory=True, validated_data={}) for name, field in fields}
        return {name: value for name, value in self if value != defaults[name]}


class SampleOptions(CommandOptions):
    """A release, and how many of its documents are drawn."""

    release: Annotated[str, ArgumentMetavar("RELEASE")] = Field(description="A finished release.")
    output: str = Field(description="A new file for the page, which its owner alone can read.")
    documents: int = option(100, "How many documents are drawn.", ge=1)
    draw: int = option(1, "1 for the first draw; a further one has other documents and wider bounds.", ge=1)
    master: Master = None

    _is_new = field_validator("output")(new_private_file)


class RestoreOptions(CommandOptions):
    """A text with pseudonyms, and the workspace that knows what they stand for."""

    file: Annotated[str, ArgumentMetavar("FILE")] = Field(description="A text with pseudonyms, in UTF-8.")
    workspace: str = Field(description="The workspace of the run that wrote them.")
    document: str | None = option(None, "The document whose pseudonyms they are, by its id in the workspace.")
    subject: str | None = option(None, "The person whose pseudonyms they are, where the plan's scope is subject.")
    lenient: Annotated[bool, OptionFlag("--lenient")] = option(
        False, "Take pseudonyms in another case or without brackets, too."
    )
    output: str | None = option(None, "A new file for the text, which its owner alone can read; else the screen.")
    master: Master = None

    @field_validator("subject")
    @classmethod
    def _one(cls, subject: str | None, info: ValidationInfo) -> str | None:
        if (subject is None) == (info.data.get("document") is None):
            raise ValueError("expected either --document or --subject, since numbers begin anew in each")
        return subject

    _is_new = field_validator("output")(new_private_file)
