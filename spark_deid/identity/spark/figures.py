"""Operator: what a release's report says of persons."""

from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.identity.figures import figures
from spark_deid.identity.settings import IdentityKeys
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.recoding import above_by, hierarchies_of
from spark_deid.identity.spark.recount import with_published_person


def figures_of(keys: IdentityKeys, corpus: Corpus) -> dict[str, object]:
    """Return the figures of a view that was generalized; two actions, and its rows come to the driver."""
    roles = keys.identity.roles
    view = corpus.identifiers.where(F.col("attribute").isin(*roles.quasi)).toArrow()
    each = with_published_person(corpus, keys.identity).groupBy(PERSON).agg(F.count(F.lit(1)).alias("documents"))
    counted = each.groupBy("documents").agg(F.count(F.lit(1)).alias("persons")).collect()
    documents = {row["documents"]: row["persons"] for row in counted}
    labels = [label for label, name in keys.identity.attributes.items() if name in roles.quasi]
    return figures(view, roles.quasi, documents, above_by(keys, hierarchies_of(keys))) | {"labels": labels}
