"""The first lines of a release's report: known leaks, and the targets that detectors searched for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from spark_deid.core.labels import OTHER_LABELS
from spark_deid.core.plurals import plural
from spark_deid.core.span import GOLD, detector_of
from spark_deid.report.charts import legend
from spark_deid.report.missed_names import missed_sentences
from spark_deid.report.phrases import in_words, list_words, number, without_words

_HOW = {
    "keep": "unchanged",
    "keep-identifying": "unchanged although they may identify people or reveal recoded values",
    "keyed": "as keyed hashes",
    "detect": "without the identifiers that detectors find",
    "shift": "with dates shifted like those in the texts of the person",
}


class DetectorTargets(NamedTuple):
    """The targets of one detector: in words, by labels of unknown meaning, and its blind spots."""

    detector: str
    words: tuple[str, ...]
    labels: tuple[str, ...]
    blind_spots: tuple[str, ...] = ()


class LabelShare(NamedTuple):
    """The number of annotations of a label, of those with a readable word, and of those with only readable words."""

    label: str
    all: int
    in_clear: int
    untouched: int = 0

    @property
    def hidden(self) -> float:
        """Return the fraction of annotations with no readable word."""
        return 1 - self.in_clear / self.all if self.all else 1.0

    @property
    def partly(self) -> float:
        """Return the fraction of annotations with some readable words or parts of words."""
        return (self.in_clear - self.untouched) / self.all if self.all else 0.0

    @property
    def open(self) -> float:
        """Return the fraction of annotations with only readable words."""
        return self.untouched / self.all if self.all else 0.0


FEW = 4
"""Maximum number of kinds of identifiers that a headline names. The page lists all."""


@dataclass(frozen=True)
class ReportVerdict:
    """The first words of a report.

    ``shares`` has the annotations of the input by label. ``leaks`` has the labels that leak, most first.
    ``unedited`` has the spans that the plan does not edit. ``missing`` has the kinds of identifiers that no detector
    covers, unless one of the labels ``unknown`` means it. ``columns`` has the other published fields.
    ``columns_found`` has the names of unchanged fields in which detectors find identifiers. ``residual_places`` has
    the places of removed text that is still published. ``missed`` has sentences about missed names.
    """

    tone: Literal["bad", "warn", "good"]
    headline: str
    leaks: tuple[LabelShare, ...]
    shares: tuple[LabelShare, ...]
    annotations: str
    looked: tuple[DetectorTargets, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    unedited: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    residual_places: tuple[str, ...] = ()
    columns_found: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def verdict(
    manifest: Mapping[str, Any],
    notes: Iterable[str] = (),
    residual_places: Iterable[str] = (),
    found_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> ReportVerdict:
    """Judge a release by its manifest and by the further fields of ``ReportData``."""
    residual_places = tuple(residual_places)
    plan = manifest["plan"]
    looked = tuple(_looked(manifest))
    missing = in_words(plan.get("not_looked_for", ()))
    missing = tuple(each for each in missing if not any(each in line.words for line in looked))
    shares = tuple(_shares(manifest))
    leaks = tuple(sorted((each for each in shares if each.in_clear), key=lambda each: (-each.in_clear, each.label)))
    unedited = tuple(_unedited_counts(manifest))
    doubtful = missing or unedited or residual_places or found_in or tuple(notes)
    tone: Literal["bad", "warn", "good"] = "bad" if leaks else "warn" if doubtful else "good"
    return ReportVerdict(
        tone=tone,
        headline=_headline(leaks, missing, residual_places, tuple(found_in)),
        leaks=leaks,
        shares=shares,
        annotations=_annotations(manifest, shares),
        looked=looked,
        missing=missing,
        unknown=tuple(dict.fromkeys(label for line in looked for label in line.labels)),
        unedited=unedited,
        columns=tuple(_columns(plan, found_in)),
        residual_places=residual_places,
        columns_found=tuple(found_in),
        missed=missed_sentences(manifest),
    )


def _headline(
    leaks: tuple[LabelShare, ...], missing: tuple[str, ...], residual_places: tuple[str, ...], columns: tuple[str, ...]
) -> str:
    whole = sum(each.untouched for each in leaks)
    partly = sum(each.in_clear for each in leaks) - whole
    if whole:
        are = "input annotation is" if whole == 1 else "input annotations are"
        more = f", and {number(partly)} more in part" if partly else ""
        return f"{number(whole)} {are} still readable{more}. Do not share this release."
    if partly:
        are = "is" if partly == 1 else "are"
        return f"{plural(partly, 'input annotation')} {are} still readable in part. Do not share this release."
    more = ". The plan did not search for every kind of identifier" if missing else ""
    if residual_places:
        return f"Some removed text is still published in {list_words(residual_places)}{more}."
    if columns:
        return f"Some published columns contain identifiers that texts hide: {list_words(columns)}{more}."
    if missing:
        kinds = list_words(missing) if len(missing) <= FEW else f"{len(missing)} kinds of identifiers"
        return f"No leak is known, but the plan did not search for {kinds}."
    return "No leak is known. Detectors miss text, so review a sample before you share it."


def _shares(manifest: Mapping[str, Any]) -> Iterator[LabelShare]:
    """Yield the annotations of each label; what has labels that no detector writes counts as one, and comes last."""
    gold: Mapping[str, int] = manifest["spans"].get(GOLD, {})
    in_clear: Mapping[str, int] = manifest.get("gold_in_clear", {})
    untouched: Mapping[str, int] = manifest.get("gold_untouched", {})
    for label in sorted(gold, key=lambda each: (each == OTHER_LABELS, each)):
        yield LabelShare(label, gold[label], in_clear.get(label, 0), untouched.get(label, 0))


def _annotations(manifest: Mapping[str, Any], shares: tuple[LabelShare, ...]) -> str:
    total = sum(each.all for each in shares)
    if not total:
        return "The input has no annotations, so missed identifiers are not counted."
    if GOLD in manifest["plan"].get("sources", ()):
        return f"{plural(total, 'input annotation')} replaced."
    kept = sum(each.in_clear for each in shares)
    return f"{number(total - kept)} of {plural(total, 'input annotation')} completely hidden."


def _looked(manifest: Mapping[str, Any]) -> Iterator[DetectorTargets]:
    plan = manifest["plan"]
    for detector, looked_for in plan.get("looked_for", {}).items():
        labels = tuple(looked_for["labels"])
        words = (*in_words(labels), *looked_for["also"])
        yield DetectorTargets(legend(detector), words, without_words(labels), tuple(looked_for.get("blind_spots", ())))
    if GOLD in plan.get("sources", ()):
        labels = tuple(manifest["spans"].get(GOLD, {}))
        yield DetectorTargets(legend(GOLD), in_words(labels), without_words(labels))


def _unedited_counts(manifest: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    unedited = [name for name in manifest["plan"].get("unedited", ()) if name != GOLD]
    for name in unedited:
        counts = (sum(labels.values()) for source, labels in manifest["spans"].items() if detector_of(source) == name)
        if total := sum(counts):
            yield legend(name), total


def _columns(plan: Mapping[str, Any], found_in: Mapping[str, Sequence[str]]) -> Iterator[str]:
    ids = plan.get("release_ids", "keep")
    yield f"ids of documents, {_HOW.get(ids, ids)}"
    metadata = plan.get("metadata", ())
    for name in metadata:
        how = metadata[name] if isinstance(metadata, Mapping) else "keep"
        how = ids if name == "subject_id" and ids == "keyed" else how
        found = f", with {list_words(found_in[name])} in clear" if name in found_in else ""
        yield f"{name}, {_HOW.get(how, how)}{found}"
