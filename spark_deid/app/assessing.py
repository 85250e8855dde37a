"""Try a finished release."""

from functools import partial
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.app.figures import Assessed, Attacked
from spark_deid.app.inputs import AnyFormat, Format, Master, Progress, Workers, check_all, inputs, silent
from spark_deid.app.sessions import are_spread, open_session, processes_of, tasks_of
from spark_deid.core.options import Flag, Options, option
from spark_deid.greedy.attack.settings import Attackers
from spark_deid.repeats.settings import Unit


class AttackOptions(Attackers):
    """A release with labelled documents of it, and who attacks."""

    release: str = Field(description="A finished release.")
    workspace: str = Field(description="The workspace of its run: its edits move gold to the release.")
    gold: str = Field(description="Labelled documents of the release.")
    format: Format
    labels: tuple[str, ...] | None = option(
        None, "Labels of identifiers, with commas between; every label by default.", min_length=1
    )
    loss_ratio: float | None = option(None, "L/C; that of the release's model by default, or 10.", gt=0)
    budgets: tuple[Annotated[int, Field(gt=0)], ...] = option((), "Numbers of inspected words, with commas between.")
    public: str | None = option(None, "Labelled text of another origin, for attackers too.")
    public_format: AnyFormat = option(None, "Its format.")
    simulate: int = option(0, "Also simulate the order of inspection, so many times.", ge=0)
    vc_dimension: float | None = option(None, "VC dimension for the sampling bounds; a measured difference else.", ge=1)
    workers: Workers = None
    master: Master = None

    @field_validator("public_format")
    @classmethod
    def _pair(cls, name: str | None, told: ValidationInfo) -> str | None:
        if (name is None) != (told.data.get("public") is None):
            raise ValueError("--public and --public-format go together")
        return name


class AssessOptions(Options):
    """A release, and what is counted in it again."""

    release: str = Field(description="A release, or the output of repeats.")
    k: int = Field(ge=2, description="What every run of the release must reach.")
    unit: Unit = Field(description="What k counts.")
    workspace: str | None = option(None, "The workspace of the release: its originals count.")
    published: Annotated[bool, Flag("--published")] = option(False, "Count in the released texts alone.")
    sample: int | None = option(None, "Count at most so many distinct runs.", ge=1)
    master: Master = None

    @field_validator("published")
    @classmethod
    def _countable(cls, published: bool, told: ValidationInfo) -> bool:
        if told.data.get("workspace") is None and (not published or told.data.get("unit") is Unit.SUBJECT):
            raise ValueError("without --workspace only --published, and --unit document or occurrence")
        return published


def attack(options: AttackOptions, progress: Progress = silent) -> Attacked:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn. Attackers learn in ``workers``
    processes of this machine, or as tasks of Spark on ``master``.
    """
    from spark_deid.app.attacked_release import attack_release
    from spark_deid.corpus.local import read_documents
    from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
    from spark_deid.learners.background import uses_of
    from spark_deid.learners.registry import LEARNERS

    check_all(
        *inputs(options.release, options.workspace, options.gold, options.public),
        *(partial(LEARNERS.find, name) for name in options.learners),
        partial(uses_of, options.background),
        partial(are_spread, "attack", options.master, options.workers),
    )
    documents = read_documents(options.gold, options.format).documents
    others = read_documents(options.public, options.public_format or "").documents if options.public else ()
    config = AttackConfig(**options.of(Attackers), public=public_examples(others, options.labels))
    spread = are_spread("attack", options.master, options.workers)
    with open_session("attack", options.master, options.gold) as spark:
        workers = tasks_of(spark) if spread else processes_of(options.workers)
        report = attack_release(spark, options, documents, config, workers=workers, progress=progress)
    return Attacked(report)


def assess(options: AssessOptions, progress: Progress = silent) -> Assessed:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release.
    """
    from spark_deid.app.recounted_release import assess_release

    check_all(*inputs(options.release, options.workspace))
    with open_session("assess", options.master, options.release) as spark:
        progress("recount")
        return Assessed(*assess_release(spark, options))
