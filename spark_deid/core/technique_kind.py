"""What a technique brings to plans: what it does, and apart from that, what it says of itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.method_context import MethodContext, NoSettings, PlanSection, PlanView
from spark_deid.core.span import Span

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

Settings = TypeVar("Settings", bound=PlanSection)
"""The settings of a rule with the technique."""
Technique = Callable[[Document, Sequence[Span]], "Iterable[Edit | SuppressedSpan] | None"]
"""What replaces disjoint spans of one document, in order; it travels to workers.

An edit takes whole spans: one, or neighbours with nothing but spaces between. What it leaves out, or replaces by what
stood there, is suppressed and counted.
"""


class SuppressedSpan(NamedTuple):
    """A span that a technique does not replace, and why: one of its kind's ``reasons``. It stands among edits."""

    start: int
    end: int
    reason: str


class DocumentReading(NamedTuple):
    """What a technique makes of a document before it replaces anything.

    ``further`` is text to be replaced beside the spans that were given, disjoint from these; ``apply`` gets both.
    ``noted`` counts what is to be told of the document, by its kind's ``notes``.
    """

    further: tuple[Span, ...]
    apply: Technique
    noted: tuple[tuple[str, int], ...] = ()


Reader = Callable[[Document, Sequence[Span]], DocumentReading]
"""What reads a document with all its disjoint pieces, whatever their rules; ``document.spans`` are those as found."""


Gatherer = Callable[["Corpus", Sequence[str]], "Corpus"]
"""What looks at the whole corpus before anything is replaced; it gets the detectors that are edited as well."""


@runtime_checkable
class MergeableCorpusPass(Protocol):
    """A gatherer that can do the work of another technique's in the same pass."""

    def __call__(self, corpus: "Corpus", edited: Sequence[str], /) -> "Corpus":
        """Return the corpus with what was seen in it."""

    def joined(self, other: Gatherer) -> Gatherer | None:
        """Return what does both; None where the other's is work of another kind."""


class TechniqueReport(NamedTuple):
    """What a technique reports: figures that may be published, and files of the workspace, by name."""

    figures: Mapping[str, object]
    private: Mapping[str, bytes] = MappingProxyType({})


class TermLoss(NamedTuple):
    """A term, what stands for it, and how much that loses, in words: for the workspace alone."""

    before: str
    after: str
    lost: str


def no_changes(*_: object) -> tuple[TermLoss, ...]:
    """Tell of nothing."""
    return ()


def never(*_: object) -> bool:
    """Read only documents with a span for the technique."""
    return False


def no_objection(*_: object) -> None:
    """Object to nothing."""


@dataclass(frozen=True, kw_only=True)
class TechniqueWords(Generic[Settings]):
    """What a technique says of itself, to users and in documents.

    ``describe`` says what becomes of a span; ``written`` says in place of it what a plan writes for a label, where that
    hangs on the plan. ``reasons`` are the words by which the technique tells why it leaves spans (``SuppressedSpan``),
    and ``notes`` those of what else is counted of documents (``DocumentReading.noted``), each with a sentence for
    ``{n}`` of it. ``template`` shows the technique's figures in the release's report.
    """

    describe: Callable[[Settings], str]
    written: Callable[[str, Settings, PlanView], str] | None = None
    reasons: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    template: str = ""


@dataclass(frozen=True, kw_only=True)
class TechniqueKind(TechniqueWords[Settings]):
    """Turn spans into edits.

    ``prepare`` runs on the driver, may read the corpus, and says which actions it runs. ``placeholder`` gives what is
    written for a label where that says nothing of the original, once or several times: such edits may equal what stood
    there. It is None for techniques whose replacements are made of the original; these are never listed or counted by
    replacement. ``read`` stands in place of ``prepare`` where what becomes of a span depends on the rest of its
    document: it gets the settings of all the plan's rules with this technique, by label, and its reader may replace
    text that no detector marked. ``report`` gets these settings too, the corpus with its decisions, and the run.
    ``changes`` tells of a text and its edits what was lost by which, beside the workspace's excerpts. ``refuse`` tells
    why a plan's rule can't have the technique for a label, None where it can. ``recounted_by`` names guarantees that
    recount what is written: where a plan has one of them, replacements may be like their originals (a year for a date,
    a hypernym for a word). Others that tell what stood there are suppressed, and refused by the check of every release.
    What a technique writes that ``sees`` a document alone does not hang on others: ``prepare`` or ``read`` looks at no
    table of the corpus, which is None where a string is redacted. ``sees_one`` tells it of a rule's settings, where it
    hangs on these.
    ``gather`` gets the settings as ``read``
    does, and returns what looks at the documents of the whole corpus with their spans, and the detectors that are
    edited, before anything is replaced; what it writes of their mentions (column MENTIONS) reaches ``read`` and
    ``prepare`` in ``document.mentions``. It returns None where nothing needs to be gathered. A technique ``invents``
    where what it writes is made up: it may be a word that was removed elsewhere, and is no leak then. The reader of a
    technique that ``reads_unmarked`` text gets every document, also one without a span for it. ``unspared`` returns
    the labels of which ``allow`` spares no span, ``*`` for every label without a rule. With such a technique, a term
    that is a word of a replaced value of the same person is not spared. Without it, a plan with ``allow`` is refused
    if the technique is recounted.
    """

    settings: type[Settings] = NoSettings  # type: ignore[assignment]  # where nothing says another
    prepare: "Callable[[Settings, Corpus, MethodContext], Technique] | None" = None
    sees: Literal["document", "corpus"] = "corpus"
    sees_one: Callable[[Settings], bool] | None = None
    placeholder: Callable[[str], str] | None = None
    read: "Callable[[Mapping[str, Settings], Corpus, MethodContext], Reader] | None" = None
    report: "Callable[[Mapping[str, Settings], Corpus, MethodContext], TechniqueReport] | None" = None
    changes: "Callable[[Mapping[str, Settings], PlanView, str, Sequence[LabelledEdit]], Sequence[TermLoss]]" = (
        no_changes
    )
    refuse: Callable[[str, Settings, PlanView], str | None] = no_objection
    recounted_by: tuple[str, ...] = ()
    gather: "Callable[[Mapping[str, Settings], MethodContext], Gatherer | None] | None" = None
    invents: bool = False
    unspared: "Callable[[Mapping[str, Settings], PlanView], frozenset[str]] | None" = None
    reads_unmarked: "Callable[[Mapping[str, Settings], PlanView], bool]" = never

    def sees_document(self, settings: Settings) -> bool:
        """Tell whether what is written by a rule of these settings hangs on its document alone."""
        return self.sees == "document" or (self.sees_one is not None and self.sees_one(settings))
