"""What a method brings: kinds of detectors, techniques and guarantees, as values that registries list.

A kind is frozen and cheap to import: what it needs to work is imported by its functions when they are called. Its
``settings`` are its section of a plan. Functions that travel to workers are module-level, with plain arguments.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.guarantee import Assessment
from spark_deid.core.span import Finder, Span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_deid.core.corpus import Corpus

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
Materialize = Callable[[str, "DataFrame"], "DataFrame"]
"""Write a table under a name and return it as read back."""


class PlanSection(BaseModel):
    """A section of a plan: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoSettings(PlanSection):
    """The section of a method without options."""


class UsedModel(NamedTuple):
    """A model that was used: its folder, the hash of its files, labels, number of rounds, and its training report."""

    path: str
    sha256: str
    labels: tuple[str, ...] = ()
    rounds: int = 0
    training: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class LabelRule:
    """What becomes of a label's spans: a technique by name, with its settings."""

    technique: str
    settings: PlanSection


class DetectorSections(Protocol):
    """What can say what it asks of a detector."""

    def given(self, name: str) -> Any:
        """Return the settings of a detector, None where there are none."""
        ...


class PlanView(DetectorSections, Protocol):
    """What methods may know of the plan that they are part of."""

    @property
    def sections(self) -> Mapping[str, Any]:
        """Return the settings of the plan's detectors, by name."""
        ...

    @property
    def edited(self) -> tuple[str, ...]:
        """Return the detectors whose spans are edited."""
        ...

    @property
    def exempt(self) -> tuple[str, ...]:
        """Return the detectors whose spans are not edited; one that nobody knows is not exempt."""
        ...

    @property
    def rules_by_label(self) -> Mapping[str, LabelRule]:
        """Return the rule of each label that has one of its own; ``*`` stands for all others."""
        ...

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Return the words of the input that stand for what was removed before."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return the metadata that is let out, and how: ``keep``, ``keyed`` or ``detect``."""
        ...


@dataclass(frozen=True)
class MethodContext:
    """What a run lends to the methods that it is made of.

    ``spark`` is None where a string is looked at, in this process: then nothing travels and no search is run.
    ``scratch`` is the folder of what is temporary, as Spark names it; ``place`` tells in which local folder a table
    lies, by its name. ``subjects`` counts the documents that name a person. ``secret`` is the key of surrogates and
    hashes: it reaches workers inside functions alone.
    """

    spark: "SparkSession | None"
    plan: PlanView
    materialize: Materialize
    scratch: str
    place: Callable[[str], str]
    subjects: int = 0
    secret: bytes = field(default=b"", repr=False)


def nothing(_: Any) -> None:
    """Object to nothing."""


def no_words(_: Any) -> Mapping[str, object]:
    """Tell nothing."""
    return MappingProxyType({})


def no_models(_: Any) -> tuple[UsedModel, ...]:
    """Use no model."""
    return ()


def no_objection(*_: Any) -> None:
    """Object to nothing."""


def no_objections(*_: Any) -> tuple[str, ...]:
    """Object to nothing in a plan."""
    return ()


class DetectorScope(NamedTuple):
    """What a detector looks for: labels that it writes, and in words what has no label or is but a part of one's."""

    labels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def nothing_told(_: Any) -> DetectorScope:
    """Tell nothing of what is looked for."""
    return DetectorScope()


def no_labels() -> tuple[str, ...]:
    """Know no label."""
    return ()


def always(_: Any) -> bool:
    """Say yes."""
    return True


def no_figures(*_: Any) -> Mapping[str, object]:
    """Report nothing."""
    return MappingProxyType({})


@dataclass(frozen=True)
class DetectorKind:
    """Find spans: each document by itself (``make``), or with the whole corpus in sight (``search``).

    All finders of a plan run fused, in one pass. A search gets the corpus with what was found so far, the detectors
    whose edits stand by then, and returns the corpus with more spans; it ``sees`` the text as it came, or as other
    edits leave it. ``describe`` is a line of ``explain``, ``public`` what the shared manifest may say (no paths, terms
    or secrets), ``legend`` names the detector in reports. ``check`` raises, before anything is read, where the
    detector can't be had. ``asked`` tells whether settings ask for it at all, and ``example`` how a plan does.
    ``inline`` settings stand at a plan's top level. ``techniques`` lists what may become of labels of its own; the
    first is the default; ``reserved`` techniques are for these labels alone, where the detector is edited, since what
    they write stands for what it finds. ``report`` adds figures to the release's report under the detector's name,
    and ``template`` shows them. ``refuse`` tells what of a plan does not go with the detector; the plan is wrong then.
    ``warn`` tells why texts such as these, the first of a corpus, may be none that the detector knows. ``seeks`` tells
    what the detector looks for, and ``knows`` which labels it has to offer to any plan: what of these no detector of a
    plan seeks was not looked for, and the release's report says so.
    """

    describe: Callable[[Any], str]
    legend: str
    settings: type[BaseModel] = NoSettings
    make: Callable[[Any, MethodContext], Finder] | None = None
    search: "Callable[[Any, Corpus, MethodContext, Sequence[str]], Corpus] | None" = None
    sees: Literal["original", "edited"] = "original"
    public: Callable[[Any], Mapping[str, object]] = no_words
    check: Callable[[Any], None] = nothing
    asked: Callable[[Any], bool] = always
    example: str = ""
    inline: bool = False
    techniques: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    reserved: tuple[str, ...] = ()
    models: Callable[[Any], tuple[UsedModel, ...]] = no_models
    report: "Callable[[Any, Corpus, MethodContext], Mapping[str, object]]" = no_figures
    template: str = ""
    refuse: Callable[[Any, PlanView], Iterable[str]] = no_objections
    warn: Callable[[Any, Sequence[str]], tuple[str, ...]] | None = None
    seeks: Callable[[Any], DetectorScope] = nothing_told
    knows: Callable[[], tuple[str, ...]] = no_labels


