"""Operators: what pseudonyms gave away, counted over decisions; counts alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.arrow import named_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.representation.pseudonyms.guessing import TRIES, TokenPairs, count_replaced, pairs_of
from spark_deid.representation.pseudonyms.settings import NEIGHBOUR
from spark_deid.storage.parts import PartFile, read_groups
from spark_deid.storage.spark.tasks import run_tasks


def count_pseudonyms(spark: SparkSession, decided: Sequence[PartFile], store: str, table: str) -> Mapping[str, object]:
    """Return section 9's figures of the paper, and what is guessed of names; runs one action."""
    counted = run_tasks(spark, partial(_count_part, store=store, table=table), list(decided))
    counts: Counter[str] = sum(counted, Counter())
    words, names = counts["words"], counts["names"]
    guesses = [
        {
            "tries": tries,
            "guessed": _share(counts[f"guessed_{tries}"], names),
            "blind": _share(counts[f"blind_{tries}"], names),
        }
        for tries in TRIES
    ]
    return {
        "words": words,
        "numbers": counts["digits"],
        "without_vector": counts["without_vector"],
        "unchanged": counts["unchanged"],
        "holding_the_word": _share(counts["subword"], words),
        "mean_rank": round(counts["rank"] / counts["ranked"], 2) if counts["ranked"] else None,
        "names": names,
        "guesses": guesses,
    }


def count_joined(sentences: DataFrame) -> Mapping[str, object]:
    """Count pairs of sentences that share a pseudonym, and those of them that were of one document.

    ``sentences`` have a column ``doc_id`` and the words of their pseudonyms, ``words``. Runs one action.
    """
    numbered = sentences.select("doc_id", F.explode(F.array_distinct("words")).alias("word"))
    own = numbered.groupBy("word", "doc_id").count()
    pairs = F.sum(F.col("count") * (F.col("count") - 1) / 2)
    words = own.groupBy("word").agg(
        pairs.alias("own"), (F.sum("count") * (F.sum("count") - 1) / 2).alias("pairs"), F.sum("count").alias("standing")
    )
    seldom = F.when(F.col("standing") <= _SELDOM, F.col("pairs")).otherwise(0)
    seldom_own = F.when(F.col("standing") <= _SELDOM, F.col("own")).otherwise(0)
    row = words.agg(
        *(F.coalesce(F.sum(each), F.lit(0)) for each in (F.col("pairs"), F.col("own"), seldom, seldom_own))
    ).collect()[0]
    return {
        "pairs": int(row[0]),
        "of_one_document": _share(row[1], row[0]),
        "seldom_pairs": int(row[2]),
        "seldom_of_one_document": _share(row[3], row[2]),
    }


_SELDOM = 3
"""Sentences that share a pseudonym, up to which it counts as seldom: such pairs are the likeliest of one document."""


_TOGETHER = 1 << 14
"""Tokens, with what stands for them, that are counted together: some 10 MiB of memory."""


def _count_part(part: PartFile, *, store: str, table: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    pairs: TokenPairs = Counter()
    for batch in read_groups(part.path, ["text", "edits"]):
        texts = batch.column("text").to_pylist()
        for text, edits in zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True):
            for edit in edits:
                if edit.technique == NEIGHBOUR:
                    pairs.update(pairs_of(text[edit.start : edit.end], edit.replacement))
            if len(pairs) >= _TOGETHER:
                counts += count_replaced(pairs, store, table)
                pairs = Counter()
    return counts + count_replaced(pairs, store, table)


def _share(part: float, whole: float) -> float:
    return round(float(part) / float(whole), 4) if whole else 0.0
