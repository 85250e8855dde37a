"""Values of whole scopes: each scope's are assigned once, for every technique, and all of them kept."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.span import Span
from spark_deid.surrogates.scoped import AssignedText, MentionWriter, ScopeAssignments


class _Numbering:
    """Number the values of a scope that begin with a letter, after those that were assigned earlier."""

    by_subject = True

    def __init__(self, letter: str) -> None:
        self.technique = letter
        self.assigned = 0

    def takes(self, label: str) -> bool:
        return label == self.technique

    def values(self, document: Document, pieces: Sequence[Span]) -> Iterable[tuple[str, str]]:
        texts = (document.text[piece.start : piece.end] for piece in pieces)
        return [("word", text) for text in texts if text.startswith(self.technique)]

    def assign(
        self, scope: str, values: Iterable[tuple[str, str]], earlier: Sequence[AssignedText]
    ) -> Iterable[AssignedText]:
        self.assigned += 1
        yield from earlier
        known = {each.value for each in earlier}
        for number, (pool, value) in enumerate((row for row in values if row[1] not in known), len(earlier) + 1):
            yield AssignedText(pool, value, f"{scope} {number}")

    def writer(
        self, assigned: Mapping[tuple[str, str], AssignedText], values: Collection[tuple[str, str]]
    ) -> MentionWriter:
        def write(document: Document, pieces: Sequence[Span]) -> Iterable[LinkedMention]:
            for piece in pieces:
                found = assigned.get(("word", document.text[piece.start : piece.end]))
                if found is not None:
                    yield LinkedMention(*piece[:3], found.text)

        return write


def _document(text: str) -> tuple[Document, tuple[Span, ...]]:
    words = text.split()
    starts = [text.index(word) for word in words]
    return Document(text, text), tuple(Span(s, s + len(word), word[0]) for s, word in zip(starts, words, strict=True))


def test_each_scope_has_its_own_of_each_technique_and_keeps_what_is_earlier() -> None:
    x, y = _Numbering("x"), _Numbering("y")
    assignments = ScopeAssignments((x, y))
    assignments.take_earlier("a", [("x", "word", "x1", "old", False)])
    assignments.take("a", *_document("x1 x2 y1"))
    assignments.take("a", *_document("y2 x3"))
    assignments.take("b", *_document("x1"))
    assignments.take_earlier("c", [("y", "word", "y9", "kept", False)])
    assert [each.replacement for each in assignments.mentions("a", *_document("y2 x3"))] == ["a 3", "a 2"]
    assert [each.replacement for each in assignments.mentions("a", *_document("x1 x2 y1"))] == ["old", "a 2", "a 1"]
    assert [each.replacement for each in assignments.mentions("b", *_document("x1"))] == ["b 1"]
    assert [row[:1] + row[2:4] for row in assignments.rows("x")] == [
        ("a", "x1", "old"),
        ("a", "x2", "a 2"),
        ("a", "x3", "a 3"),
        ("b", "x1", "b 1"),
    ]
    assert [row[:1] + row[2:4] for row in assignments.rows("y")] == [
        ("a", "y1", "a 1"),
        ("a", "y2", "a 2"),
        ("c", "y9", "kept"),
    ]
    assert (x.assigned, y.assigned) == (3, 3)


def test_mentions_that_a_document_has_remain() -> None:
    assignments = ScopeAssignments((_Numbering("x"),))
    document, pieces = _document("x1")
    given = document._replace(mentions=(LinkedMention(0, 2, "WHO", subject="p"),))
    assignments.take("s", given, pieces)
    assert assignments.mentions("s", given, pieces) == [*given.mentions, LinkedMention(0, 2, "x", "s 1")]
