"""Operators: what pseudonyms gave away, counted over decisions; counts alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from spark_deid.core.columns import cut_by_size, field_in, join_texts, offsets_in
from spark_deid.representation.pseudonyms.guessing import TRIES, count_replaced
from spark_deid.representation.pseudonyms.piece_texts import joined_pieces, utf8_of
from spark_deid.representation.pseudonyms.sentences import codes_of
from spark_deid.representation.pseudonyms.settings import NEIGHBOUR
from spark_deid.representation.pseudonyms.token_pairs import BETWEEN, TokenPairs, pairs_of
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


_DOCUMENTS, _CHARACTERS = 250, 1 << 20
_TOGETHER = 1 << 16
"""Words, with what stands for them, that are counted together: some 10 MiB of memory."""


def _count_part(part: PartFile, *, store: str, table: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    pairs = TokenPairs([], [], 0)
    for batch in in_pieces(read_groups(part.path, ["text", "edits"]), _DOCUMENTS):
        texts = batch.column("text").to_pylist()
        for low, high in cut_by_size([*map(len, texts)], _CHARACTERS):
            found = pairs_of(*_replaced(texts[low:high], batch.column("edits").slice(low, high - low)))
            pairs = pairs.with_others(found)
            if len(pairs.words) >= _TOGETHER:
                counts += count_replaced(pairs, store, table)
                pairs = TokenPairs([], [], 0)
    return counts + count_replaced(pairs, store, table)


def _replaced(texts: Sequence[str], edits: pa.ListArray) -> tuple[str, str]:
    """Return what stood in the edits of neighbours, and what stands there now, with NUL between each two."""
    joined = join_texts(texts)
    of_neighbours = pc.equal(field_in(edits, "technique"), NEIGHBOUR)
    chosen = np.flatnonzero(of_neighbours.to_numpy(zero_copy_only=False))
    begins = joined.begins[pc.list_parent_indices(edits).to_numpy()]
    starts, ends = ((begins + offsets_in(edits, name))[chosen] for name in ("start", "end"))
    codes = codes_of(joined.text)
    data, before = utf8_of(joined.text, codes)
    written = field_in(edits, "replacement").filter(of_neighbours).to_pylist()
    replaced = joined_pieces(data, before[starts], before[ends])
    return replaced, BETWEEN.join([each.replace(BETWEEN, " ") for each in written])


def _share(part: float, whole: float) -> float:
    return round(float(part) / float(whole), 4) if whole else 0.0
