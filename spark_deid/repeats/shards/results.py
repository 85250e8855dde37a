"""What is rare in a shard, from what its rounds have counted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.repeats.extension import character_lengths
from spark_deid.repeats.findings import Batches, write_findings
from spark_deid.repeats.grid import RarityGrid, hidden_by_length
from spark_deid.repeats.rare import HiddenRuns, cover_text, hidden_runs
from spark_deid.repeats.shards.files import ShardContents, ShardFolder
from spark_deid.repeats.shards.search import ShardSearch
from spark_deid.repeats.shards.tries import close_shard
from spark_deid.repeats.text import TextLayout


def lengths_of(search: ShardSearch, number: int, rounds: int, text: TextLayout) -> UInt16s:
    """Return the extension lengths by character that the rounds have found."""
    return character_lengths(text, close_shard(text.size, search.shard(number).read_depths(rounds)))


def find_in_shard(number: int, search: ShardSearch, rounds: int) -> Batches:
    """Cover a shard of whole documents; yield its rows of FINDINGS."""
    contents = search.shard(number).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    runs = hidden_runs(contents.text, cover_text(contents.text, lengths, search.rarity))
    yield from _findings(contents, runs, lengths)


def cover_shard(number: int, search: ShardSearch, rounds: int) -> int:
    """Cover a shard and write what is hidden; return how many characters are hidden more than the count before hid."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    original = first.read_contents()
    lengths = lengths_of(search, number, rounds, shard.read_text())
    hidden = cover_text(original.text, lengths, search.rarity)
    for segment in set(original.document_of[original.segments >= 0].tolist()):
        # What is hidden of a document that is cut is decided where it is whole.
        hidden[original.text.characters[segment] : original.text.characters[segment + 1]] = False
    shard.write_result(lengths, hidden)
    before = ShardFolder(shard.place, search.count - 1).read_hidden() if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def find_written(number: int, search: ShardSearch) -> Batches:
    """Yield the rows of FINDINGS of a shard's whole documents, by what was written; lengths are those first counted."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    contents = first.read_contents()
    yield from _findings(contents, hidden_runs(contents.text, shard.read_hidden()), first.read_lengths())


def _findings(contents: ShardContents, runs: HiddenRuns, lengths: UInt16s) -> Batches:
    whole = np.flatnonzero(contents.segments < 0)
    ids = pa.chunked_array([pa.array([contents.ids[row] for row in whole], pa.string())])
    yield from write_findings(ids, contents.text, runs, lengths, contents.document_of[whole])


def tally_shard(number: int, search: ShardSearch, rounds: int, grid: RarityGrid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a shard's whole documents; write the lengths for those that are cut."""
    shard = search.shard(number)
    contents = ShardFolder(shard.place, 0).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    if number in search.groups:
        shard.write_result(lengths, np.zeros(0, np.bool_))
    # Copies are hidden alike, and count as often as they are there.
    rows = np.bincount(contents.document_of[contents.segments < 0], minlength=len(contents.text.units))
    yield from hidden_by_length(contents.text, lengths, search.rarity, grid, rows)