class TechniqueReport(NamedTuple):
    """What a technique reports: figures that may leave the house, and files of the workspace, by name."""

    figures: Mapping[str, object]
    private: Mapping[str, bytes] = MappingProxyType({})


class TermLoss(NamedTuple):
    """A term, what stands for it, and how much that loses, in words: for the workspace alone."""

    before: str
    after: str
    lost: str


def no_changes(*_: Any) -> tuple[TermLoss, ...]:
    """Tell of nothing."""
    return ()


@dataclass(frozen=True)
class TechniqueKind:
    """Turn spans into edits.

    ``prepare`` runs on the driver, may read the corpus, and says which actions it runs. ``placeholder`` gives what is
    written for a label where that says nothing of the original, once or several times: such edits may equal what stood
    there. It is None for
    techniques whose replacements are made of the original; these are never listed or counted by replacement.
    ``read`` stands in place of ``prepare`` where what becomes of a span depends on the rest of its document: it gets
    the settings of all the plan's rules with this technique, by label, and its reader may replace text that no
    detector marked. ``reasons`` are the words by which the technique tells why it leaves spans
    (``SuppressedSpan``), and ``notes`` those of what else is counted of documents (``DocumentReading.noted``), each
    with a sentence for ``{n}`` of it. ``report`` gets the settings of the plan's rules with this technique, by label,
    the corpus with its decisions, and the run; ``template`` shows its figures in the release's report.
    ``changes`` tells of a text and its edits what was lost by which, beside the workspace's excerpts.
    ``refuse`` tells why a plan's rule can't have the technique for a label, None where it can. ``written`` says in
    place of ``describe`` what a plan writes for a label, where that hangs on the plan.
    """

    describe: Callable[[Any], str]
    prepare: "Callable[[Any, Corpus, MethodContext], Technique] | None" = None
    settings: type[PlanSection] = NoSettings
    placeholder: Callable[[str], str] | None = None
    read: "Callable[[Mapping[str, Any], Corpus, MethodContext], Reader] | None" = None
    reasons: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    report: "Callable[[Mapping[str, Any], Corpus, MethodContext], TechniqueReport] | None" = None
    template: str = ""
    changes: "Callable[[Mapping[str, Any], PlanView, str, Sequence[LabelledEdit]], Sequence[TermLoss]]" = no_changes
    refuse: Callable[[str, Any, PlanView], str | None] = no_objection
    written: Callable[[str, Any, PlanView], str] | None = None


class AssessmentResult(NamedTuple):
    """An assessment, and in words why it does not hold; no word of a document.

    ``counts_by`` is what was counted again (``subject``, ``document`` or ``occurrence``), if it is a claim of how many
    share something.
    """

    assessment: Assessment
    reasons: tuple[str, ...] = ()
    counts_by: str = ""


@dataclass(frozen=True)
class GuaranteeEvidence:
    """What checks look at: the plan, the corpus as it is to be published, and what was counted in one pass over it.

    ``compared`` holds originals, published texts and edits side by side, and ``faults`` counts what is wrong with them,
    by name. ``documents`` were read, by the inventory's count, and ``subjects`` of them name a person; ``rejects`` were
    rejected, and ``listed_rejects`` stand in the table.
    """

    plan: PlanView
    corpus: "Corpus"
    compared: "DataFrame"
    faults: Mapping[str, int]
    documents: int
    subjects: int
    rejects: int = 0
    listed_rejects: int = 0


def no_command(_: Any) -> str:
    """Name no command."""
    return ""


@dataclass(frozen=True)
class GuaranteeKind:
    """Check what must hold before a release.

    ``of`` returns the settings with which a plan needs the guarantee, None where it does not: from its key of
    ``guarantees`` (given as the first argument, None where absent), or because of a method that the plan uses.
    ``before`` gives reasons to refuse before anything is read; ``assess`` looks at the final text, by another
    algorithm than what made it. ``describe`` is a line of ``explain``. ``tell`` adds to the manifest
    under the guarantee's name. ``again`` gives the options of the command that counts it again (``{release}`` and
    ``{workspace}`` stand for the places), empty where there is none.
    """

    assessment: str
    describe: Callable[[Any], str]
    assess: Callable[[Any, GuaranteeEvidence], AssessmentResult]
    of: Callable[[Any, PlanView], Any]
    settings: type[PlanSection] | None = None
    before: Callable[[Any, PlanView], tuple[str, ...]] = lambda _, __: ()
    tell: Callable[[PlanView], Mapping[str, object]] = no_words
    again: Callable[[Any], str] = no_command
