"""The interface of detectors: functions, and separately the words for users."""

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
    """A model that was used.

    Attributes:
        path: The folder of the model.
        sha256: The hash of its files.
        labels: The labels that it finds.
        rounds: The number of its rounds.
        training: Its training report.
    """

    path: str
    sha256: str
    labels: tuple[str, ...] = ()
    rounds: int = 0
    training: Mapping[str, Any] | None = None


class DetectorScope(NamedTuple):
    """The identifiers that a detector searches for.

    Attributes:
        labels: Labels that it writes.
        also: Further identifiers in words: those without a label, or with a label of which they are only a part.
        blind_spots: Identifiers in words that it is known to miss. Reports of releases list them.
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
    """Return an empty scope."""
    return DetectorScope()


def no_labels() -> tuple[str, ...]:
    """Know no label."""
    return ()


def always(_: Any) -> bool:
    """Return True."""
    return True


def always_search(*_: Any) -> bool:
    """Search every corpus."""
    return True


def no_figures(*_: Any) -> Mapping[str, object]:
    """Report nothing."""
    return MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class DetectorWords(Generic[Settings]):
    """Texts of a detector for users and documents.

    Attributes:
        describe: Returns a line for ``explain``.
        legend: The name of the detector in reports.
        example: A plan's key that uses the detector.
        public: Returns the entry of the shared manifest: no paths, terms or secrets.
        template: The page of the detector's figures in the report: ``package/page.html`` of the folder ``templates``.
        seeks: Returns the identifiers that the detector searches for.
        knows: Returns the labels that it offers to any plan. The report lists those that no detector of the plan
            searches.
        names: Returns the labels of other detectors that the section names. Labels of annotations that no one names are
            shown only as far as they are tags.
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
    """Find spans: in one document at a time (``make``), or in the whole corpus (``search``).

    All finders of a plan run in one pass. All functions get the detector's section of the plan, its settings.

    Attributes:
        settings: The class of the detector's section.
        make: Returns a function that finds spans in a text.
        extend: Gets the earlier detectors whose spans are edited, and returns a function that adds spans to those that
            the finders found in a document.
        needs_search: Whether ``search`` runs after ``extend``, by the settings and the run. Without ``extend`` it
            always runs.
        search: Gets the corpus with the spans so far and the detectors whose edits exist by then. Returns the corpus
            with more spans.
        sees: Whether a search reads the original text, or the text after other edits.
        check: Raises an error before anything is read if the detector is not available.
        asked: Whether settings request the detector at all.
        inline: Whether the settings are at a plan's top level.
        techniques: The techniques that its labels may have. The first is the default.
        reserved: Techniques that only these labels may have while the detector is edited.
        models: Returns the used models.
        report: Returns figures for the report, under the detector's name.
        refuse: Returns the parts of a plan that cannot be combined with the detector. The plan is then an error.
        warn: Returns the reasons why the first texts of a corpus may be of a kind that the detector does not know.
        warn_of_said: Returns the same for the languages that the input names, each with its number of texts.
        missed: Returns the estimator of missed words of names, or the reason for having no estimate.

    Example:
        A package names its kind in an entry point of ``spark_deid.detectors``::

            KIND = DetectorKind(settings=WardsSettings, describe=_describe, legend="wards", make=_make)
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
