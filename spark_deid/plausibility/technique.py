"""The technique ``generalize``: more general terms of an ontology replace terms."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.kinds import Gatherer, MethodContext, PlanView, Reader, TechniqueKind, TechniqueReport, TermLoss
from spark_deid.ontology.policies import CUT
from spark_deid.plausibility.recount.losses import losses_of
from spark_deid.plausibility.spark.by_person import generalize_persons, read_generalized
from spark_deid.plausibility.spark.utility_counts import (
    BITS,
    OTHERS,
    SEGMENTS,
    SHORT,
    TENTHS,
    count_losses,
    sample_substitutes,
)
from spark_deid.plausibility.text.reading import NOTES, REASONS, read_document
from spark_deid.plausibility.text.settings import LEAST_DOCUMENTS, GeneralizeSettings, rules_of
from spark_deid.rewriting.keep import labels_that_stay

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


# Report of the technique: how much was lost, and which terms no ontology has.


UNKNOWN = "unknown-terms.csv"
"""The file of the workspace that lists the terms that no ontology has, with how often each was met."""


def report(settings: Mapping[str, GeneralizeSettings], corpus: "Corpus", run: MethodContext) -> TechniqueReport:
    """Count the losses, by label and document, and what a reader can still infer; two Spark jobs at most.

    No pair of terms is reported: it would decode a release. Figures over fewer than ``LEAST_DOCUMENTS`` are withheld.
    """
    lost = count_losses(corpus, rules_of(run.plan.rules_by_label))
    by_label = [
        {"label": label, "terms": sum(bits.values()), "mean_bits": mean_bits(bits), "bits": rows_of_bits(bits)}
        for label, bits in sorted(_by_label(lost.bits).items())
        if lost.documents[label] >= LEAST_DOCUMENTS
    ]
    similar = [{"name": f"{n / TENTHS:.1f}", "documents": lost.similar[n]} for n in range(TENTHS + 1)]
    are_few = lost.similar.total() < LEAST_DOCUMENTS
    figures = {
        "rules": [
            {
                "label": label,
                "t": each.t,
                "segment": each.segment,
                "segments": lost.texts[label, SEGMENTS] if lost.documents[label] >= LEAST_DOCUMENTS else 0,
                "search": each.search,
            }
            | (
                {
                    "bits": lost.mean_bits(label, BITS),
                    "others": lost.mean_bits(label, OTHERS),
                    "short": lost.texts[label, SHORT],
                }
                if lost.documents[label] >= LEAST_DOCUMENTS
                else {}
            )
            for label, each in sorted(settings.items())
        ],
        "labels": by_label,
        "similar": [] if are_few else similar,
        "substitutes": _substitutes(settings, corpus, run),
        "least_documents": LEAST_DOCUMENTS,
        "by_person": run.subjects > 0,
        "withheld": are_few or any(lost.documents[label] < LEAST_DOCUMENTS for label in settings),
        "unknown": 0 if are_few else sum(lost.unknown.values()),
        "unknown_terms": 0 if are_few else len(lost.unknown),
    }
    return TechniqueReport(figures, {UNKNOWN: _listed(lost.unknown)})


def _substitutes(
    settings: Mapping[str, GeneralizeSettings], corpus: "Corpus", run: MethodContext
) -> list[dict[str, object]]:
    """Return, for labels with a search of the paper, how many other originals give the text that was released."""
    if all(each.search == CUT for each in settings.values()):
        return []
    rules = rules_of(run.plan.rules_by_label)
    found = sample_substitutes(corpus, rules, run.plan.edited, labels_that_stay(run.plan))
    if found.documents < LEAST_DOCUMENTS:
        return []
    return [{"label": label, **counts._asdict()} for label, counts in sorted(found.items())]


def changes(
    settings: Mapping[str, GeneralizeSettings], plan: PlanView, text: str, edits: Sequence[LabelledEdit]
) -> list[TermLoss]:
    """Return for each generalized term its replacement and the loss; terms that differ in case only are one."""
    losses = losses_of(text, edits, rules_of(plan.rules_by_label))
    record: dict[tuple[str, str], TermLoss] = {}
    for loss in losses:
        change = TermLoss(loss.before, loss.after, f"{loss.bits:.1f} bits: any of {loss.volume:,}")
        record.setdefault((loss.before.casefold(), loss.after.casefold()), change)
    return list(record.values())


def _by_label(counted: Counter[tuple[str, int]]) -> dict[str, Counter[int]]:
    found: dict[str, Counter[int]] = {}
    for (label, bits), number in counted.items():
        found.setdefault(label, Counter())[bits] += number
    return found


def mean_bits(bits: Counter[int]) -> float:
    """Return the mean of counted whole bits, each by the middle of its range."""
    return sum((each + 0.5) * number for each, number in bits.items()) / bits.total()


def rows_of_bits(bits: Counter[int]) -> list[dict[str, object]]:
    """Return a row for each integer of bits from the least to the most, with how many terms lose as many."""
    return [{"name": f"{each} to {each + 1}", "terms": bits[each]} for each in range(min(bits), max(bits) + 1)]


def _listed(unknown: Counter[str]) -> bytes:
    """Write terms and how often each was met, the most frequent first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("term", "count"))
    rows = [(-count, term) for term, count in unknown.items()]
    writer.writerows((term, -count) for count, term in sorted(rows))
    return stream.getvalue().encode()


def _goes_by_person(run: MethodContext) -> bool:
    return run.spark is not None and run.subjects > 0


def _read(settings: Mapping[str, GeneralizeSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    rules = rules_of(run.plan.rules_by_label)
    if not _goes_by_person(run):
        return partial(read_document, rules=rules)
    return read_generalized


def _gather(settings: Mapping[str, GeneralizeSettings], run: MethodContext) -> Gatherer | None:
    if not _goes_by_person(run):
        return None
    return partial(generalize_persons, rules=rules_of(run.plan.rules_by_label), staying=labels_that_stay(run.plan))


def _describe(settings: GeneralizeSettings) -> str:
    return (
        f"a more general term of {settings.ontology}, so that each {settings.segment} has at least {settings.t} "
        "possible originals"
    )


def _refuse(label: str, settings: GeneralizeSettings, plan: PlanView) -> str | None:
    """Return the column of the label's name that would publish the originals of its mentions."""
    shown = (f"metadata.{name}: {way}" for name, way in plan.metadata.items() if name.lower() == label.lower())
    result = next((column for column in shown if not column.endswith("keyed")), None)
    return (
        None
        if result is None
        else f"{result} would publish the generalized values, because t counts only texts. Remove the column"
    )


KIND = TechniqueKind(
    describe=_describe,
    refuse=_refuse,
    settings=GeneralizeSettings,
    read=_read,
    gather=_gather,
    sees="document",
    reasons=REASONS,
    notes=NOTES,
    report=report,
    template="spark_deid.plausibility/generalized.html",
    changes=changes,
    recounted_by=("t_plausible",),
)
