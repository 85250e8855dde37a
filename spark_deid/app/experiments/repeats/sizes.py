"""What finding rare text takes and leaves, against the size of the corpus (Matsubara and Hasida, Figures 3 and 4)."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spark_deid.core.document import Document
from spark_deid.repeats.extension import character_lengths, extension_lengths
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.rare import count_cut, cover_rare
from spark_deid.repeats.settings import MAX_CAP, CountingUnit, CoveringMethod
from spark_deid.repeats.text import lay_out, number_units


@dataclass(frozen=True)
class SizeSettings:
    """What to measure: ``steps`` corpora, each half of the next; ``min_length`` are values of l."""

    k: int = 4
    min_length: tuple[int, ...] = (1, 6)
    unit: CountingUnit = CountingUnit.OCCURRENCE
    covering: CoveringMethod = CoveringMethod.GREEDY
    cap: int = MAX_CAP
    steps: int = 7
    seed: int = 0


class SizeMeasure(NamedTuple):
    """One corpus at one l: ``seconds`` of this process from text to what is hidden, and the characters hidden.

    ``cut`` is the number of repeats that the cap cut.
    """

    min_length: int
    documents: int
    bytes: int
    characters: int
    hidden: int
    seconds: float
    cut: int

    @property
    def unsuppressed(self) -> float:
        """Return the share of characters that stay."""
        return 1 - self.hidden / self.characters if self.characters else 1.0


def measure_sizes(documents: Sequence[Document], sizes: SizeSettings) -> Iterator[SizeMeasure]:
    """Yield what the first documents of a random order take and leave, from the smallest corpus to the whole."""
    order = np.random.default_rng(sizes.seed).permutation(len(documents))
    mixed = [documents[i] for i in order.tolist()]
    until = np.cumsum([len(document.text.encode("utf-8", "surrogatepass")) for document in mixed])
    counts = [int(np.searchsorted(until, until[-1] / 2**step)) + 1 for step in reversed(range(sizes.steps))]
    _measure(mixed[: counts[0]], sizes, sizes.min_length[0])  # compiles
    for count in sorted(set(counts)):
        for min_length in sizes.min_length:
            yield _measure(mixed[:count], sizes, min_length)


def _measure(documents: Sequence[Document], sizes: SizeSettings, min_length: int) -> SizeMeasure:
    units = number_units([document.subject_id for document in documents]) if sizes.unit is CountingUnit.SUBJECT else ()
    text = lay_out([document.text for document in documents], units)
    began = time.process_time()
    lengths = character_lengths(text, extension_lengths(text, k=sizes.k, unit=sizes.unit, cap=sizes.cap))
    data = text.data[: text.size]
    hidden = cover_rare(data, lengths, covering=sizes.covering, min_length=min_length, cap=sizes.cap)
    seconds = time.process_time() - began
    cut = count_cut(data, lengths, sizes.cap)
    is_text = lengths <= MAX_LENGTH
    characters = sum(len(document.text) for document in documents)
    size = text.size - len(documents)
    return SizeMeasure(min_length, len(documents), size, characters, int((hidden & is_text).sum()), seconds, cut)
