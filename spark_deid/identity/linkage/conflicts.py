"""Who is one person where links contradict what is known, or what a person hardly has two of: the likeliest win."""

from collections.abc import Iterable, Mapping, Set
from types import MappingProxyType

from spark_deid.identity.linkage.model import LETTERS

RecordValues = Mapping[str, Mapping[str, str]]
"""The values of records, by column."""
NOTHING: RecordValues = MappingProxyType({})


def resolve_conflicts(
    links: Iterable[tuple[str, str, float]], known: Mapping[str, str], cells: RecordValues = NOTHING
) -> dict[str, str]:
    """Return the cluster of each record, named by its least record.

    ``links`` are pairs of records with match probabilities. Records of one ``known`` key are together. Links are taken
    from the likeliest on (of equal ones the one of the least records first), and one that would bring two keys
    together, or two values ``cells`` of one column that are no misspellings of each other, is not taken; but for values
    of the two records themselves, since their probability is that of a pair which differs so.

    >>> resolve_conflicts([("a", "b", 0.99), ("b", "c", 0.96)], {"a": "Ann", "c": "Cy"})
    {'a': 'a', 'b': 'a', 'c': 'c'}
    >>> born = {"a": {"born": "1961-05-04"}, "c": {"born": "1987-12-04"}}
    >>> resolve_conflicts([("a", "b", 0.99), ("b", "c", 0.96)], {}, born)
    {'a': 'a', 'b': 'a', 'c': 'c'}
    """
    roots: dict[str, str] = {}
    keys: dict[str, str] = {}
    first: dict[str, str] = {}
    values = {record: {column: {value} for column, value in each.items()} for record, each in cells.items()}
    for record, key in sorted(known.items()):
        roots[record] = root = _root(roots, first.setdefault(key, record))
        keys[root] = key
        if root != record:
            _add(values.setdefault(root, {}), values.get(record, {}))
    for a, b, _ in sorted(links, key=lambda link: (-link[2], *sorted(link[:2]))):
        one, other = sorted((_root(roots, a), _root(roots, b)))
        if one == other or len({keys[root] for root in (one, other) if root in keys}) > 1:
            continue
        compared = cells.get(a, {}).keys() & cells.get(b, {}).keys()  # the link has its probability in spite of these
        if _contradict(values.get(one, {}), values.get(other, {}), compared):
            continue
        roots[other] = one
        _add(values.setdefault(one, {}), values.pop(other, {}))
        if other in keys:
            keys[one] = keys[other]
    return {record: _root(roots, record) for record in sorted(roots)}


def _add(values: dict[str, set[str]], more: Mapping[str, set[str]]) -> None:
    for column, entry in more.items():
        values.setdefault(column, set()).update(entry)


def _contradict(one: Mapping[str, set[str]], other: Mapping[str, set[str]], compared: Set[str]) -> bool:
    """Tell whether clusters have values of a column, but of those ``compared``, none of which are near each other."""
    columns = (one.keys() & other.keys()) - compared
    return any(not any(are_near(a, b) for a in one[column] for b in other[column]) for column in columns)


def are_near(one: str, other: str) -> bool:
    """Tell whether two values are equal, or as few letters apart as counts for a misspelling.

    >>> are_near("1961-05-04", "1961-05-14"), are_near("kitten", "sitting")
    (True, False)
    """
    if abs(len(one) - len(other)) > LETTERS:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, there in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != there))
    return row[-1] <= LETTERS


def _root(roots: dict[str, str], record: str) -> str:
    """Return the least record of a cluster, and shorten the way to it."""
    root = record
    while roots.setdefault(root, root) != root:
        root = roots[root]
    while roots[record] != root:
        roots[record], record = root, roots[record]
    return root
