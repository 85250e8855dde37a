"""The one decision which columns of documents are published, and how: for ``redact``, ``run`` and ``sanitize``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_deid.core.document import Document
from spark_deid.core.span import Finder
from spark_deid.rewriting.metadata import KEYED, SHIFT, SUBJECT, Way, Ways, is_kept, let_out


@dataclass(frozen=True)
class PublishedColumns:
    """The columns that are published next to id and text, in the order of the plan.

    Columns that no way names are not published. If ids are keyed, the id of the person is keyed with them and
    its own way does not count.

    >>> columns = PublishedColumns({"ward": "keep", "subject_id": "detect", "seen": "shift"}, ids_are_keyed=True)
    >>> columns.names, columns.kept, columns.shifted, dict(columns.rewritten)
    (('ward', 'subject_id', 'seen'), ('ward',), ('seen',), {})
    >>> columns.way_of("subject_id")
    'keyed'
    """

    ways: Ways
    ids_are_keyed: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all published columns."""
        return tuple(self.ways)

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the columns that are published as they are."""
        return tuple(name for name, way in self.ways.items() if is_kept(way))

    @property
    def shifted(self) -> tuple[str, ...]:
        """Return the columns whose dates move with the dates of texts."""
        return tuple(name for name, way in self.ways.items() if way == SHIFT)

    @property
    def rewritten(self) -> Ways:
        """Return the ways of values that are hashed or searched one by one; keyed ids and moved dates are not here."""
        return {
            name: way
            for name, way in self.ways.items()
            if not (is_kept(way) or way == SHIFT or (self.ids_are_keyed and name == SUBJECT))
        }

    def way_of(self, name: str) -> Way:
        """Return what happens to the values of a column."""
        return KEYED if self.ids_are_keyed and name == SUBJECT else self.ways[name]

    @property
    def places(self) -> Mapping[str, str]:
        """Return a name without dots for each column, since Spark reads a dot as a field."""
        return {name: name if name == SUBJECT else f"meta{place}" for place, name in enumerate(self.names)}

    def values_of(
        self, document: Document, moved: Mapping[str, str | None], *, key: bytes, finders: Sequence[Finder]
    ) -> dict[str, str]:
        """Return the published values of one document; ``moved`` are the values of its shifted columns."""
        known = dict(document.meta) | ({SUBJECT: document.subject_id} if document.subject_id else {})
        later = {name: value for name, value in moved.items() if value is not None}
        values = {}
        for name in self.names:
            way = self.way_of(name)
            if way == SHIFT and name in later:
                values[name] = later[name]
            elif way != SHIFT and name in known:
                values[name] = let_out(name, known[name], way, key=key, finders=finders)
        return values
