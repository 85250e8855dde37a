"""Use cases, as the command line and the jobs call them; nothing here prints."""

from spark_deid.app.assessing import assess, attack
from spark_deid.app.corpora import convert, synthesize
from spark_deid.app.experimenting import experiment_greedy, experiment_repeats
from spark_deid.app.inputs import format_names
from spark_deid.app.learning import default_background, detect, evaluate, export, train
from spark_deid.app.machine import doctor, worker_error
from spark_deid.app.releasing import RepeatsOptions, explain, repeats, run, run_plan

__all__ = [
    "RepeatsOptions",
    "assess",
    "attack",
    "convert",
    "default_background",
    "detect",
    "doctor",
    "evaluate",
    "experiment_greedy",
    "experiment_repeats",
    "explain",
    "export",
    "format_names",
    "repeats",
    "run",
    "run_plan",
    "synthesize",
    "train",
    "worker_error",
]
