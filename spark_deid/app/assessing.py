"""Try a finished release."""

from functools import partial

from spark_deid.app.assessed_table import assess_columns
from spark_deid.app.attacked_release import attack_release
from spark_deid.app.figures import AttackFigures, ReleaseAssessmentFigures, TableAssessmentFigures, VerificationFigures
from spark_deid.app.inputs import (
    Progress,
    annotation_check,
    check_all,
    input_checks,
    no_progress,
    read_labelled,
    reading_check,
    table_checks,
)
from spark_deid.app.options.assessing import (
    AssessOptions,
    AssessReleaseOptions,
    AssessTableOptions,
    AttackOptions,
    VerifyOptions,
)
from spark_deid.app.private_files import write_private_file
from spark_deid.app.recounted_release import recount_release
from spark_deid.app.sessions import are_spread, open_session, processes_of, tasks_of
from spark_deid.app.tables import claim_of
from spark_deid.app.verified_release import verify_release
from spark_deid.core.document import Document
from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
from spark_deid.greedy.attack.settings import AttackerSettings
from spark_deid.learners.background import uses_of
from spark_deid.learners.registry import LEARNERS
from spark_deid.release.workspace import check_finished
from spark_deid.report.render import attack_page
from spark_deid.storage.records import check_held
from spark_deid.storage.table_files import missing_columns


def attack(options: AttackOptions, progress: Progress = no_progress) -> AttackFigures:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn. Attackers learn in ``workers``
    processes of this machine, or as tasks of Spark on ``master``.
    """
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
    with open_session("attack", options.master, options.gold, progress=progress, engine=options.engine) as spark:
        workers = tasks_of(spark) if spread else processes_of(options.workers)
        report = attack_release(spark, options, documents, config, workers=workers, progress=progress)
    if options.page is not None:
        write_private_file(options.page, attack_page(report))
    return AttackFigures(report)


def verify(options: VerifyOptions, progress: Progress = no_progress) -> VerificationFigures:
    """Check that a release is what was committed, and what the edits of its workspace make of the originals.

    Raises ReleaseError where there is no release, or one without digests, and ChangedReleaseError where it is another.
    """
    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    return verify_release(options, progress)


def assess(
    options: AssessOptions, progress: Progress = no_progress
) -> ReleaseAssessmentFigures | TableAssessmentFigures:
    """Recount a release or a table with another algorithm than the code that made it.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the recount.
    """
    if options.table is not None:
        return assess_table(AssessTableOptions(**options.given), progress)
    return assess_release(AssessReleaseOptions(**options.given), progress)


def assess_release(options: AssessReleaseOptions, progress: Progress = no_progress) -> ReleaseAssessmentFigures:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release.
    """
    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    with open_session("assess", options.master, options.release, progress=progress, engine=options.engine) as spark:
        progress("recount")
        return ReleaseAssessmentFigures(*recount_release(spark, options))


def assess_table(options: AssessTableOptions, progress: Progress = no_progress) -> TableAssessmentFigures:
    """Recount the classes of a table by grouping it."""
    given = table_checks(options.table, options.population, dialect=options.dialect)
    check_all(*given, partial(claim_of, options), partial(missing_columns, options.options))
    missing = missing_columns(options.options)
    check_held(options.table, claim_of(options).columns, dialect=options.dialect, missing=missing)
    with open_session("assess", options.master, options.table, progress=progress, engine=options.engine) as spark:
        progress("recount")
        return assess_columns(spark, options, claim_of(options), progress)
