"""Try a finished release."""

from spark_deid.app.inputs import Figures, Progress, check_format
from spark_deid.app.sessions import are_spread, open_session, processes_of, tasks_of
from spark_deid.core.errors import UsageError


def attack(
    release: str,
    workspace: str,
    gold: str,
    input_format: str,
    *,
    labels: tuple[str, ...] | None = None,
    learners: tuple[str, ...] | None = None,
    features: str = "rich",
    stronger: str = "full",
    background: tuple[str, ...] = (),
    loss_ratio: float | None = None,
    budgets: tuple[int, ...] = (),
    public: str | None = None,
    public_format: str | None = None,
    folds: int = 3,
    seed: int = 0,
    simulate: int = 0,
    vc_dimension: float | None = None,
    workers: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn. Attackers learn in ``workers``
    processes of this machine, or as tasks of Spark on ``master``.
    """
    from spark_deid.app.attacked_release import attack_release
    from spark_deid.corpus.local import read_documents
    from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
    from spark_deid.greedy.attack.report import ReportOptions
    from spark_deid.learners.registry import LEARNERS

    check_format(input_format, *((public_format,) if public_format else ()))
    if (public is None) != (public_format is None):
        raise UsageError("attack: --public and --public-format go together")
    if loss_ratio is not None and loss_ratio <= 0:
        raise UsageError("loss-ratio: expected a number above 0")
    for name in learners or ():
        LEARNERS.find(name)
    documents = read_documents(gold, input_format).documents
    others = read_documents(public, public_format).documents if public and public_format else ()
    config = AttackConfig(
        learners=learners or tuple(LEARNERS.built_in),
        features=features,
        stronger=stronger,
        background=background,
        public=public_examples(others, labels),
        folds=folds,
        seed=seed,
    )
    options = ReportOptions(budgets=budgets, simulate=simulate, dimension=vc_dimension, seed=seed)
    spread = are_spread("attack", master, workers)
    with open_session("attack", master, gold) as spark:
        return attack_release(
            spark,
            release,
            workspace,
            documents,
            config,
            options,
            labels=labels,
            loss_ratio=loss_ratio,
            workers=tasks_of(spark) if spread else processes_of(workers),
            progress=progress,
        )


def assess(
    release: str,
    *,
    workspace: str | None = None,
    k: int,
    unit: str,
    published: bool = False,
    sample: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release. Raises UsageError where what
    is asked for needs a workspace.
    """
    from spark_deid.app.recounted_release import assess_release

    if workspace is None and (not published or unit == "subject"):
        raise UsageError("assess: without --workspace only --published, and --unit document or occurrence")
    with open_session("assess", master, release) as spark:
        progress("recount")
        return assess_release(spark, release, workspace, k=k, unit=unit, published=published, sample=sample)._asdict()
