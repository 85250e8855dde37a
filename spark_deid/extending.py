"""Every name that a plugin, or a job that calls operators, imports from spark_deid.

A plugin imports from here and from ``spark_deid`` only. Every other module is internal and may move::

    from spark_deid.extending import DetectorKind, PlanSection, Span

Each name is loaded at its first use, so a module with a kind starts neither Spark nor compiled code. Names that need
Spark (``column``, ``sizes_of``, ``ModelFigure``) belong inside the functions that use them. ``anonymize``, ``assess``,
``convert`` and ``models`` run commands with their options: tests of a package use them.
"""

from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spark_deid.anonymity.claim import PrivacyClaim as PrivacyClaim
    from spark_deid.anonymity.constraint import ClassConstraint as ClassConstraint
    from spark_deid.anonymity.model_demand import ModelDemand as ModelDemand
    from spark_deid.anonymity.model_options import ModelNeeds as ModelNeeds
    from spark_deid.anonymity.model_options import ModelParameter as ModelParameter
    from spark_deid.anonymity.model_options import Numbers as Numbers
    from spark_deid.anonymity.model_options import SensitiveDistance as SensitiveDistance
    from spark_deid.anonymity.models import ModelKind as ModelKind
    from spark_deid.anonymity.models import read_models as read_models
    from spark_deid.anonymity.recoding_kind import InputTables as InputTables
    from spark_deid.anonymity.recoding_kind import RecodedRows as RecodedRows
    from spark_deid.anonymity.recoding_kind import RecodingFolders as RecodingFolders
    from spark_deid.anonymity.recoding_kind import RecodingKind as RecodingKind
    from spark_deid.anonymity.recoding_kind import RecodingRequest as RecodingRequest
    from spark_deid.anonymity.recoding_kind import WrittenRows as WrittenRows
    from spark_deid.anonymity.spark.class_table import ClassTable as ClassTable
    from spark_deid.anonymity.spark.classes import CLASS as CLASS
    from spark_deid.anonymity.spark.columns import column as column
    from spark_deid.anonymity.spark.figures import ModelFigure as ModelFigure
    from spark_deid.anonymity.spark.kept_columns import original_of as original_of
    from spark_deid.anonymity.spark.persons import sizes_of as sizes_of
    from spark_deid.app.anonymizing import anonymize as anonymize
    from spark_deid.app.assessing import assess as assess
    from spark_deid.app.corpora import convert as convert
    from spark_deid.app.model_cards import models as models
    from spark_deid.app.options.assessing import AssessOptions as AssessOptions
    from spark_deid.app.options.corpora import ConvertOptions as ConvertOptions
    from spark_deid.app.options.learning import ModelsOptions as ModelsOptions
    from spark_deid.app.options.tables import AnonymizeOptions as AnonymizeOptions
    from spark_deid.core.corpus import Corpus as Corpus
    from spark_deid.core.document import Document as Document
    from spark_deid.core.edit import Edit as Edit
    from spark_deid.core.edit import LabelledEdit as LabelledEdit
    from spark_deid.core.errors import CorpusError as CorpusError
    from spark_deid.core.errors import FormatError as FormatError
    from spark_deid.core.errors import GateRefused as GateRefused
    from spark_deid.core.errors import ModelError as ModelError
    from spark_deid.core.errors import SparkDeidError as SparkDeidError
    from spark_deid.core.errors import UsageError as UsageError
    from spark_deid.core.guarantee_kind import Assessment as Assessment
    from spark_deid.core.hashing import file_sha256 as file_sha256
    from spark_deid.core.kinds import AssessmentResult as AssessmentResult
    from spark_deid.core.kinds import DetectorKind as DetectorKind
    from spark_deid.core.kinds import DetectorScope as DetectorScope
    from spark_deid.core.kinds import DocumentCheck as DocumentCheck
    from spark_deid.core.kinds import DocumentEvidence as DocumentEvidence
    from spark_deid.core.kinds import DocumentReading as DocumentReading
    from spark_deid.core.kinds import Gatherer as Gatherer
    from spark_deid.core.kinds import GuaranteeEvidence as GuaranteeEvidence
    from spark_deid.core.kinds import GuaranteeKind as GuaranteeKind
    from spark_deid.core.kinds import LabelRule as LabelRule
    from spark_deid.core.kinds import MethodContext as MethodContext
    from spark_deid.core.kinds import NoSettings as NoSettings
    from spark_deid.core.kinds import PlanSection as PlanSection
    from spark_deid.core.kinds import PlanView as PlanView
    from spark_deid.core.kinds import Reader as Reader
    from spark_deid.core.kinds import SuppressedSpan as SuppressedSpan
    from spark_deid.core.kinds import Technique as Technique
    from spark_deid.core.kinds import TechniqueKind as TechniqueKind
    from spark_deid.core.kinds import TechniqueReport as TechniqueReport
    from spark_deid.core.kinds import TermLoss as TermLoss
    from spark_deid.core.kinds import UsedModel as UsedModel
    from spark_deid.core.report_section import LinePlot as LinePlot
    from spark_deid.core.report_section import PlotLine as PlotLine
    from spark_deid.core.report_section import PublicFigures as PublicFigures
    from spark_deid.core.report_section import ReportSection as ReportSection
    from spark_deid.core.report_section import ReportSectionKind as ReportSectionKind
    from spark_deid.core.report_section import SectionTable as SectionTable
    from spark_deid.core.span import Finder as Finder
    from spark_deid.core.span import Span as Span
    from spark_deid.core.span import SpanExtender as SpanExtender
    from spark_deid.corpus.format import CorpusFormat as CorpusFormat
    from spark_deid.corpus.format import ParserUnit as ParserUnit
    from spark_deid.detection.token_classification.shipped import ENGLISH_NEURAL as ENGLISH_NEURAL
    from spark_deid.detection.token_classification.shipped import classifier_folder as classifier_folder
    from spark_deid.learners.base import FittedModel as FittedModel
    from spark_deid.learners.base import ModelLearner as ModelLearner
    from spark_deid.learners.registry import LearnerKind as LearnerKind
    from spark_deid.learners.registry import LearnerSettings as LearnerSettings
    from spark_deid.plausibility.spark.table import QuasiColumn as QuasiColumn
    from spark_deid.plausibility.spark.table import generalize_rows as generalize_rows
    from spark_deid.plausibility.spark.table import recount_rows as recount_rows
    from spark_deid.plausibility.spark.udf import generalize_column as generalize_column
    from spark_deid.plausibility.spark.udf import write_generalized as write_generalized
    from spark_deid.plausibility.term_generalization import GeneralizationRequest as GeneralizationRequest
    from spark_deid.plausibility.term_generalization import PathStart as PathStart

