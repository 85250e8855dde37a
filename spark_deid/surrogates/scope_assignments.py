"""What stands for the values of several scopes: all their documents are taken first, then written one by one."""

from collections.abc import Iterable, Iterator, Sequence

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.span import Span
from spark_deid.surrogates.scoped import AssignedText, MentionWriter, ScopedTechnique

AssignedRow = tuple[str, str, str, str | None, bool, bool]
"""A scope with the fields of an ``AssignedText``."""


class _ScopeValues:
    """The values of a scope, of one technique, and what stands for them once they are all known."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], None] = {}
        self.earlier: list[AssignedText] = []
        self.assigned: Sequence[AssignedText] = ()
        self.write: MentionWriter | None = None


class ScopeAssignments:
    """Take the values of whole scopes, for several techniques, then tell what stands for them in each document."""

    def __init__(self, works: Sequence[ScopedTechnique]) -> None:
        self._works = {work.technique: work for work in works}
        self._scopes: dict[str, dict[str, _ScopeValues]] = {}

    def take(self, scope: str, document: Document, pieces: Sequence[Span]) -> None:
        """Take the values of a document with all its pieces."""
        of_scope = self._of(scope)
        for name, work in self._works.items():
            of_scope[name].values.update(dict.fromkeys(work.values(document, pieces)))

    def take_earlier(self, scope: str, rows: Iterable[tuple[str, str, str, str, bool]]) -> None:
        """Take technique, family, value, the replacement of an earlier run, and whether its version was older."""
        for technique, family, value, text, is_older in rows:
            self._of(scope)[technique].earlier.append(AssignedText(family, value, text, is_older=is_older))

    def mentions(self, scope: str, document: Document, pieces: Sequence[Span]) -> list[LinkedMention]:
        """Return what the mentions of a document show, beside those that it has; its whole scope was taken before."""
        of_scope = self._scopes[scope]
        written = (self._writer(scope, name, each)(document, pieces) for name, each in of_scope.items())
        return [*document.mentions, *(mention for own in written for mention in own)]

    def rows(self, technique: str) -> Iterator[AssignedRow]:
        """Yield all that was assigned for a technique."""
        for scope, of_scope in self._scopes.items():
            self._writer(scope, technique, of_scope[technique])
            yield from ((scope, *each) for each in of_scope[technique].assigned)

    def _of(self, scope: str) -> dict[str, _ScopeValues]:
        if scope not in self._scopes:
            self._scopes[scope] = {name: _ScopeValues() for name in self._works}
        return self._scopes[scope]

    def _writer(self, scope: str, technique: str, of_scope: _ScopeValues) -> MentionWriter:
        if of_scope.write is None:
            work = self._works[technique]
            of_scope.assigned = [*work.assign(scope, of_scope.values, of_scope.earlier)]
            assigned = {(each.family, each.value): each for each in of_scope.assigned}
            of_scope.write = work.writer(assigned, of_scope.values)
        return of_scope.write
