"""Build an ontology's arrays from concepts: checked, counted, and ordered so that equal input gives equal files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.errors import UsageError
from spark_deid.ontology.array_validation import NAMED


@dataclass(frozen=True)
class SourceConcept:
    """A concept of a source: its id there, its words (the first names it), the ids right above it.

    ``gloss`` holds the hashed words of its gloss.
    """

    id: str
    words: tuple[str, ...]
    hypernyms: tuple[str, ...] = ()
    gloss: tuple[int, ...] = ()


@dataclass(frozen=True)
class ConceptSource:
    """All concepts, and what else a source states.

    ``senses`` has the ids of a word's concepts, the usual one first; ``keys`` the numbers of these senses. Words that
    ``senses`` lacks have the concepts that bear them, in the concepts' order. ``forms`` has irregular forms of words.
    """

    concepts: tuple[SourceConcept, ...]
    senses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    has_ids: bool = False


def pack_source(source: ConceptSource) -> dict[str, NDArray[Any]]:
    """Return the arrays of a source without faults, as ``ontology.from_arrays`` takes them.

    Raises UsageError where hypernyms are unknown or go in a circle.
    """
    concepts, volumes = _ordered(source.concepts)
    number = {concept.id: place for place, concept in enumerate(concepts)}
    senses = source.senses or _senses(source.concepts)
    words = sorted(senses, key=_order)
    forms = sorted(form for form in source.forms if form not in senses)
    place_of = {word: place for place, word in enumerate(words)}
    names = {number[concept.id]: concept.words[0] for concept in concepts}
    linked = [
        number[sense] | (int(NAMED) if names[number[sense]] == word else 0) for word in words for sense in senses[word]
    ]
    encoded = [word.encode() for word in (*words, *forms)]
    return {
        "text": np.frombuffer(b"".join(encoded), np.uint8),
        "word_counts": _counts(map(len, encoded)),
        "senses": np.array(linked, np.int32),
        "sense_counts": _counts(len(senses[word]) for word in words),
        "sense_keys": np.array([key for word in words for key in source.keys.get(word, ())], np.uint16),
        "lemmas": np.array([place_of[source.forms[form]] for form in forms], np.int32),
        "ids": np.array([int(concept.id[:8]) for concept in concepts] if source.has_ids else [], np.uint32),
        "hypernyms": np.array([number[above] for concept in concepts for above in concept.hypernyms], np.int32),
        "hypernym_counts": _counts(len(concept.hypernyms) for concept in concepts),
        "volumes": np.array([volumes[concept.id] for concept in concepts if volumes[concept.id]], np.int32),
        "glosses": np.array([word for concept in concepts for word in sorted(concept.gloss)], np.uint16),
        "gloss_counts": _counts(len(concept.gloss) for concept in concepts),
    }


def _senses(concepts: Iterable[SourceConcept]) -> dict[str, tuple[str, ...]]:
    senses: dict[str, tuple[str, ...]] = {}
    for concept in concepts:
        for word in dict.fromkeys(concept.words):
            senses[word] = (*senses.get(word, ()), concept.id)
    return senses


def _order(word: str) -> tuple[str, bool, str]:
    """Order words by their folded form, lower case first."""
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split()), word != word.lower(), word


def _ordered(concepts: Sequence[SourceConcept]) -> tuple[list[SourceConcept], dict[str, int]]:
    """Return the concepts, those that have some below first, and how many leaves are below each of these."""
    volumes = leaf_volumes({concept.id: concept.hypernyms for concept in concepts})
    return sorted(concepts, key=lambda concept: not volumes[concept.id]), volumes


def leaf_volumes(above: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Count the leaves below every concept, each once; 0 for a leaf itself.

    ``above`` has the ids right above every id. Sets of leaves are integers, one bit a leaf, and let go once counted.
    Raises UsageError where an id is unknown or ids go in a circle.
    """
    waiting = dict.fromkeys(above, 0)
    for identifier, hypernyms in above.items():
        for hypernym in hypernyms:
            if hypernym not in waiting:
                raise UsageError(f"{identifier}: its parent {hypernym} is missing")
            waiting[hypernym] += 1
    ready = [identifier for identifier, number in waiting.items() if not number]
    below = {identifier: 1 << bit for bit, identifier in enumerate(ready)}
    volumes = dict.fromkeys(ready, 0)
    while ready:
        identifier = ready.pop()
        leaves = below.pop(identifier)
        volumes.setdefault(identifier, leaves.bit_count())
        for hypernym in above[identifier]:
            below[hypernym] = below.get(hypernym, 0) | leaves
            waiting[hypernym] -= 1
            if not waiting[hypernym]:
                ready.append(hypernym)
    if len(volumes) < len(above):
        circle = min(identifier for identifier in above if identifier not in volumes)
        raise UsageError(f"{circle}: the hypernyms form a circle")
    return {identifier: volumes[identifier] for identifier in above}


