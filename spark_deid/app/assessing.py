"""Try a finished release."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.anonymity.model_kind import SensitiveDistance
from spark_deid.app.figures import AttackFigures, ReleaseAssessmentFigures, TableAssessmentFigures, VerificationFigures
from spark_deid.app.inputs import (
    AnyLabelledFormat,
    FormatOptions,
    LabelledFormat,
    Master,
    Progress,
    Unlabelled,
    Workers,
    annotation_check,
    check_all,
    input_checks,
    no_progress,
    read_labelled,
    reading_check,
    table_checks,
)
from spark_deid.app.private_files import new_private_file, write_private_file
from spark_deid.app.sessions import are_spread, open_session, processes_of, tasks_of
from spark_deid.app.tables import ColumnOptions
from spark_deid.core.document import Document
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, loosen_option, option, option_of
from spark_deid.greedy.attack.settings import AttackerSettings
from spark_deid.repeats.settings import CountingUnit
from spark_deid.storage.records import check_held
from spark_deid.storage.table_files import missing_columns


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


def attack(options: AttackOptions, progress: Progress = no_progress) -> AttackFigures:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn. Attackers learn in ``workers``
    processes of this machine, or as tasks of Spark on ``master``.
    """
    from spark_deid.app.attacked_release import attack_release
    from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
    from spark_deid.learners.background import uses_of
    from spark_deid.learners.registry import LEARNERS
    from spark_deid.release.workspace import check_finished
    from spark_deid.report.render import attack_page

    check_all(
        *input_checks(options.release, options.workspace),
        *reading_check(options.gold, options.format, options.options),
        *annotation_check(options.gold, options.format, options.options, options.unlabelled),
        *reading_check(options.public, options.public_format, options.public_options),
        *(partial(LEARNERS.find, name) for name in options.learners),
        partial(uses_of, options.background),
        partial(are_spread, "attack", options.master, options.workers),
    )
    check_finished(options.release, options.workspace)
    documents = read_labelled(options.gold, options.format, options.options, options.unlabelled, progress)
    others: tuple[Document, ...] = ()
    if options.public is not None:
        others = read_labelled(
            options.public, options.public_format or "", options.public_options, options.unlabelled, progress
        )
    config = AttackConfig(**options.of(AttackerSettings), public=public_examples(others, options.labels))
    spread = are_spread("attack", options.master, options.workers)
    with open_session("attack", options.master, options.gold, progress=progress) as spark:
        workers = tasks_of(spark) if spread else processes_of(options.workers)
        report = attack_release(spark, options, documents, config, workers=workers, progress=progress)
    if options.page is not None:
        write_private_file(options.page, attack_page(report))
    return AttackFigures(report)


def verify(options: VerifyOptions, progress: Progress = no_progress) -> VerificationFigures:
    """Check that a release is what was committed, and what the edits of its workspace make of the originals.

    Raises ReleaseError where there is no release, or one without digests, and ChangedReleaseError where it is another.
    """
    from spark_deid.app.verified_release import verify_release
    from spark_deid.release.workspace import check_finished

    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    return verify_release(options, progress)


def assess(
    options: AssessOptions, progress: Progress = no_progress
) -> ReleaseAssessmentFigures | TableAssessmentFigures:
    """Recount a release or a table by another algorithm than what made it."""
    if options.table is not None:
        return assess_table(AssessTableOptions(**options.given), progress)
    return assess_release(AssessReleaseOptions(**options.given), progress)


def assess_release(options: AssessReleaseOptions, progress: Progress = no_progress) -> ReleaseAssessmentFigures:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release.
    """
    from spark_deid.app.recounted_release import recount_release
    from spark_deid.release.workspace import check_finished

    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    with open_session("assess", options.master, options.release, progress=progress) as spark:
        progress("recount")
        return ReleaseAssessmentFigures(*recount_release(spark, options))


def assess_table(options: AssessTableOptions, progress: Progress = no_progress) -> TableAssessmentFigures:
    """Recount the classes of a table by grouping it."""
    from spark_deid.app.assessed_table import assess_columns
    from spark_deid.app.tables import claim_of

    given = table_checks(options.table, options.population, dialect=options.dialect)
    check_all(*given, partial(claim_of, options), partial(missing_columns, options.options))
    missing = missing_columns(options.options)
    check_held(options.table, claim_of(options).columns, dialect=options.dialect, missing=missing)
    with open_session("assess", options.master, options.table, progress=progress) as spark:
        progress("recount")
        return assess_columns(spark, options, claim_of(options), progress)
