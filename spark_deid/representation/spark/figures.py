"""Operators: what pseudonyms gave away, counted over decisions; counts alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from pyspark.sql import SparkSession

from spark_deid.core.arrow import named_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.representation.pseudonyms.guessing import TRIES, TokenPairs, add_pairs, count_replaced
from spark_deid.representation.pseudonyms.settings import NEIGHBOUR
from spark_deid.storage.parts import PartFile, in_pieces, read_groups
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


_DOCUMENTS = 250
_TOGETHER = 1 << 14
"""Tokens, with what stands for them, that are counted together: some 10 MiB of memory."""


def _count_part(part: PartFile, *, store: str, table: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    pairs: TokenPairs = Counter()
    for batch in in_pieces(read_groups(part.path, ["text", "edits"]), _DOCUMENTS):
        texts = batch.column("text").to_pylist()
        for text, edits in zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True):
            own = [edit for edit in edits if edit[2] == NEIGHBOUR]
            add_pairs([text[start:end] for start, end, *_ in own], [edit[3] for edit in own], pairs)
            if len(pairs) >= _TOGETHER:
                counts += count_replaced(pairs, store, table)
                pairs = Counter()
    return counts + count_replaced(pairs, store, table)


def _share(part: float, whole: float) -> float:
    return round(float(part) / float(whole), 4) if whole else 0.0
