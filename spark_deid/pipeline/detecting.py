"""The phases of a plan between reading and release: find, decide, look for what edits leave rare, rewrite."""

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.kinds import Gatherer, MethodContext
from spark_deid.core.labels import NAME_LABELS
from spark_deid.detection.registry import DETECTORS
from spark_deid.engine.tables import read_parts
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import describe_rewriting, detectors_of, document_finders_of, edited_before, named_labels
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.rewriting.keep import labels_that_stay
from spark_deid.rewriting.rules import gatherers_of, prepare_rules
from spark_deid.rewriting.spared_terms import unspared_labels
from spark_deid.rewriting.spark.labels import labels_of_edits, labels_telling
from spark_deid.rewriting.spark.operators import (
    EditingRules,
    decide_edits,
    read_annotated,
    store_annotated,
    store_decided,
    store_decisions,
)
from spark_deid.rewriting.spark.spared_terms import TermGatherer
from spark_deid.rewriting.telling_labels import stand_ins, tags_among
from spark_deid.storage.parts import Parts, remove_parts

REWRITE, FIND_AND_REWRITE = "decide and rewrite", "find and rewrite"
_OF_SEARCHES = ("annotated", "entities", "identifiers", "associations", "kept")
"""What a search may give: annotated documents, and tables of its own."""


def carry_out(settings: MethodSettings, corpus: Corpus, run: MethodContext, clock: StageClock) -> Corpus:
    """Return the corpus with decisions, and with the spans and edits that they hold.

    All finders, the decision and the rewriting are one pass over the documents. Where a detector looks at the whole
    corpus, what was found before is materialized for it, and the rewriting is a pass of its own. Decisions, spans
    and edits are written in the same pass, and lie in ``decided``.
    """
    spark = corpus.documents.sparkSession
    rules = prepare_rules(settings.rules_by_label, corpus, run)
    finders = document_finders_of(settings, run)
    for _, kind, section in detectors_of(settings):
        if kind.search is None or kind.extend is not None:
            clock.say(kind.describe(section))
    gatherers = list(gatherers_of(settings.rules_by_label, run))
    if settings.allow is not None and run.subjects and unspared_labels(settings) is not None:
        gatherers.insert(0, TermGatherer(labels_that_stay(settings), run.place))
    searched = False
    for name, kind, section in detectors_of(settings):
        if kind.search is not None and kind.needs_search(section, run):
            before = edited_before(settings, name)
            seen = EditingRules(rules, frozenset(before)) if kind.sees == "edited" else None
            if not searched and not finders.is_empty:
                clock.start("find", "apply these detectors")
            if seen is not None and gatherers:
                corpus = _gathered(settings, corpus, finders, run, gatherers, clock, searched=searched)
                searched = True
            corpus = _seen_again(corpus, seen) if searched else _seen_first(corpus, seen, finders, run)
            clock.start(f"find {kind.legend}", kind.describe(section))
            found = kind.search(section, corpus, run, before)
            # Nothing else of what a method returns is taken: checks compare with what was read.
            taken = {name: getattr(found, name) for name in _OF_SEARCHES}
            corpus = replace(corpus, **taken)
            searched = True
    if gatherers:
        corpus = _gathered(settings, corpus, finders, run, gatherers, clock, searched=searched)
        searched = True
    clock.start(REWRITE if searched or finders.is_empty else FIND_AND_REWRITE, describe_rewriting(settings))
    folders = {name: run.place(name) for name in ("decisions", "spans", "edits")}
    editing = EditingRules(rules, frozenset(settings.edited))
    if parts := corpus.annotated_parts:
        decided = store_decisions(spark, parts, editing, folders)
    elif searched:
        decided = store_decided(corpus.annotated, editing, folders)
    else:
        decided = store_decisions(spark, corpus.read, editing, folders, finding=finders)
    corpus = with_decided(corpus, decided, spark)
    hidden = hidden_labels(settings, corpus, run)
    if not hidden:
        return corpus
    clock.start("decide by other labels", f"{len(hidden)} labels contain removed text or are not valid")
    given = corpus.annotated if searched else corpus.decisions.select(*tables.ANNOTATED.names)
    again = store_decided(given, editing._replace(labels=hidden), folders)
    remove_parts(decided)
    return replace(with_decided(corpus, again, spark), hidden_labels=hidden, found=_renamed(corpus.found, hidden))


