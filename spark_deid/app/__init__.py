"""Use cases, as the command line and the jobs call them; nothing here prints."""

from spark_deid.app.assessing import AssessOptions, AttackOptions, assess, attack
from spark_deid.app.corpora import ConvertOptions, SynthesizeOptions, convert, synthesize
from spark_deid.app.experimenting import (
    GreedyExperimentOptions,
    RepeatsExperimentOptions,
    experiment_greedy,
    experiment_repeats,
)
from spark_deid.app.figures import (
    Assessed,
    Attacked,
    Evaluation,
    Experimented,
    Exported,
    Figures,
    Hidden,
    Models,
    Released,
    Synthesized,
    Trained,
    Written,
)
from spark_deid.app.inputs import format_names
from spark_deid.app.learning import (
    DetectOptions,
    EvaluateOptions,
    ExportOptions,
    ModelsOptions,
    TrainOptions,
    detect,
    evaluate,
    export,
    models,
    train,
)
from spark_deid.app.machine import doctor, worker_error
from spark_deid.app.releasing import RepeatsOptions, explain, repeats, run, run_plan

__all__ = [
    "AssessOptions",
    "Assessed",
    "AttackOptions",
    "Attacked",
    "ConvertOptions",
    "DetectOptions",
    "EvaluateOptions",
    "Evaluation",
    "Experimented",
    "ExportOptions",
    "Exported",
    "Figures",
    "GreedyExperimentOptions",
    "Hidden",
    "Models",
    "ModelsOptions",
    "Released",
    "RepeatsExperimentOptions",
    "RepeatsOptions",
    "SynthesizeOptions",
    "Synthesized",
    "TrainOptions",
    "Trained",
    "Written",
    "assess",
    "attack",
    "convert",
    "detect",
    "doctor",
    "evaluate",
    "experiment_greedy",
    "experiment_repeats",
    "explain",
    "export",
    "format_names",
    "models",
    "repeats",
    "run",
    "run_plan",
    "synthesize",
    "train",
    "worker_error",
]
