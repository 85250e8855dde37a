"""Use cases, as the command line and the jobs call them; nothing here prints.

Each name is loaded at its first use, so that options and figures need no Spark.
"""

from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spark_deid.app.anonymizing import anonymize as anonymize
    from spark_deid.app.assessing import assess as assess
    from spark_deid.app.assessing import attack as attack
    from spark_deid.app.assessing import verify as verify
    from spark_deid.app.calibrating import CalibrationFigures as CalibrationFigures
    from spark_deid.app.calibrating import calibrate as calibrate
    from spark_deid.app.comparing import compare_settings as compare_settings
    from spark_deid.app.comparing import recode_table as recode_table
    from spark_deid.app.corpora import convert as convert
    from spark_deid.app.corpora import synthesize as synthesize
    from spark_deid.app.engine_checks import worker_error as worker_error
    from spark_deid.app.evaluating import evaluate as evaluate
    from spark_deid.app.evaluating import evaluate_plan as evaluate_plan
    from spark_deid.app.experimenting import experiment_greedy as experiment_greedy
    from spark_deid.app.experimenting import experiment_plausibility as experiment_plausibility
    from spark_deid.app.experimenting import experiment_repeats as experiment_repeats
    from spark_deid.app.experimenting import experiment_representation as experiment_representation
    from spark_deid.app.experimenting import experiment_surrogates as experiment_surrogates
    from spark_deid.app.figures import AttackFigures as AttackFigures
    from spark_deid.app.figures import CommandFigures as CommandFigures
    from spark_deid.app.figures import ComparisonFigures as ComparisonFigures
    from spark_deid.app.figures import ConversionFigures as ConversionFigures
    from spark_deid.app.figures import EvaluationFigures as EvaluationFigures
    from spark_deid.app.figures import ExperimentFigures as ExperimentFigures
    from spark_deid.app.figures import ExportFigures as ExportFigures
    from spark_deid.app.figures import ModelCardsFigures as ModelCardsFigures
    from spark_deid.app.figures import ReleaseAssessmentFigures as ReleaseAssessmentFigures
    from spark_deid.app.figures import ReleaseFigures as ReleaseFigures
    from spark_deid.app.figures import RepeatsFigures as RepeatsFigures
    from spark_deid.app.figures import RestorationFigures as RestorationFigures
    from spark_deid.app.figures import SampleFigures as SampleFigures
    from spark_deid.app.figures import SkippedFigures as SkippedFigures
    from spark_deid.app.figures import SynthesisFigures as SynthesisFigures
    from spark_deid.app.figures import TableAssessmentFigures as TableAssessmentFigures
    from spark_deid.app.figures import TableConversionFigures as TableConversionFigures
    from spark_deid.app.figures import TableReleaseFigures as TableReleaseFigures
    from spark_deid.app.figures import TrainingFigures as TrainingFigures
    from spark_deid.app.figures import VerificationFigures as VerificationFigures
    from spark_deid.app.learning import detect as detect
    from spark_deid.app.learning import export as export
    from spark_deid.app.learning import train as train
    from spark_deid.app.machine import doctor as doctor
    from spark_deid.app.model_cards import TokenFeatureFigures as TokenFeatureFigures
    from spark_deid.app.model_cards import features as features
    from spark_deid.app.model_cards import models as models
    from spark_deid.app.ontologies import OntologyBuildFigures as OntologyBuildFigures
    from spark_deid.app.ontologies import OntologyCheckFigures as OntologyCheckFigures
    from spark_deid.app.ontologies import OntologyTermFigures as OntologyTermFigures
    from spark_deid.app.ontologies import build_ontology as build_ontology
    from spark_deid.app.ontologies import check_ontology as check_ontology
    from spark_deid.app.ontologies import show_ontology as show_ontology
    from spark_deid.app.options.assessing import AssessOptions as AssessOptions
    from spark_deid.app.options.assessing import AttackOptions as AttackOptions
    from spark_deid.app.options.assessing import RestoreOptions as RestoreOptions
    from spark_deid.app.options.assessing import SampleOptions as SampleOptions
    from spark_deid.app.options.assessing import VerifyOptions as VerifyOptions
    from spark_deid.app.options.corpora import BuildOntologyOptions as BuildOntologyOptions
    from spark_deid.app.options.corpora import CheckOntologyOptions as CheckOntologyOptions
    from spark_deid.app.options.corpora import ConvertOptions as ConvertOptions
    from spark_deid.app.options.corpora import RepeatsOptions as RepeatsOptions
    from spark_deid.app.options.corpora import ShowOntologyOptions as ShowOntologyOptions
    from spark_deid.app.options.corpora import SynthesizeOptions as SynthesizeOptions
    from spark_deid.app.options.experiments import GreedyExperimentOptions as GreedyExperimentOptions
    from spark_deid.app.options.experiments import PlausibilityExperimentOptions as PlausibilityExperimentOptions
    from spark_deid.app.options.experiments import RepeatsExperimentOptions as RepeatsExperimentOptions
    from spark_deid.app.options.experiments import RepresentationExperimentOptions as RepresentationExperimentOptions
    from spark_deid.app.options.experiments import SurrogatesExperimentOptions as SurrogatesExperimentOptions
    from spark_deid.app.options.fields import format_names as format_names
    from spark_deid.app.options.learning import CalibrateOptions as CalibrateOptions
    from spark_deid.app.options.learning import DetectOptions as DetectOptions
    from spark_deid.app.options.learning import EvaluateOptions as EvaluateOptions
    from spark_deid.app.options.learning import ExportOptions as ExportOptions
    from spark_deid.app.options.learning import FeaturesOptions as FeaturesOptions
    from spark_deid.app.options.learning import ModelsOptions as ModelsOptions
    from spark_deid.app.options.learning import TrainOptions as TrainOptions
    from spark_deid.app.options.representation import EmbeddingsOptions as EmbeddingsOptions
    from spark_deid.app.options.representation import LearnEmbeddingsOptions as LearnEmbeddingsOptions
    from spark_deid.app.options.representation import PoolOptions as PoolOptions
    from spark_deid.app.options.representation import PseudonymizeOptions as PseudonymizeOptions
    from spark_deid.app.options.representation import TrainRepresentationOptions as TrainRepresentationOptions
    from spark_deid.app.options.representation import TransformOptions as TransformOptions
    from spark_deid.app.options.tables import AnonymizeOptions as AnonymizeOptions
    from spark_deid.app.options.tables import TableCommandOptions as TableCommandOptions
    from spark_deid.app.pseudonymizing import PseudonymFigures as PseudonymFigures
    from spark_deid.app.pseudonymizing import pseudonymize as pseudonymize
    from spark_deid.app.publishing import PoolingFigures as PoolingFigures
    from spark_deid.app.publishing import RepresentationFigures as RepresentationFigures
    from spark_deid.app.publishing import pool as pool
    from spark_deid.app.publishing import train_representation as train_representation
    from spark_deid.app.redacting import LineRedactor as LineRedactor
    from spark_deid.app.redacting import RedactedLine as RedactedLine
    from spark_deid.app.redacting import line_redactor as line_redactor
    from spark_deid.app.releasing import explain as explain
    from spark_deid.app.releasing import repeats as repeats
    from spark_deid.app.releasing import repeats_plan as repeats_plan
    from spark_deid.app.releasing import run as run
    from spark_deid.app.releasing import run_plan as run_plan
    from spark_deid.app.releasing import skip_repeated as skip_repeated
    from spark_deid.app.restoring import restore_file as restore_file
    from spark_deid.app.sampling import sample as sample
    from spark_deid.app.transforming import TransformFigures as TransformFigures
    from spark_deid.app.transforming import transform as transform
    from spark_deid.app.trying import try_plan as try_plan
    from spark_deid.app.vectors import EmbeddingsFigures as EmbeddingsFigures
    from spark_deid.app.vectors import build_embeddings as build_embeddings
    from spark_deid.app.vectors import learn_embeddings as learn_embeddings
    from spark_deid.plan.load import describe_plan as describe_plan
    from spark_deid.plan.load import shipped_plan as shipped_plan
    from spark_deid.plan.load import shipped_plans as shipped_plans

