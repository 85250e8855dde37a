"""What every task of a search in shards knows."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spark_deid.repeats.settings import RaritySettings
from spark_deid.repeats.shards.files import ShardFolder


@dataclass(frozen=True)
class ShardSearch:
    """One count of a corpus in shards: where its state is, which one it is from 0 on, and what is rare.

    ``groups`` numbers the units that are in several shards, by shard; ``samples`` is how many prefixes a shard draws.
    """

    folder: str
    count: int
    rarity: RaritySettings
    groups: dict[int, int]
    samples: int

    def shard(self, number: int) -> ShardFolder:
        """Return the files of a shard."""
        return ShardFolder(Path(self.folder) / f"shard-{number}", self.count)

    def answers(self, step: "SearchRound", place: int) -> Path:
        """Return the file of what a range answers in a round."""
        return Path(self.folder) / "ranges" / f"count-{self.count}" / f"round-{step.number}" / f"range-{place}"


class SearchRound(NamedTuple):
    """One round: its number, and between which depths it goes."""

    number: int
    low: int
    high: int


class SegmentPlace(NamedTuple):
    """Where a segment of a document is that no shard holds whole, and how many characters are searched in it."""

    shard: int
    document: int
    characters: int


CutDocument = tuple[str, list[SegmentPlace]]
"""The id of a document that is cut, and its segments in order."""
Documents = dict[str, list[SegmentPlace]]
"""The documents that are cut, with their segments in order."""
