"""Operator: what a release's report says of persons."""

from pyspark.sql import DataFrame

from spark_deid.core.corpus import Corpus
from spark_deid.engine import functions as F
from spark_deid.identity.figures import figures, measure_loss
from spark_deid.identity.linkage import columns_of
from spark_deid.identity.settings import IdentityKeys, IdentitySettings
from spark_deid.identity.spark.mentions import KEPT, PERSON
from spark_deid.identity.spark.recoding import above_by, hierarchies_of
from spark_deid.identity.spark.recount import with_published_person


def figures_of(keys: IdentityKeys, corpus: Corpus) -> dict[str, object]:
    """Return the figures of a view that was generalized, and of linkage by splink.

    Runs four actions, five where persons are inferred. Of persons nothing comes to the driver but counts; values and
    labels do, each once.
    """
    quasi = keys.identity.roles.quasi
    view = corpus.identifiers.where(F.col("attribute").isin(*quasi))
    shown: dict[str, dict[tuple[str | None, bool], int]] = {name: {} for name in quasi}
    values: dict[str, set[str]] = {name: set() for name in quasi}
    known = view.where(F.col("value").isNotNull())
    is_exact = F.coalesce(F.col("generalized") == F.col("value"), F.lit(False)).alias("exact")
    for attribute, label, exact, people in known.groupBy("attribute", "generalized", is_exact).count().collect():
        shown[attribute][label, exact] = people
    for attribute, value in known.select("attribute", "value").distinct().collect():
        values[attribute].add(value)
    above = above_by(keys, hierarchies_of(keys))
    of_attributes = [measure_loss(name, shown[name], values[name], above.get(name)) for name in quasi]
    each = with_published_person(corpus, keys.identity).groupBy(PERSON).count()
    labels = [label for label, name in keys.identity.attributes.items() if name in quasi]
    documents = _counts_of(each)
    entry = figures(_counts_of(_classes(view)), of_attributes, documents) | {"labels": labels}
    if keys.identity.link == "splink":
        entry["linkage"] = {
            **_telling(keys.identity, corpus),
            "documents": sum(n * size for size, n in documents.items()),
        }
    return entry


def _telling(identity: IdentitySettings, corpus: Corpus) -> dict[str, object]:
    """Count the documents that tell at least two of the attributes by which persons were inferred."""
    compared = [*dict.fromkeys(each.attribute for each in columns_of({n: identity.kind(n) for n in identity.linked}))]
    there = corpus.kept[KEPT].where(F.col("attribute").isin(*compared) & F.col("value").isNotNull())
    by_document = there.groupBy("doc_id").agg(F.count_distinct("attribute").alias("attributes"))
    disclosing = by_document.where(F.col("attributes") > 1).agg(F.count(F.lit(1))).collect()[0][0]
    return {"compared": compared, "telling": int(disclosing)}


def _classes(view: DataFrame) -> DataFrame:
    """Count the persons of each class: of equal generalized values."""
    result = F.sort_array(F.collect_list(F.struct("attribute", "generalized"))).alias("told")
    return view.groupBy("subject_id").agg(result).groupBy("told").count()


def _counts_of(counted: DataFrame) -> dict[int, int]:
    """Return how often each count stands in the column ``count``; runs an action."""
    rows = counted.groupBy(F.col("count").alias("size")).agg(F.count(F.lit(1)).alias("number")).collect()
    return {row["size"]: row["number"] for row in sorted(rows)}
