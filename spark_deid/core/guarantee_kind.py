"""What a guarantee brings to plans: what it does, and apart from that, what it says of itself."""

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
    """Say whether a guarantee holds; ``parameters`` and ``evidence`` hold ids and counts, never text."""

    guarantee: str
    parameters: str
    value: float
    threshold: float
    satisfied: bool
    evidence: str


Demand = TypeVar("Demand")
"""What a plan needs the guarantee with: its settings, or those of the method that it follows from."""


class AssessmentResult(NamedTuple):
    """An assessment, and in words why it does not hold; no word of a document.

    ``counts_by`` is what was counted again (``subject``, ``document`` or ``occurrence``), if it is a claim of how many
    share something. ``notes`` is what users should know though it holds, in sentences.
    """

    assessment: Assessment
    reasons: tuple[str, ...] = ()
    counts_by: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GuaranteeEvidence:
    """What checks look at: the plan, the corpus as it is to be published, and what was counted in one pass over it.

    ``compared`` holds originals, published texts and edits side by side, and ``faults`` counts what is wrong with them,
    by name. ``documents`` were read, by the inventory's count, and ``subjects`` of them name a person; ``rejects`` were
    rejected, and ``listed_rejects`` stand in the table. ``paths`` are the parts of decisions that ``compared`` is read
    from, each document in one of them once; none where tables say otherwise and were joined. ``moved`` is metadata that
    is let out with its dates moved (``doc_id, subject_id, before, after``), None where there is none.
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
    """What checks of one document look at: its text, what is to be published, spans to be edited, and edits.

    ``faults`` counts what is wrong with these, by name; ``subject_id`` is whose the document is, where that is known.
    ``spared`` are the spans that the plan leaves by ``allow``.
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
    """What a guarantee says of itself, to users and in documents.

    ``assessment`` is its name there, and ``describe`` a line of ``explain``. ``tell`` adds to the manifest under the
    guarantee's name. ``again`` gives the options of the command that counts it again (``{release}`` and
    ``{workspace}`` stand for the places), empty where there is none.
    """

    assessment: str
    describe: Callable[[Demand], str]
    tell: Callable[[PlanView], Mapping[str, object]] = no_words
    again: Callable[[Demand], str] = no_command


@dataclass(frozen=True, kw_only=True)
class GuaranteeKind(GuaranteeWords[Demand]):
    """Check what must hold before a release.

    ``of`` returns the settings with which a plan needs the guarantee, None where it does not: from its key of
    ``guarantees`` (given as the first argument, None where absent), or because of a method that the plan uses.
    ``before`` gives reasons to refuse before anything is read, ``once_read`` those that documents and their metadata
    show as soon as they are read, before anything is searched in them; ``preview`` those that the first documents show
    before the work begins, with whether they are all documents; ``assess`` looks at the final text, by another
    algorithm than what made it. ``alone`` returns what looks at one document by itself in the same way, for strings; it
    is None for what is counted over many.
    """

    assess: Callable[[Demand, GuaranteeEvidence], AssessmentResult]
    of: Callable[[Demand | None, PlanView], Demand | None]
    settings: type[PlanSection] | None = None
    before: Callable[[Demand, PlanView], tuple[str, ...]] = lambda _, __: ()
    once_read: Callable[[Demand, PlanView, "DataFrame"], tuple[str, ...]] = lambda _, __, ___: ()
    preview: Callable[[Demand, PlanView, Sequence[Document], bool], tuple[str, ...]] = lambda _, __, ___, ____: ()
    alone: Callable[[Demand, PlanView], DocumentCheck] | None = None
