"""Who is one person where links contradict what is known: the likeliest links win."""

from collections.abc import Iterable, Mapping


def resolve(links: Iterable[tuple[str, str, float]], known: Mapping[str, str]) -> dict[str, str]:
    """Return the cluster of each record, named by its least record.

    ``links`` are pairs of records with match probabilities. Records of one ``known`` key are together. Links are taken
    from the likeliest on (of equal ones the one of the least records first), and one that would bring two keys together
    is not taken.

    >>> resolve([("a", "b", 0.99), ("b", "c", 0.96)], {"a": "Ann", "c": "Cy"})
    {'a': 'a', 'b': 'a', 'c': 'c'}
    """
    roots: dict[str, str] = {}
    keys: dict[str, str] = {}
    first: dict[str, str] = {}
    for record, key in sorted(known.items()):
        roots[record] = root = _root(roots, first.setdefault(key, record))
        keys[root] = key
    for a, b, _ in sorted(links, key=lambda link: (-link[2], *sorted(link[:2]))):
        one, other = sorted((_root(roots, a), _root(roots, b)))
        if one != other and len({keys[root] for root in (one, other) if root in keys}) < 2:
            roots[other] = one
            if other in keys:
                keys[one] = keys[other]
    return {record: _root(roots, record) for record in sorted(roots)}


def _root(roots: dict[str, str], record: str) -> str:
    """Return the least record of a cluster, and shorten the way to it."""
    root = record
    while roots.setdefault(root, root) != root:
        root = roots[root]
    while roots[record] != root:
        roots[record], record = root, roots[record]
    return root
