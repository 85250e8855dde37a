"""What a method brings: kinds of detectors, techniques and guarantees, as values that registries list.

A kind is frozen and cheap to import: what it needs to work is imported by its functions when they are called. Its
``settings`` are its section of a plan, and it is generic in them: ``DetectorKind(settings=WardsSettings, make=make)``
is a ``DetectorKind[WardsSettings]``, and a type checker sees that ``make`` takes ``WardsSettings``. The facts about a
kind are in the class of words that it extends, separate from what it does. Functions that travel to workers are
module-level, with plain arguments.
"""

from spark_deid.core.detector_kind import DetectorKind, DetectorScope, DetectorWords, UsedModel
from spark_deid.core.guarantee_kind import (
    AssessmentResult,
    DocumentCheck,
    DocumentEvidence,
    GuaranteeEvidence,
    GuaranteeKind,
    GuaranteeWords,
)
from spark_deid.core.method_context import (
    DetectorSections,
    LabelRule,
    Materialize,
    MethodContext,
    NoSettings,
    PlanSection,
    PlanView,
)
from spark_deid.core.technique_kind import (
    DocumentReading,
    Gatherer,
    MergeableCorpusPass,
    Reader,
    SuppressedSpan,
    Technique,
    TechniqueKind,
    TechniqueReport,
    TechniqueWords,
    TermLoss,
)

__all__ = [
    "AssessmentResult",
    "DetectorKind",
    "DetectorScope",
    "DetectorSections",
    "DetectorWords",
    "DocumentCheck",
    "DocumentEvidence",
    "DocumentReading",
    "Gatherer",
    "GuaranteeEvidence",
    "GuaranteeKind",
    "GuaranteeWords",
    "LabelRule",
    "Materialize",
    "MergeableCorpusPass",
    "MethodContext",
    "NoSettings",
    "PlanSection",
    "PlanView",
    "Reader",
    "SuppressedSpan",
    "Technique",
    "TechniqueKind",
    "TechniqueReport",
    "TechniqueWords",
    "TermLoss",
    "UsedModel",
]
