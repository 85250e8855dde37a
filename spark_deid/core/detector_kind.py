"""What a detector brings to plans: what it does, and apart from that, what it says of itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from spark_deid.core.method_context import MethodContext, NoSettings, PlanView, no_words
from spark_deid.core.missed_names import MissedEstimator, NoEstimate
from spark_deid.core.span import Finder, SpanExtender

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

Settings = TypeVar("Settings", bound=BaseModel)
"""The detector's section of a plan."""


class UsedModel(NamedTuple):
    """A model that was used: its folder, the hash of its files, labels, number of rounds, and its training report."""

    path: str
    sha256: str
    labels: tuple[str, ...] = ()
    rounds: int = 0
    training: Mapping[str, Any] | None = None


class DetectorScope(NamedTuple):
    """What a detector looks for: labels that it writes, and in words what has no label or is but a part of one's.

    ``blind_spots`` are in words what of these it is known not to find; reports of releases list them.
    """

    labels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()


def object_to_nothing(_: Any) -> None:
    """Object to nothing."""


def no_models(_: Any) -> tuple[UsedModel, ...]:
    """Use no model."""
    return ()


def no_names(_: Any) -> tuple[str, ...]:
    """Name no label."""
    return ()


def no_objections(*_: Any) -> tuple[str, ...]:
    """Object to nothing in a plan."""
    return ()


def empty_scope(_: Any) -> DetectorScope:
    """Tell nothing of what is looked for."""
    return DetectorScope()


def no_labels() -> tuple[str, ...]:
    """Know no label."""
    return ()


def always(_: Any) -> bool:
    """Say yes."""
    return True


def always_search(*_: Any) -> bool:
    """Search every corpus."""
    return True


def no_figures(*_: Any) -> Mapping[str, object]:
    """Report nothing."""
    return MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class DetectorWords(Generic[Settings]):
    """What a detector says of itself, to users and in documents.

    ``describe`` is a line of ``explain``, ``legend`` names the detector in reports, and ``example`` shows how a
    plan asks for it. ``public`` is what the shared manifest may say (no paths, terms or secrets), and ``template``
    shows the detector's figures in the release's report: ``package/page.html`` of the package's folder
    ``templates``. ``seeks`` tells what the detector looks for, and ``knows`` which labels it has to offer to any
    plan: what of these no detector of a plan seeks was not looked for, and the release's report says so. ``names``
    tells which labels of others the section names: annotations' labels that nothing names are shown as far as they are
    tags.
    """

    describe: Callable[[Settings], str]
    legend: str
    example: str = ""
    public: Callable[[Settings], Mapping[str, object]] = no_words
    template: str = ""
    seeks: Callable[[Settings], DetectorScope] = empty_scope
    knows: Callable[[], tuple[str, ...]] = no_labels
    names: Callable[[Settings], Iterable[str]] = no_names


@dataclass(frozen=True, kw_only=True)
class DetectorKind(DetectorWords[Settings]):
    """Find spans: each document by itself (``make``), or with the whole corpus in sight (``search``).

    ``extend`` gets the detectors before it whose spans are edited, and returns a function that adds spans to those that
    the finders found in a document. If a kind has ``extend`` and ``search``, the search runs after it, and only if
    ``needs_search`` returns True for the plan's section and the run.

    All finders of a plan run fused, in one pass. A search gets the corpus with what was found so far, the detectors
    whose edits stand by then, and returns the corpus with more spans; it ``sees`` the text as it came, or as other
    edits leave it. ``settings`` are the detector's section of a plan, which all its functions get. ``check`` raises,
    before anything is read, where the detector can't be had. ``asked`` tells whether settings ask for it at all.
    ``inline`` settings stand at a plan's top level. ``techniques`` lists what may become of labels of its own; the
    first is the default; ``reserved`` techniques are for these labels alone, where the detector is edited, since what
    they write stands for what it finds. ``report`` adds figures to the release's report under the detector's name.
    ``refuse`` tells what of a plan does not go with the detector; the plan is wrong then. ``warn`` tells why texts such
    as these, the first of a corpus, may be none that the detector knows. ``warn_of_said`` tells of the languages that
    texts are said to be in, each with how many are, which the detector does not know. ``missed`` lends what estimates
    the words of names that a run misses, or says why nothing does.
    """

    settings: type[Settings] = NoSettings  # type: ignore[assignment]  # where nothing says another
    make: Callable[[Settings, MethodContext], Finder] | None = None
    extend: Callable[[Settings, MethodContext, Sequence[str]], SpanExtender] | None = None
    needs_search: Callable[[Settings, MethodContext], bool] = always_search
    search: "Callable[[Settings, Corpus, MethodContext, Sequence[str]], Corpus] | None" = None
    sees: Literal["original", "edited"] = "original"
    check: Callable[[Settings], None] = object_to_nothing
    asked: Callable[[Settings], bool] = always
    inline: bool = False
    techniques: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    reserved: tuple[str, ...] = ()
    models: Callable[[Settings], tuple[UsedModel, ...]] = no_models
    report: "Callable[[Settings, Corpus, MethodContext], Mapping[str, object]]" = no_figures
    refuse: Callable[[Settings, PlanView], Iterable[str]] = no_objections
    warn: Callable[[Settings, Sequence[str]], tuple[str, ...]] | None = None
    warn_of_said: Callable[[Settings, Mapping[str, int]], tuple[str, ...]] | None = None
    missed: Callable[[Settings, MethodContext], MissedEstimator | NoEstimate] | None = None
