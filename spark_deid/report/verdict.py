"""What a release's report says first: what is known to have leaked, and what was looked for and what was not."""

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
    "keep": "as they are",
    "keep-identifying": "as they are though they may name persons or tell what is recoded",
    "keyed": "as keyed hashes",
    "detect": "without what detectors find",
    "shift": "with dates that moved as those of the person's texts",
}


class DetectorTargets(NamedTuple):
    """What one detector looked for: in words, and under labels of no known meaning; and what of it it can't see."""

    detector: str
    words: tuple[str, ...]
    labels: tuple[str, ...]
    blind_spots: tuple[str, ...] = ()


class LabelShare(NamedTuple):
    """Of the annotations of a label, how many there are, how many keep a word in clear, and how many keep all."""

    label: str
    all: int
    in_clear: int
    untouched: int = 0

    @property
    def hidden(self) -> float:
        """Return the share of them of which no word stays."""
        return 1 - self.in_clear / self.all if self.all else 1.0

    @property
    def partly(self) -> float:
        """Return the share of them of which some words stay, or parts of words."""
        return (self.in_clear - self.untouched) / self.all if self.all else 0.0

    @property
    def open(self) -> float:
        """Return the share of them of which every word stays."""
        return self.untouched / self.all if self.all else 0.0


FEW = 4
"""The most kinds of identifiers that a headline names; below it all of them are told."""


@dataclass(frozen=True)
class ReportVerdict:
    """The first words of a report.

    ``shares`` has the annotations of the input by label, ``leaks`` those of them of which some stay in clear, the most
    first; ``unedited`` what detectors found and the plan does not edit; ``missing`` what nobody looked for, unless one
    of the labels ``unknown`` means it; ``columns`` what is let out beside the texts, and ``columns_found`` the names of
    those that are let out as they are and hold what is hidden in texts; ``residual_places`` where text that was removed
    stands in what is published. ``missed`` says in sentences how many names are estimated to be missed.
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
    """Judge a release by its manifest, and by what ``ReportData`` has beside it."""
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
        are = "annotation of the input stays" if whole == 1 else "annotations of the input stay"
        more = f", and parts of {number(partly)} more" if partly else ""
        return f"Known leaks: {number(whole)} {are} in clear{more}."
    if partly:
        return f"Known leaks: parts of {plural(partly, 'annotation')} of the input stay in clear."
    more = "; and not everything was looked for" if missing else ""
    if residual_places:
        return (
            f"Some of what was removed stands elsewhere in what is published: in {list_words(residual_places)}{more}."
        )
    if columns:
        return f"Columns that the plan lets out as they are hold what it hides in texts: {list_words(columns)}{more}."
    if missing:
        kinds = f"{list_words(missing)} were" if len(missing) <= FEW else f"{len(missing)} kinds of identifiers were"
        return f"No leak is known, but not everything was looked for: {kinds} not."
    return "No leak is known. No detector finds everything: look at the texts before you share them."


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
        return "The input has no annotations to compare with: nobody counted what was missed."
    if GOLD in manifest["plan"].get("sources", ()):
        return f"What the input's {plural(total, 'annotation')} marked was replaced."
    kept = sum(each.in_clear for each in shares)
    return f"Of the input's {plural(total, 'annotation')}, {number(total - kept)} are hidden with every word of theirs."


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