_MODULES = MappingProxyType(
    {
        "AnonymizeOptions": "app.options.tables",
        "AssessOptions": "app.options.assessing",
        "Assessment": "core.guarantee_kind",
        "AssessmentResult": "core.kinds",
        "CLASS": "anonymity.spark.classes",
        "ClassConstraint": "anonymity.constraint",
        "ClassTable": "anonymity.spark.class_table",
        "ConvertOptions": "app.options.corpora",
        "Corpus": "core.corpus",
        "CorpusError": "core.errors",
        "CorpusFormat": "corpus.format",
        "DetectorKind": "core.kinds",
        "DetectorScope": "core.kinds",
        "Document": "core.document",
        "DocumentCheck": "core.kinds",
        "DocumentEvidence": "core.kinds",
        "DocumentReading": "core.kinds",
        "ENGLISH_NEURAL": "detection.token_classification.shipped",
        "Edit": "core.edit",
        "Finder": "core.span",
        "FittedModel": "learners.base",
        "FormatError": "core.errors",
        "GateRefused": "core.errors",
        "Gatherer": "core.kinds",
        "GeneralizationRequest": "plausibility.term_generalization",
        "GuaranteeEvidence": "core.kinds",
        "GuaranteeKind": "core.kinds",
        "InputTables": "anonymity.recoding_kind",
        "LabelRule": "core.kinds",
        "LabelledEdit": "core.edit",
        "LearnerKind": "learners.registry",
        "LearnerSettings": "learners.registry",
        "LinePlot": "core.report_section",
        "MethodContext": "core.kinds",
        "ModelDemand": "anonymity.model_demand",
        "ModelError": "core.errors",
        "ModelFigure": "anonymity.spark.figures",
        "ModelKind": "anonymity.models",
        "ModelLearner": "learners.base",
        "ModelNeeds": "anonymity.model_options",
        "ModelParameter": "anonymity.model_options",
        "ModelsOptions": "app.options.learning",
        "NoSettings": "core.kinds",
        "Numbers": "anonymity.model_options",
        "ParserUnit": "corpus.format",
        "PathStart": "plausibility.term_generalization",
        "PlanSection": "core.kinds",
        "PlanView": "core.kinds",
        "PlotLine": "core.report_section",
        "PrivacyClaim": "anonymity.claim",
        "PublicFigures": "core.report_section",
        "QuasiColumn": "plausibility.spark.table",
        "Reader": "core.kinds",
        "RecodedRows": "anonymity.recoding_kind",
        "RecodingFolders": "anonymity.recoding_kind",
        "RecodingKind": "anonymity.recoding_kind",
        "RecodingRequest": "anonymity.recoding_kind",
        "ReportSection": "core.report_section",
        "ReportSectionKind": "core.report_section",
        "SectionTable": "core.report_section",
        "SensitiveDistance": "anonymity.model_options",
        "Span": "core.span",
        "SpanExtender": "core.span",
        "SparkDeidError": "core.errors",
        "SuppressedSpan": "core.kinds",
        "Technique": "core.kinds",
        "TechniqueKind": "core.kinds",
        "TechniqueReport": "core.kinds",
        "TermLoss": "core.kinds",
        "UsageError": "core.errors",
        "UsedModel": "core.kinds",
        "WrittenRows": "anonymity.recoding_kind",
        "anonymize": "app.anonymizing",
        "assess": "app.assessing",
        "classifier_folder": "detection.token_classification.shipped",
        "column": "anonymity.spark.columns",
        "convert": "app.corpora",
        "file_sha256": "core.hashing",
        "generalize_column": "plausibility.spark.udf",
        "generalize_rows": "plausibility.spark.table",
        "models": "app.model_cards",
        "original_of": "anonymity.spark.kept_columns",
        "read_models": "anonymity.models",
        "recount_rows": "plausibility.spark.table",
        "sizes_of": "anonymity.spark.persons",
        "write_generalized": "plausibility.spark.udf",
    }
)

if not TYPE_CHECKING:  # type checkers know only the names above
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
