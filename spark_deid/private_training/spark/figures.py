"""Operators: what pseudonyms gave away, counted over decisions; counts only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from spark_deid.core.columns import field_in
from spark_deid.engine.tasks import run_tasks
from spark_deid.private_training.pseudonyms.guessing import TRIES, TokenPairs, count_replaced, pairs_of
from spark_deid.private_training.pseudonyms.settings import NEIGHBOUR
from spark_deid.private_training.word_tokens import joined_spans
from spark_deid.storage.parts import PartFile, in_pieces, read_groups


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
_TOGETHER = 1 << 15
"""Words, with what represents them, that are counted together: some 5 MiB of memory."""


def _count_part(part: PartFile, *, store: str, table: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    pairs = TokenPairs([], [], 0)
    for batch in in_pieces(read_groups(part.path, ["text", "edits"]), _DOCUMENTS):
        texts = batch.column("text").to_pylist()
        pairs = pairs.with_others(pairs_of(*_replaced(texts, batch.column("edits"))))
        if len(pairs.words) >= _TOGETHER:
            counts += count_replaced(pairs, store, table)
            pairs = TokenPairs([], [], 0)
    return counts + count_replaced(pairs, store, table)


def _replaced(texts: Sequence[str], edits: pa.ListArray) -> tuple[str, str]:
    """Return what was in the edits of neighbours, and what is there now, with NUL between each two."""
    of_neighbours = pc.equal(field_in(edits, "technique"), NEIGHBOUR)
    owners = pc.list_parent_indices(edits).filter(of_neighbours).to_pylist()
    starts, ends = (field_in(edits, name).filter(of_neighbours).to_pylist() for name in ("start", "end"))
    replaced = [texts[owner][start:end] for owner, start, end in zip(owners, starts, ends, strict=True)]
    return joined_spans(replaced), joined_spans(field_in(edits, "replacement").filter(of_neighbours).to_pylist())


def _share(part: float, whole: float) -> float:
    return round(float(part) / float(whole), 4) if whole else 0.0
