"""Draw the figures of the papers."""

from spark_deid.app.inputs import Figures, Progress, check_format, check_output, tell_losses
from spark_deid.app.sessions import open_session


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
    """Draw precision and recall of hiding rare text against gold, and of the paper's baselines.

    Writes ``results``, ``edits``, ``curves.svg`` and ``report.html``. Raises UsageError where nothing is annotated.
    """
    from spark_deid.corpus.local import read_documents
    from spark_deid.plan.experiment import write_experiment
    from spark_deid.repeats.experiment.curves import Experiment, run_experiment
    from spark_deid.repeats.experiment.labelled import Tokens
    from spark_deid.repeats.settings import Covering, Unit

    check_format(input_format)
    check_output(input_path, output)
    progress(f"read {input_path}")
    reading = read_documents(input_path, input_format)
    tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
    experiment = Experiment(unit=Unit(unit), tokens=Tokens(tokens), covering=Covering(covering), seed=seed)
    outcome = run_experiment(reading.documents, experiment, progress)
    progress("write")
    with open_session("experiment", master, input_path) as spark:
        return {"output": output} | write_experiment(spark, outcome, experiment, output)