_MODULES = MappingProxyType(
    {
        "AnonymizeOptions": "app.options.tables",
        "AssessOptions": "app.options.assessing",
        "AttackFigures": "app.figures",
        "AttackOptions": "app.options.assessing",
        "BuildOntologyOptions": "app.options.corpora",
        "CalibrateOptions": "app.options.learning",
        "CalibrationFigures": "app.calibrating",
        "CheckOntologyOptions": "app.options.corpora",
        "CommandFigures": "app.figures",
        "ComparisonFigures": "app.figures",
        "ConversionFigures": "app.figures",
        "ConvertOptions": "app.options.corpora",
        "DetectOptions": "app.options.learning",
        "EmbeddingsFigures": "app.vectors",
        "EmbeddingsOptions": "app.options.representation",
        "EvaluateOptions": "app.options.learning",
        "EvaluationFigures": "app.figures",
        "ExperimentFigures": "app.figures",
        "ExportFigures": "app.figures",
        "ExportOptions": "app.options.learning",
        "FeaturesOptions": "app.options.learning",
        "GreedyExperimentOptions": "app.options.experiments",
        "LearnEmbeddingsOptions": "app.options.representation",
        "LineRedactor": "app.redacting",
        "ModelCardsFigures": "app.figures",
        "ModelsOptions": "app.options.learning",
        "OntologyBuildFigures": "app.ontologies",
        "OntologyCheckFigures": "app.ontologies",
        "OntologyTermFigures": "app.ontologies",
        "PlausibilityExperimentOptions": "app.options.experiments",
        "PoolOptions": "app.options.representation",
        "PoolingFigures": "app.publishing",
        "PseudonymFigures": "app.pseudonymizing",
        "PseudonymizeOptions": "app.options.representation",
        "RedactedLine": "app.redacting",
        "ReleaseAssessmentFigures": "app.figures",
        "ReleaseFigures": "app.figures",
        "RepeatsExperimentOptions": "app.options.experiments",
        "RepeatsFigures": "app.figures",
        "RepeatsOptions": "app.options.corpora",
        "RepresentationExperimentOptions": "app.options.experiments",
        "RepresentationFigures": "app.publishing",
        "RestorationFigures": "app.figures",
        "RestoreOptions": "app.options.assessing",
        "SampleFigures": "app.figures",
        "SampleOptions": "app.options.assessing",
        "ShowOntologyOptions": "app.options.corpora",
        "SkippedFigures": "app.figures",
        "SurrogatesExperimentOptions": "app.options.experiments",
        "SynthesisFigures": "app.figures",
        "SynthesizeOptions": "app.options.corpora",
        "TableAssessmentFigures": "app.figures",
        "TableCommandOptions": "app.options.tables",
        "TableConversionFigures": "app.figures",
        "TableReleaseFigures": "app.figures",
        "TokenFeatureFigures": "app.model_cards",
        "TrainOptions": "app.options.learning",
        "TrainRepresentationOptions": "app.options.representation",
        "TrainingFigures": "app.figures",
        "TransformFigures": "app.transforming",
        "TransformOptions": "app.options.representation",
        "VerificationFigures": "app.figures",
        "VerifyOptions": "app.options.assessing",
        "anonymize": "app.anonymizing",
        "assess": "app.assessing",
        "attack": "app.assessing",
        "build_embeddings": "app.vectors",
        "build_ontology": "app.ontologies",
        "calibrate": "app.calibrating",
        "check_ontology": "app.ontologies",
        "compare_settings": "app.comparing",
        "convert": "app.corpora",
        "describe_plan": "plan.load",
        "detect": "app.learning",
        "doctor": "app.machine",
        "evaluate": "app.evaluating",
        "evaluate_plan": "app.evaluating",
        "experiment_greedy": "app.experimenting",
        "experiment_plausibility": "app.experimenting",
        "experiment_repeats": "app.experimenting",
        "experiment_representation": "app.experimenting",
        "experiment_surrogates": "app.experimenting",
        "explain": "app.releasing",
        "export": "app.learning",
        "features": "app.model_cards",
        "format_names": "app.options.fields",
        "learn_embeddings": "app.vectors",
        "line_redactor": "app.redacting",
        "models": "app.model_cards",
        "pool": "app.publishing",
        "pseudonymize": "app.pseudonymizing",
        "recode_table": "app.comparing",
        "repeats": "app.releasing",
        "repeats_plan": "app.releasing",
        "restore_file": "app.restoring",
        "run": "app.releasing",
        "run_plan": "app.releasing",
        "sample": "app.sampling",
        "shipped_plan": "plan.load",
        "shipped_plans": "plan.load",
        "show_ontology": "app.ontologies",
        "skip_repeated": "app.releasing",
        "synthesize": "app.corpora",
        "train": "app.learning",
        "train_representation": "app.publishing",
        "transform": "app.transforming",
        "try_plan": "app.trying",
        "verify": "app.assessing",
        "worker_error": "app.engine_checks",
    }
)

if not TYPE_CHECKING:  # type checkers know only the names above
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
