"""Draw the figures of the papers."""

from spark_deid.app.inputs import Figures, Progress, check_format, check_input, check_output, read_labelled
from spark_deid.app.sessions import open_session, tasks_of
from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote


def experiment_repeats(
    input_path: str,
    input_format: str,
    output: str,
    *,
    unit: str = "occurrence",
    tokens: str = "word",
    covering: str = "greedy",
    seed: int = 0,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Draw precision and recall of hiding rare text against gold, and of the paper's baselines, and what sizes take.

    Writes ``results``, ``edits``, ``sizes``, charts as SVG and PNG, and ``report.html``. Where nothing is annotated,
    there are sizes alone. Raises UsageError where one split has nothing annotated.
    """
    from spark_deid.app.repeats_experiment import write_experiment
    from spark_deid.repeats.experiment.curves import Experiment, run_experiment
    from spark_deid.repeats.experiment.labelled import Tokens
    from spark_deid.repeats.experiment.sizes import Sizes, measure_sizes
    from spark_deid.repeats.settings import Covering, Unit

    check_format(input_format)
    check_output(input_path, output)
    reading = read_labelled(input_path, input_format, progress)
    experiment = Experiment(unit=Unit(unit), tokens=Tokens(tokens), covering=Covering(covering), seed=seed)
    is_annotated = any(document.spans for document in reading.documents)
    outcome = run_experiment(reading.documents, experiment, progress) if is_annotated else None
    progress("measure sizes")
    sizes = Sizes(unit=experiment.unit, covering=experiment.covering, seed=seed)
    measured = tuple(measure_sizes(reading.documents, sizes))
    progress("write")
    with open_session("experiment", master, input_path) as spark:
        return {"output": output} | write_experiment(spark, outcome, measured, experiment, output)


def experiment_greedy(
    input_path: str,
    input_format: str,
    output: str,
    *,
    labels: tuple[str, ...],
    methods: tuple[str, ...] | None = None,
    attackers: tuple[str, ...] | None = None,
    folds: int = 4,
    loss_ratios: tuple[float, ...] | None = None,
    decoding: str = "cost",
    features: str = "full",
    auxiliary: tuple[str, ...] = (),
    background: tuple[str, ...] = (),
    iterations: int = 100,
    documents: int = 0,
    seed: int = 0,
    workers: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Play GreedySanitize, one-shot classifiers and cost-sensitive ones on labelled text, and attack what they publish.

    Writes ``results``, ``edits``, ``attacks``, ``budgets``, plots and ``report.html``; the same call goes on where one
    that was cut off ended. ``workers`` bounds the fits at a time on this machine. Raises UsageError for options out of
    range, and where the folder holds another experiment.
    """
    from spark_deid.app.greedy_experiment import opened, run_greedy_experiment
    from spark_deid.greedy.experiment.settings import Experiment
    from spark_deid.storage.disjoint_paths import check_outside

    check_format(input_format)
    check_input(input_path)
    check_outside(input_path, output)
    if is_remote(output):
        raise UsageError(f"{output}: fits are kept in files; name an output on a disk that all workers see")
    given = {"methods": methods, "attackers": attackers, "loss_ratios": loss_ratios}
    experiment = Experiment(
        labels=labels,
        folds=folds,
        decoding=decoding,  # type: ignore[arg-type]
        features=features,
        auxiliary=auxiliary,
        background=background,
        iterations=iterations,
        documents=documents,
        seed=seed,
        **{name: value for name, value in given.items() if value},  # type: ignore[arg-type]
    )
    reading = read_labelled(input_path, input_format, progress)
    local = f"local[{workers}]" if workers else None
    with (
        opened(reading.documents, experiment, output) as ready,
        open_session("experiment", master or local, input_path) as spark,
    ):
        return run_greedy_experiment(spark, ready, tasks_of(spark), progress)
