"""Describe the steps of a plan."""

from collections.abc import Iterable, Iterator
from functools import partial

from spark_deid.core.error_wording import did_you_mean
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.span import GOLD
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.peek import check_columns
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.detectors import describe_rewriting, detectors_of, rule_lines, unwritten_rules
from spark_deid.plan.validation import objections
from spark_deid.rewriting.metadata import KEEP
from spark_deid.rewriting.spared_terms import unspared_labels
from spark_deid.storage.path_checks import check_disjoint


def explain(settings: MethodSettings) -> str:
    """Describe every step of a plan, the folders that it writes and the spans that it does not edit. Reads no data.

    A plan without folders is for DataFrames.

    Raises UsageError if a run would refuse the plan, because folders overlap or a detector is not available.
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
    """Check that every detector of a plan is available; raises UsageError with one line per mistake."""
    if wrong := [*objections(partial(kind.check, section) for _, kind, section in detectors_of(settings))]:
        raise UsageError("\n".join(wrong))


def check_guarantees(settings: MethodSettings) -> None:
    """Check before reading that a plan can satisfy its guarantees; raises GateRefused with every reason."""
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
        "read the input. Records that cannot be read go to rejects with a reason",
        *(kind.describe(section) for _, kind, section in detectors_of(settings)),
        _with_points(describe_rewriting(settings), rule_lines(settings)),
        *(["write documents, rejects, spans and edits to the workspace"] if has_places else []),
        _with_points(
            "check the result with separate algorithms",
            (GUARANTEES.find(name).describe(demand) for name, demand in settings.demands.items()),
        ),
        "if every check passes, " + ("publish the release in one commit" if has_places else "return the results"),
    ]
    yield from (f"{number}. {_sentences(step)}" for number, step in enumerate(steps, 1))
    yield ""
    yield from _notes(settings)


def _with_points(step: str, points: Iterable[str]) -> str:
    """Return a step with a list below it."""
    return "\n".join((f"{step}:", *(f"   - {_ended(point)}" for point in points)))


def _sentences(step: str) -> str:
    return _ended(f"{step[:1].upper()}{step[1:]}")


def _ended(text: str) -> str:
    """Return a text with a full stop if it has several sentences, like the other sentences of it."""
    return f"{text}." if ". " in text and "\n" not in text else text


def _places(settings: MethodSettings) -> Iterator[str]:
    named = (f", {name}{'' if way == KEEP else f' ({way})'}" for name, way in settings.metadata.items())
    columns = f"doc_id, text{''.join(named)}"
    if not isinstance(settings, PlanSettings):
        yield "input      a DataFrame"
        yield f"results    DataFrames: documents ({columns}), spans, edits, assessments, rejects"
        return
    yield f"input      {settings.input.path} ({settings.input.format})"
    yield f"workspace  {settings.workspace} (private: originals, spans, edits, full manifest)"
    yield f"release    {settings.release} ({columns})"


def _may_be_annotated(settings: MethodSettings) -> bool:
    """Return whether an input can have annotations. A DataFrame can."""
    return not isinstance(settings, PlanSettings) or find_format(settings.input.format).holds_spans


def _notes(settings: MethodSettings) -> Iterator[str]:
    for name in settings.exempt:
        if name != GOLD:
            yield f"note: {name} finds spans that are not edited, because sources does not contain {name}"
    if not (GOLD in settings.edited and _may_be_annotated(settings)):  # annotations may have any label
        for label, like in unwritten_rules(settings).items():
            yield f"note: rules contains {label}, but no detector of this plan finds this label{did_you_mean(like)}"
    if GOLD in settings.exempt and _may_be_annotated(settings):
        yield "note: annotations of the input are not edited. To edit them, add gold to sources"
    if any(model.training for model in settings.models):
        yield (
            "note: the residual risk was measured by the creator of the model. Hashes detect a changed model "
            "folder, but not false measurements"
        )
    if settings.allow is not None:
        count = sum(len(each.terms) for each in settings.allow.lists)
        yield (
            f"note: allow lists {count} terms. A span that equals such a term is not edited, unless it adjoins another"
            " span"
        )
        if (unspared := unspared_labels(settings)) is not None:
            yield "note: a term of allow is replaced in a person's texts if a value that is replaced there has the word"
            if unspared.labels:
                yield f"note: allow spares no dates, since dates move: {', '.join(sorted(unspared.labels))}"
    if settings.ids == "keep":
        yield (
            "note: the release contains the original document ids. To replace them with keyed hashes, set"
            " release_ids: keyed"
        )
    elif settings.release_ids is None:
        yield (
            "note: ids are file names, so the release contains keyed hashes of them. To publish them, set "
            "release_ids: keep"
        )
