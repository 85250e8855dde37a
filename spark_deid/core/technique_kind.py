"""The interface of techniques: functions, and separately the words for users."""

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
"""A function that replaces disjoint spans of one document, in order; it travels to workers.

An edit covers whole spans: one, or neighbours with only spaces between. Spans that it omits, or replaces by their
originals, are suppressed and counted.
"""


class SuppressedSpan(NamedTuple):
    """A span that a technique does not replace. It is one of the technique's edits.

    Attributes:
        start: The first code point.
        end: The code point after the last.
        reason: One of the ``reasons`` of the kind.
    """

    start: int
    end: int
    reason: str


class DocumentReading(NamedTuple):
    """The reading of a document by a technique, before it replaces a span.

    Attributes:
        further: Further spans to replace, disjoint from the given ones.
        apply: Gets all spans and returns their edits.
        noted: Counts for the report, by the ``notes`` of the kind.
    """

    further: tuple[Span, ...]
    apply: Technique
    noted: tuple[tuple[str, int], ...] = ()


Reader = Callable[[Document, Sequence[Span]], DocumentReading]
"""A function that reads a document with all its disjoint spans of any rule; ``document.spans`` are as detected."""


Gatherer = Callable[["Corpus", Sequence[str]], "Corpus"]
"""A function that reads the whole corpus before the first edit; it also gets the edited detectors."""


@runtime_checkable
class MergeableCorpusPass(Protocol):
    """A gatherer that can do the work of another technique's in the same pass."""

    def __call__(self, corpus: "Corpus", edited: Sequence[str], /) -> "Corpus":
        """Return the corpus with what was seen in it."""

    def joined(self, other: Gatherer) -> Gatherer | None:
        """Combine two gatherers into one that reads the corpus once.

        Args:
            other: The gatherer of another technique.

        Returns:
            A gatherer for both, or None if the other one does work of another kind.
        """


class TechniqueReport(NamedTuple):
    """The report of a technique.

    Attributes:
        figures: Figures that may be published.
        private: Files of the workspace, by name.
    """

    figures: Mapping[str, object]
    private: Mapping[str, bytes] = MappingProxyType({})


class TermLoss(NamedTuple):
    """The replacement of a term and the information that it loses. Only the workspace shows it.

    Attributes:
        before: The original term.
        after: Its replacement.
        lost: The loss in words.
    """

    before: str
    after: str
    lost: str


def no_changes(*_: object) -> tuple[TermLoss, ...]:
    """Return no losses."""
    return ()


def never(*_: object) -> bool:
    """Read only documents with a span for the technique."""
    return False


def no_objection(*_: object) -> None:
    """Object to nothing."""


@dataclass(frozen=True, kw_only=True)
class TechniqueWords(Generic[Settings]):
    """Texts of a technique for users and documents.

    Attributes:
        describe: The replacement of a span, in words.
        written: Returns the same for a label of a plan, if it depends on the plan.
        reasons: The words for reasons to suppress spans (``SuppressedSpan``).
        notes: The names of further counts (``DocumentReading.noted``), each with a sentence for ``{n}`` of it.
        template: The page of the technique's figures in the report.
    """

    describe: Callable[[Settings], str]
    written: Callable[[str, Settings, PlanView], str] | None = None
    reasons: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    template: str = ""


@dataclass(frozen=True, kw_only=True)
class TechniqueKind(TechniqueWords[Settings]):
    """Turn spans into edits.

    Attributes:
        settings: The class of a rule's settings.
        prepare: Runs on the driver, can read the corpus, and returns a function that turns spans into edits. It
            declares its Spark actions.
        sees: Whether the result depends only on the document, or on the corpus. For a document, ``prepare`` and
            ``read`` read no table of the corpus, which is None for a string.
        sees_one: Returns the same for a rule's settings, if it depends on these.
        placeholder: Returns the replacement of a label, if it reveals nothing of the original. Such edits may equal the
            original. None for replacements that depend on the original: these are never listed or counted by
            replacement.
        read: Replaces ``prepare`` if the result depends on the rest of the document. Gets the settings of all rules
            with the technique, by label. Its reader can replace text that no detector found.
        report: Returns figures from the settings by label, the corpus with its decisions, and the run.
        changes: Returns the losses of a text's edits, for the excerpts of the workspace.
        refuse: Returns the reason why a rule cannot use the technique for a label, or None.
        recounted_by: Guarantees that recount the replacements. If a plan has one, a replacement may be similar to its
            original (a year for a date). Otherwise such replacements are suppressed, and every release is checked for
            them.
        gather: Gets the settings as ``read`` does. Returns a gatherer that reads all documents with their spans before
            anything is replaced, or None. Its notes on mentions reach ``read`` and ``prepare`` in
            ``document.mentions``.
        invents: Whether replacements are invented. An invented word can be a word that was removed elsewhere, and is
            then not a leak.
        unspared: Returns the labels whose spans ``allow`` never keeps, ``*`` for every label without a rule. Such a
            technique also does not keep a term that is a word of a replaced value of the same person. Without it, a
            plan with ``allow`` is refused if the technique is recounted.
        reads_unmarked: Whether the reader gets every document, also without a span for it.

    Example:
        A package names its kind in an entry point of ``spark_deid.techniques``::

            KIND = TechniqueKind(settings=InitialsSettings, describe=_describe, prepare=_prepare, sees="document")
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
        """Return whether the result of a rule depends only on its document.

        Args:
            settings: The rule's settings.

        Returns:
            True if it does not depend on other documents.
        """
        return self.sees == "document" or (self.sees_one is not None and self.sees_one(settings))
