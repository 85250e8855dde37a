"""Say what a plan would do."""

from collections.abc import Iterator
from functools import partial

from spark_deid.core.error_wording import did_you_mean
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.span import GOLD
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.peek import check_columns
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.detectors import describe_rules, detectors_of, unwritten_rules
from spark_deid.plan.validation import objections
from spark_deid.rewriting.metadata import KEEP
from spark_deid.storage.disjoint_paths import check_disjoint


def explain(settings: MethodSettings) -> str:
    """Describe every phase of a plan, what it writes where, and what it leaves unedited; touches no data.

    A plan that names no places is for DataFrames.

    Raises UsageError where a run would refuse the plan: places that contain one another, or a detector
    that can't be had.
    """
    if isinstance(settings, PlanSettings):
        check_disjoint(settings.input.path, settings.workspace, settings.release)
        check_given_columns(settings)
    check_detectors(settings)
    return "\n".join(_lines(settings))


def check_given_columns(settings: PlanSettings) -> None:
    """Check that a local input has the columns that a plan names, by its beginning; raises UsageError."""
    given = settings.input
    named = (*settings.metadata, *filter(None, [settings.language_column]))
    check_columns(given.path, given.format, given.options, dict.fromkeys(named))


def check_detectors(settings: MethodSettings) -> None:
    """Check that every detector of a plan can be had; raises UsageError, a line for every mistake."""
    if wrong := [*objections(partial(kind.check, section) for _, kind, section in detectors_of(settings))]:
        raise UsageError("\n".join(wrong))


def check_guarantees(settings: MethodSettings) -> None:
    """Refuse a plan that can't hold what it demands, before anything is read; raises GateRefused with every reason."""
    reasons = []
    for name, demand in settings.demands.items():
        kind = GUARANTEES.find(name)
        if refused := kind.before(demand, settings):
            reasons.append(f"{kind.assessment}: " + "; ".join(refused))
    if reasons:
        raise GateRefused("nothing is released: " + "; ".join(reasons))


def _lines(settings: MethodSettings) -> Iterator[str]:
    has_places = isinstance(settings, PlanSettings)
    yield from _places(settings)
    yield ""
    steps = [
        "read the input; what can't be read goes to rejects with a reason",
        *(kind.describe(section) for _, kind, section in detectors_of(settings)),
        describe_rules(settings),
        *(["write documents, rejects, spans and edits to the workspace"] if has_places else []),
    ]
    yield from (f"{number}. {step}" for number, step in enumerate(steps, 1))
    yield f"   then check on what was {'written' if has_places else 'decided'}, by other algorithms:"
    for name, demand in settings.demands.items():
        yield f"   - {GUARANTEES.find(name).describe(demand)}"
    yield "   publish with one commit, or not at all" if has_places else "   give the results, or none"
    yield ""
    yield from _notes(settings)


def _places(settings: MethodSettings) -> Iterator[str]:
    named = (f", {name}{'' if way == KEEP else f' ({way})'}" for name, way in settings.metadata.items())
    columns = f"doc_id, text{''.join(named)}"
    if not isinstance(settings, PlanSettings):
        yield f"a DataFrame in; DataFrames out: documents ({columns}), spans, edits, assessments, rejects"
        return
    yield f"input      {settings.input.path} ({settings.input.format})"
    yield f"workspace  {settings.workspace} (private: originals, spans, edits, full manifest)"
    yield f"release    {settings.release} ({columns})"


def _may_be_annotated(settings: MethodSettings) -> bool:
    """Tell whether an input can bring annotations; a DataFrame can."""
    return not isinstance(settings, PlanSettings) or find_format(settings.input.format).holds_spans


def _notes(settings: MethodSettings) -> Iterator[str]:
    for name in settings.exempt:
        if name != GOLD:
            yield f"note: {name} is run, but sources does not name it: its spans are kept for you to see and not edited"
    if not (GOLD in settings.edited and _may_be_annotated(settings)):  # annotations may have any label
        for label, like in unwritten_rules(settings).items():
            yield f"note: rules names {label}, and no detector of this plan writes it{did_you_mean(like)}"
    if GOLD in settings.exempt and _may_be_annotated(settings):
        yield "note: imported annotations (gold) are kept in spans and not edited; sources does not name gold"
    if any(model.training for model in settings.models):
        yield (
            "note: hashes tell that a model's folder is whole, not where it comes from: what it says of residual risk "
            "is as good as whoever gave it"
        )
    if settings.allow is not None:
        count = sum(len(each.terms) for each in settings.allow.lists)
        yield f"note: spans that are one of {count} terms of allow as a whole stay, unless another adjoins them"
    if settings.ids == "keep":
        yield "note: the release keeps document ids as they are (release_ids: keyed replaces them by keyed hashes)"
    elif settings.release_ids is None:
        yield "note: ids are names of files, so the release has keyed hashes of them (release_ids: keep keeps them)"