def _renamed(found: Mapping[str, Mapping[str, int]], labels: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return counts by source and label, with other names for labels."""
    return {source: {labels.get(label, label): n for label, n in each.items()} for source, each in found.items()}


def _gathered(
    settings: MethodSettings,
    corpus: Corpus,
    finders: DocumentFinders,
    run: MethodContext,
    gatherers: list[Gatherer],
    clock: StageClock,
    *,
    searched: bool,
) -> Corpus:
    """Let techniques look at what was found in the whole corpus, once."""
    if not searched and finders.is_empty:  # what was read is not written again
        frame = read_annotated(corpus.documents.sparkSession, corpus.read)
        corpus = replace(corpus, annotated=frame, stored=StoredFrame(frame, corpus.read))
    elif not searched:
        clock.start("find", "apply these detectors")
        corpus = _seen_first(corpus, None, finders, run)
    clock.start("gather", "compare the documents of each person")
    while gatherers:
        gathered = gatherers.pop(0)(corpus, settings.edited)
        corpus = replace(corpus, annotated=gathered.annotated, stored=gathered.stored)
    return corpus


def with_decided(corpus: Corpus, decided: tuple[Parts, ...], spark: SparkSession) -> Corpus:
    """Return the corpus with the tables that were written of decisions."""
    decisions, spans, edits = (
        read_parts(spark, (parts[name] for parts in decided), schema)
        for name, schema in (("decisions", tables.DECISIONS), ("spans", tables.SPANS), ("edits", tables.EDITS))
    )
    return replace(corpus, decided=decided, decisions=decisions, spans=spans, edits=edits)


def _seen_first(corpus: Corpus, editing: EditingRules | None, finders: DocumentFinders, run: MethodContext) -> Corpus:
    """Apply the finders, and decide the edits, if a search needs them."""
    spark, folder = corpus.documents.sparkSession, run.place("annotated")
    stored, found = store_annotated(spark, corpus.read, folder, finders, editing)
    return replace(corpus, annotated=stored.frame, stored=stored, found=found)


def _seen_again(corpus: Corpus, editing: EditingRules | None) -> Corpus:
    """Decide the edits of what other searches have added to."""
    return replace(corpus, annotated=decide_edits(corpus.annotated, editing)) if editing else corpus


# Labels that a release may show: those that plan, model or detector names, and tags that reveal no removed text.


def labels_of_names(settings: MethodSettings, hidden: Mapping[str, str]) -> frozenset[str]:
    """Return the labels of names of people in edits: known ones, those of the plan, and the labels that hide them."""
    section = settings.given("names")
    named = NAME_LABELS if section is None else section.all_labels
    return named | {shown for label, shown in hidden.items() if label in named}


def hidden_labels(settings: MethodSettings, corpus: Corpus, run: MethodContext) -> Mapping[str, str]:
    """Return the labels of decisions that are not tags or reveal removed text, each with its replacement.

    Nothing is checked if all edited detectors name their labels; else one small action is run, and one
    more where labels are found that nothing names.
    """
    if all(name in DETECTORS.built_in for name in settings.edited):
        return {}
    spark = corpus.documents.sparkSession
    decided = [parts["decisions"] for parts in corpus.decided]
    labels = labels_of_edits(spark, decided)
    tags, others = tags_among(labels, named_labels(settings))
    disclosing = labels_telling(spark, decided, tags)
    return stand_ins((*others, *disclosing), labels, run.secret)
