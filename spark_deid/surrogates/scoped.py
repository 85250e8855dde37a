"""What is decided for a whole scope: techniques that first gather the values of a person's documents, or of one."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import DocumentReading, PlanView, SuppressedSpan
from spark_deid.core.span import Span

COMPOSED = "composed"
"""The reason of a replacement that stands, of a word that no list has."""
ELSEWHERE = "elsewhere"
"""The reason of one that stands, of a city that was to be drawn from the same state, which no list tells."""
OLDER = "older_rule"
"""The reason of a replacement that a workspace of an older version assigned."""
UNREAD, EXHAUSTED, CLASH = "unread", "exhausted", "clash"
"""Why a mention has no replacement: it can't be read, no surrogate is free, or its surrogate reads as that of another
value."""
FEW_VALUES, IN_RANGE = "few-values", "in-range"
"""Why a mention has no replacement: too few values have its shape, or it is itself in the range to draw from."""


class AssignedText(NamedTuple):
    """The replacement of a value of a scope, None if no text was free; ``family`` is what values are compared in.

    ``is_older`` marks a text from a workspace of an older version, whose draws depended on more of the value.
    """

    family: str
    value: str
    text: str | None
    is_composed: bool = False
    is_older: bool = False


MentionWriter = Callable[[Document, Sequence[Span]], Iterable[LinkedMention]]
"""What writes the mentions of a document, of which it gets all pieces; it may keep what it wrote of its scope."""


class ScopedTechnique(Protocol):
    """A technique in three steps: the values of documents, what stands for those of a scope, and mentions with it.

    A value is of a pool, from which what stands for it is drawn; values of one family are compared with each other.
    """

    @property
    def technique(self) -> str:
        """Return the technique's name."""

    @property
    def by_subject(self) -> bool:
        """Tell whether documents of one person are one scope."""

    def takes(self, label: str) -> bool:
        """Tell whether a label's spans are this technique's."""

    def values(self, document: Document, pieces: Sequence[Span]) -> Iterable[tuple[str, str]]:
        """Yield pools and values of a document with all its pieces, whatever their rules."""

    def assign(
        self, scope: str, values: Iterable[tuple[str, str]], earlier: Sequence[AssignedText]
    ) -> Iterable[AssignedText]:
        """Say what stands for each value of a scope, whatever their order; what was assigned earlier stays."""

    def writer(
        self, assigned: Mapping[tuple[str, str], AssignedText], values: Collection[tuple[str, str]]
    ) -> MentionWriter:
        """Return what writes each piece of the technique's own, in documents of the one scope of these values."""


def scope_of(document: Document, *, by_subject: bool) -> str:
    """Return the scope of a document: its person where one is known or inferred and asked for, else itself.

    Inferred persons are those that linkage gave its mentions: somebody's key, or the first document of whom none names.

    >>> scope_of(Document("d", "", "p"), by_subject=True), scope_of(Document("d", ""), by_subject=True)
    ('subject p', 'document d')
    >>> scope_of(Document("d", "", mentions=(LinkedMention(0, 3, "NAME", subject="document c"),)), by_subject=True)
    'document c'
    """
    if by_subject and document.subject_id is not None:
        return f"subject {document.subject_id}"
    inferred = next((each.subject for each in document.mentions if each.subject is not None), None)
    if by_subject and inferred is not None:
        return inferred if inferred.startswith("document ") else f"subject {inferred}"
    return f"document {document.doc_id}"


def infers_persons(plan: PlanView) -> bool:
    """Tell whether a plan has persons inferred, who may have several documents though the input names nobody."""
    keys = plan.sections.get("identity")
    return keys is not None and keys.identity.link == "splink"


def read_alone(document: Document, pieces: Sequence[Span], *, work: ScopedTechnique) -> DocumentReading:
    """Read a document that is a scope of its own."""
    values = tuple(work.values(document, pieces))
    scope = scope_of(document, by_subject=work.by_subject)
    assigned = {(each.family, each.value): each for each in work.assign(scope, values, ())}
    return _reading(work, tuple(work.writer(assigned, values)(document, pieces)))


def read_assigned(document: Document, pieces: Sequence[Span], *, work: ScopedTechnique) -> DocumentReading:
    """Read a document whose replacements were written when all documents of its person were seen."""
    return _reading(work, tuple(each for each in document.mentions if work.takes(each.label)))


def _reading(work: ScopedTechnique, replacements: Sequence[LinkedMention]) -> DocumentReading:
    counted = Counter(each.reason for each in replacements if each.reason in (COMPOSED, ELSEWHERE, OLDER))
    apply = partial(_replaced, technique=work.technique, replacements=replacements)
    return DocumentReading((), apply, tuple(sorted(counted.items())))


def _replaced(
    document: Document, spans: Sequence[Span], *, technique: str, replacements: Sequence[LinkedMention]
) -> Iterator[Edit | SuppressedSpan]:
    known = {(each.start, each.end, each.label): each for each in replacements}
    for span in spans:
        each = known.get((span.start, span.end, span.label))
        if each is None:
            yield SuppressedSpan(span.start, span.end, UNREAD)
        elif each.replacement is None:
            yield SuppressedSpan(span.start, span.end, each.reason)
        else:
            yield Edit(span.start, span.end, technique, each.replacement)


# Replacements of the values of several scopes: all their documents are taken first, then written one by one.


AssignedRow = tuple[str, str, str, str | None, bool, bool]
"""A scope with the fields of an ``AssignedText``."""


class _ScopeValues:
    """The values of a scope, of one technique, and their replacements once they are all known."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], None] = {}
        self.earlier: list[AssignedText] = []
        self.assigned: Sequence[AssignedText] = ()
        self.write: MentionWriter | None = None


class ScopeAssignments:
    """Take the values of whole scopes, for several techniques, then return their replacements in each document."""

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
        """Return the facts of a document's mentions without those that it has; its whole scope was taken before."""
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
