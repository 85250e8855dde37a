"""What a reader with the program tries: other originals of a released text, put through the tool in their place."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.plausibility.recount.cut import PlausibilityCounts
from spark_deid.plausibility.recount.partition import RebuiltPartition, partition_of
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.values.wording import article_of
from tests.unit.plausibility.generalized import decided, recounted


class TermSlot(NamedTuple):
    """How a term is written, whatever it is, and whether a detector marked it."""

    capital: bool = False
    capitals: bool = False
    several: bool = False
    article: bool = False
    marked: bool = True

    def written(self, word: str, plural: str) -> str:
        """Return a word in this number and case."""
        word = plural if self.several else word
        if self.capitals:
            return word.upper()
        return word[0].upper() + word[1:] if self.capital else word


class SlottedText(NamedTuple):
    """A text with places for terms: pieces that are before each of them, the last behind all."""

    pieces: tuple[str, ...]
    slots: tuple[TermSlot, ...]

    def filled(self, words: Sequence[tuple[str, str]]) -> tuple[str, list[Span]]:
        """Return the text with terms, each in both numbers, and the spans of those that are marked."""
        text, spans = "", []
        for piece, slot, (word, plural) in zip(self.pieces, self.slots, words, strict=False):
            text += piece
            if slot.article:
                article = article_of(word)
                text += (article.upper() if slot.capitals else article) + " "
            start = len(text)
            text += slot.written(word, plural)
            if slot.marked:
                spans.append(Span(start, len(text), "TERM", source="terms"))
        return text + self.pieces[-1], spans


class CutReader:
    """A reader with the program and the ontology: he knows which originals a part has, by the recount's partition."""

    def __init__(self, rules: GeneralizeRules) -> None:
        self.rules = rules
        (reading,) = rules.readings
        self.parts: RebuiltPartition = partition_of(rules.demand_of(reading))
        self.members: list[dict[int, list[int]]] = []
        for level in self.parts.parts:
            found: dict[int, list[int]] = {}
            for concept, part in level.items():
                found.setdefault(part.node, []).append(concept)
            self.members.append(found)

    @property
    def originals(self) -> list[int]:
        """Return what may be replaced at all."""
        return sorted(self.parts.parts[0])

    def words(self, concept: int) -> list[tuple[str, str]]:
        """Return the words of an original in both numbers."""
        return self.parts.constant_words(concept)

    def alike(self, concept: int, blocks: int) -> list[int]:
        """Return the originals that are written as one is, in segments that touch that many blocks."""
        level = min(blocks, len(self.parts.sizes)) - 1
        return self.members[level][self.parts.parts[level][concept].node]

    def published(self, text: SlottedText, words: Sequence[tuple[str, str]]) -> str:
        """Return what the tool makes of a text with these terms."""
        filled, spans = text.filled(words)
        return apply_edits(filled, decided(filled, spans, self.rules).edits)

    def counted(self, text: SlottedText, words: Sequence[tuple[str, str]]) -> PlausibilityCounts:
        """Return what the recount states about it."""
        filled, spans = text.filled(words)
        return recounted(filled, spans, decided(filled, spans, self.rules).edits, self.rules)

    def touched(self, text: SlottedText, words: Sequence[tuple[str, str]], chosen: Sequence[int]) -> dict[int, int]:
        """Return of each concept that is generalized how many blocks the segment of fewest touches in which it is."""
        filled, marked = text.filled(words)
        starts = starts_of(filled, next(iter(self.rules.by_label.values())).segment)
        lies: dict[int, set[int]] = {}
        for edit in decided(filled, marked, self.rules).edits:
            lemma = self.parts.words.read(filled[edit.start : edit.end]) if edit.technique == GENERALIZE else None
            if lemma is not None:
                block = self.block(self.parts.words.concept(lemma, None))
                lies.setdefault(segment_at(starts, edit.start), set()).add(block)
        least: dict[int, int] = {}
        for block, number in ((block, len(blocks)) for blocks in lies.values() for block in blocks):
            least[block] = min(least.get(block, number), number)
        return {concept: least[block] for concept in chosen if (block := self.block(concept)) in least}

    def block(self, concept: int) -> int:
        """Return the node of an original's block for t."""
        return self.parts.parts[0][concept].node

    def is_explained(self, text: SlottedText, concepts: Mapping[int, int], chosen: Sequence[int], seen: str) -> bool:
        """Return whether some words of other originals, one for each concept, give the text that was seen.

        ``concepts`` has the substitute of each; words are tried one term after another.
        """
        words = [self.words(concepts[concept]) for concept in chosen]
        picked = [each[0] for each in words]
        for place in range(len(picked)):
            if self.published(text, picked) == seen:
                return True
            scores = {}
            for word in words[place]:
                told = self.published(text, [*picked[:place], word, *picked[place + 1 :]])
                scores[word] = SequenceMatcher(None, told, seen, autojunk=False).ratio()
            picked[place] = max(scores, key=lambda word: scores[word])
        return self.published(text, picked) == seen
