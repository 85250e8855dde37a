"""Which labels a release may show: those that plan, model or detector names, and tags that tell no removed text."""

from collections.abc import Mapping

from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import MethodContext
from spark_deid.core.labels import NAME_LABELS
from spark_deid.detection.registry import DETECTORS
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import named_labels
from spark_deid.rewriting.spark.labels import labels_of_edits, labels_telling
from spark_deid.rewriting.telling_labels import stand_ins, tags_among


def labels_of_names(settings: MethodSettings, hidden: Mapping[str, str]) -> frozenset[str]:
    """Return the labels of names of people in edits: known ones, those of the plan, and the labels that hide them."""
    section = settings.given("names")
    named = NAME_LABELS if section is None else section.all_labels
    return named | {shown for label, shown in hidden.items() if label in named}


def hidden_labels(settings: MethodSettings, corpus: Corpus, run: MethodContext) -> Mapping[str, str]:
    """Return the labels of decisions that are no tags or tell removed text, each with what is to stand for it.

    Nothing is looked at where only detectors are edited that name their labels; else one small action is run, and one
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
