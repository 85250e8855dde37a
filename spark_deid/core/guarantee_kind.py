"""The interface of guarantees: functions, and separately the words for users."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.method_context import PlanSection, PlanView, no_words
from spark_deid.core.span import Span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.core.corpus import Corpus


# Assessments: checked instances of a privacy model.


class Assessment(NamedTuple):
    """The result of a guarantee.

    Attributes:
        guarantee: The name.
        parameters: The parameters: ids and counts, never text.
        value: The counted value.
        threshold: The demanded value.
        satisfied: Whether the guarantee is satisfied.
        evidence: Further ids and counts, never text.
    """

    guarantee: str
    parameters: str
    value: float
    threshold: float
    satisfied: bool
    evidence: str


Demand = TypeVar("Demand")
"""The settings with which a plan needs the guarantee: its own, or those of the method that requires it."""


class AssessmentResult(NamedTuple):
    """The result of a check, without any word of a document.

    Attributes:
        assessment: The guarantee, its value, its threshold, and whether it is satisfied.
        reasons: In words why it is not satisfied.
        counts_by: The counted unit (``subject``, ``document`` or ``occurrence``), if the check counts who share
            something.
        notes: Sentences that users should know though it is satisfied.
    """

    assessment: Assessment
    reasons: tuple[str, ...] = ()
    counts_by: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GuaranteeEvidence:
    """The input of checks: the plan, the corpus to publish, and counts of one reading of it.

    Attributes:
        plan: The plan.
        corpus: The corpus as it is to be published.
        compared: Originals, published texts and edits next to each other.
        faults: The number of faults in these, by name.
        documents: The number of documents, by the inventory.
        subjects: The number of documents with a person.
        rejects: The number of rejected records.
        listed_rejects: The number of rejects in the table.
        paths: The parts of the decisions, each document in one of them. None if tables had to be joined.
        moved: Published metadata with moved dates (``doc_id, subject_id, before, after``), or None.
    """

    plan: PlanView
    corpus: "Corpus"
    compared: "DataFrame"
    faults: Mapping[str, int]
    documents: int
    subjects: int
    rejects: int = 0
    listed_rejects: int = 0
    paths: tuple[str, ...] = ()
    moved: "DataFrame | None" = None


@dataclass(frozen=True)
class DocumentEvidence:
    """The input of checks of one document.

    Attributes:
        text: The original text.
        published: The text to publish.
        spans: The spans to edit.
        edits: The edits.
        faults: The number of faults in these, by name.
        subject_id: The person of the document, if it is known.
        spared: The spans that the plan keeps by ``allow``.
    """

    text: str
    published: str
    spans: Sequence[Span]
    edits: Sequence[LabelledEdit]
    faults: Mapping[str, int]
    subject_id: str | None = None
    spared: Sequence[Span] = ()


DocumentCheck = Callable[[DocumentEvidence], AssessmentResult]


def no_command(_: object) -> str:
    """Name no command."""
    return ""


@dataclass(frozen=True, kw_only=True)
class GuaranteeWords(Generic[Demand]):
    """Texts of a guarantee for users and documents.

    Attributes:
        assessment: The name of the guarantee in documents.
        describe: Returns a line for ``explain``.
        ``tell``: Returns the entry of the manifest, under the guarantee's name.
        again: Returns the options of the command that recounts it, with ``{release}`` and ``{workspace}``, or an empty
            text.
    """

    assessment: str
    describe: Callable[[Demand], str]
    tell: Callable[[PlanView], Mapping[str, object]] = no_words
    again: Callable[[Demand], str] = no_command


@dataclass(frozen=True, kw_only=True)
class GuaranteeKind(GuaranteeWords[Demand]):
    """Check a property before a release.

    Attributes:
        assess: Checks the final text with another algorithm than the code that wrote it.
        of: Returns the settings with which a plan needs the guarantee, or None: from its key of ``guarantees`` (the
            first argument, None if absent), or because the plan uses a method.
        settings: The class of the guarantee's section.
        before: Returns reasons to refuse before anything is read.
        once_read: Returns reasons to refuse as soon as documents and metadata are read, before any search.
        preview: Returns the reasons that the first documents show before the work begins. It gets whether these are
            all.
        ``alone``: Returns a check of one document for strings. None if the guarantee counts over many documents.

    Example:
        A package names its kind in an entry point of ``spark_deid.guarantees``::

            KIND = GuaranteeKind(assessment=NAME, describe=_describe, assess=_assess, of=_of, settings=WordsSettings)
    """

    assess: Callable[[Demand, GuaranteeEvidence], AssessmentResult]
    of: Callable[[Demand | None, PlanView], Demand | None]
    settings: type[PlanSection] | None = None
    before: Callable[[Demand, PlanView], tuple[str, ...]] = lambda _, __: ()
    once_read: Callable[[Demand, PlanView, "DataFrame"], tuple[str, ...]] = lambda _, __, ___: ()
    preview: Callable[[Demand, PlanView, Sequence[Document], bool], tuple[str, ...]] = lambda _, __, ___, ____: ()
    alone: Callable[[Demand, PlanView], DocumentCheck] | None = None
