"""What is wrong with the concepts of a source, told in a line each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_MOST_LINES = 5


@dataclass(frozen=True)
class OntologyFault:
    """One thing that is wrong; an ontology can be built in spite of it unless it is grave."""

    message: str
    is_grave: bool = True


def check_graph(above: Mapping[str, tuple[tuple[str, ...], str]]) -> Iterator[OntologyFault]:
    """Find hypernyms that are not there, circles, and several roots.

    ``above`` has what stands right above every term, and the place that says so.
    """
    unknown: dict[str, list[str]] = {}
    for parents, place in above.values():
        for parent in parents:
            if parent not in above:
                unknown.setdefault(parent, []).append(place)
    for parent, places in unknown.items():
        yield OntologyFault(
            f'{_listed(places)}: the parent "{parent}" is no term; give it a row, with no parent if it is a root'
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
    """Find terms that differ in case alone; ``places`` says where each stands."""
    equal: dict[str, list[str]] = {}
    for term in places:
        equal.setdefault(term.lower(), []).append(term)
    for terms in equal.values():
        if len(terms) > 1:
            named = " and ".join(f'"{term}"' for term in terms)
            message = ", ".join(places[term] for term in terms)
            yield OntologyFault(f"{message}: {named} differ in case alone", is_grave=False)


def find_circles(graph: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Find a circle through each term that closes one, none twice; ``graph`` has what stands above each term.

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
