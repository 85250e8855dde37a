"""Ids of annotations: what binds the pieces of a discontinuous one in formats that have an id for every piece."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

from spark_deid.core.span import Span


def only_shared_ids(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Keep the ids that several spans of one label share, and drop the others.

    >>> [span.annotation_id for span in only_shared_ids([Span(0, 1, "A", annotation_id="7")])]
    [None]
    """
    found = tuple(spans)
    pieces = Counter((span.annotation_id, span.label) for span in found)
    return tuple(s if pieces[s.annotation_id, s.label] > 1 else s._replace(annotation_id=None) for s in found)


def written_ids(spans: Sequence[Span], prefix: str) -> list[str]:
    """Give every span an id for a file: pieces of one annotation share theirs, no other spans do.

    >>> written_ids([Span(0, 1, "A"), Span(2, 3, "A", annotation_id="P0"), Span(4, 5, "A", annotation_id="P0")], "P")
    ['P1', 'P0', 'P0']
    """
    kept = {span.annotation_id for span in spans}
    fresh = (name for number in count() if (name := f"{prefix}{number}") not in kept)
    chosen: dict[tuple[str, str, str], str] = {}
    ids: list[str] = []
    for span in spans:
        if span.annotation_id is None:
            ids.append(next(fresh))
            continue
        key = (span.annotation_id, span.label, span.source)
        if key not in chosen:
            chosen[key] = next(fresh) if span.annotation_id in chosen.values() else span.annotation_id
        ids.append(chosen[key])
    return ids
