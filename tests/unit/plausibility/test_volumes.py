"""Three ways to read a volume, on the paper's closing example: the table of docs/explanation/t-plausibility.md."""

import math
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from spark_deid.ontology.ontology import Ontology, wordnet

T, ALPHA = 10, 0.5
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "t-plausibility.md"
Volume = Callable[["Tree", list[int], int], int]


class Tree:
    """The hypernyms of the nouns, read downwards."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        below = np.repeat(np.arange(ontology.n_concepts), np.diff(ontology.hypernym_starts))
        self.children: dict[int, list[int]] = {}
        for lower, upper in zip(below.tolist(), ontology.hypernyms.tolist(), strict=True):
            self.children.setdefault(upper, []).append(lower)

    def path(self, concept: int, steps: int = 4) -> list[int]:
        ups, found = self.ontology.ups("first"), [concept]
        while len(found) < steps:
            found.append(int(ups[found[-1]]))
        return found

    def lower(self, nodes: Iterable[int]) -> set[int]:
        return {child for node in nodes for child in self.children.get(node, ())}

    def below(self, node: int) -> set[int]:
        found, front = set[int](), {node}
        while front := self.lower(front) - found:
            found |= front
        return found


def leaves(tree: Tree, path: list[int], at: int) -> int:
    return sum(not tree.children.get(node) for node in tree.below(path[at]))


def descendants(tree: Tree, path: list[int], at: int) -> int:
    return len(tree.below(path[at]))


def same_level(tree: Tree, path: list[int], at: int) -> int:
    front = {path[at]}
    for _ in range(at):
        front = tree.lower(front)
    return len(front)


def chosen(volumes: list[list[int]]) -> tuple[tuple[int, ...], tuple[int, ...], float]:
    """Return the places of the least product that reaches t, those of the least cost, and that cost."""
    places = [place for place in product(range(4), repeat=2) if math.prod(_at(volumes, place)) >= T]

    def cost(place: tuple[int, ...]) -> float:
        bits, asked = [math.log2(each) for each in _at(volumes, place)], math.log2(T)
        words = sum((each - asked / 2) ** 2 for each in bits)
        return ALPHA / 4 * (sum(bits) - asked) ** 2 + (1 - ALPHA) / 2 * words

    uniform = min(places, key=cost)
    return min(places, key=lambda place: math.prod(_at(volumes, place))), uniform, cost(uniform)


def _at(volumes: list[list[int]], place: tuple[int, ...]) -> list[int]:
    return [each[level] for each, level in zip(volumes, place, strict=True)]


@pytest.mark.parametrize(
    ("name", "volume"), [("leaves", leaves), ("all descendants", descendants), ("same level", same_level)]
)
def test_the_page_has_the_volumes_of_the_nouns(name: str, volume: Volume) -> None:
    ontology = wordnet()
    tree = Tree(ontology)
    pain = int(ontology.senses_of(ontology.lemma("phantom limb pain") or 0)[0])
    paths = [tree.path(ontology.concept("marijuana", "02953127-n")), tree.path(pain)]
    volumes = [[1, *(volume(tree, path, at) for at in range(1, 4))] for path in paths]
    words = [["marijuana", *map(ontology.name_of, paths[0][1:])], [*map(ontology.name_of, paths[1])]]
    least, uniform, cost = chosen(volumes)
    written = [", ".join(each[level] for each, level in zip(words, place, strict=True)) for place in (least, uniform)]
    numbers = [", ".join(map(str, each)) for each in volumes]
    row = f"| {name} | {numbers[0]} | {numbers[1]} | {written[0]} ({math.prod(_at(volumes, least))}) |"
    assert f"{row} {written[1]} ({cost:.4f}) |" in PAGE.read_text(encoding="utf-8")