def _counts(counts: Iterable[int]) -> NDArray[Any]:
    values = np.array(list(counts), np.int64)
    return values.astype(np.uint8 if values.max(initial=0) < 256 else np.uint16)


# Errors in the concepts of a source, one line each.


_MOST_LINES = 5


@dataclass(frozen=True)
class OntologyFault:
    """One thing that is wrong; an ontology can be built in spite of it unless it is grave."""

    message: str
    is_grave: bool = True


def check_graph(above: Mapping[str, tuple[tuple[str, ...], str]]) -> Iterator[OntologyFault]:
    """Find hypernyms that are not there, circles, and several roots.

    ``above`` has what is right above every term, and the place that states it.
    """
    unknown: dict[str, list[str]] = {}
    for parents, place in above.values():
        for parent in parents:
            if parent not in above:
                unknown.setdefault(parent, []).append(place)
    for parent, places in unknown.items():
        yield OntologyFault(
            f'{_listed(places)}: the parent "{parent}" is not a term. Add a row for it, without a parent if '
            "it is a root"
        )
    graph = {term: tuple(parent for parent in parents if parent in above) for term, (parents, _) in above.items()}
    for circle in find_circles(graph):
        yield OntologyFault(f"{above[circle[0]][1]}: a circle: {' > '.join((*circle, circle[0]))}")
    roots = [term for term, (parents, _) in above.items() if not parents]
    if len(roots) > 1:
        yield OntologyFault(f"{len(roots)} roots, expected one: {_listed(roots)}", is_grave=False)
    elif not roots and above:
        yield OntologyFault("there is no root: every term has a parent")


def check_spelling(places: Mapping[str, str]) -> Iterator[OntologyFault]:
    """Find terms that differ in case only; ``places`` states where each occurs."""
    equal: dict[str, list[str]] = {}
    for term in places:
        equal.setdefault(term.lower(), []).append(term)
    for terms in equal.values():
        if len(terms) > 1:
            named = " and ".join(f'"{term}"' for term in terms)
            message = ", ".join(places[term] for term in terms)
            yield OntologyFault(f"{message}: {named} differ only in case", is_grave=False)


def find_circles(graph: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Find a circle through each term that closes one, none twice; ``graph`` has what is above each term.

    >>> list(find_circles({"a": ("b",), "b": ("c", "a"), "c": (), "d": ("d",)}))
    [('a', 'b'), ('d',)]
    """
    done: set[str] = set()
    for start in graph:
        path, ways, place = [start], [iter(graph[start])], {start: 0}
        while path and path[-1] not in done:
            term = next(ways[-1], None)
            if term is None:
                done.add(path[-1])
                del place[path.pop()]
                ways.pop()
                if not path:
                    break
            elif term in place:
                yield tuple(path[place[term] :])
            elif term not in done:
                place[term] = len(path)
                path.append(term)
                ways.append(iter(graph[term]))


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_LINES
    return ", ".join(names[:_MOST_LINES]) + (f" and {more} more" if more > 0 else "")
