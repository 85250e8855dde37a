"""The documents of a person read as one text, against what each of them is separately."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.span import Span
from spark_deid.plausibility.spark.by_person import read_generalized, whole_persons
from spark_deid.plausibility.spark.recount import DecidedDocument, count_person
from spark_deid.plausibility.text import persons
from spark_deid.plausibility.text.mentions import mask_taken
from spark_deid.plausibility.text.persons import PersonDocument, TermAnswer, read_person
from spark_deid.plausibility.text.reading import REASONS, read_document
from spark_deid.plausibility.text.segments import BETWEEN, starts_of
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from tests.unit.plausibility.generalized import rule

WORDS = ("asthma", "lung cancer", "cancer", "measles", "gout", "tumor", "disease", "a cold", "Asthma", "breast")
FILLERS = ("He has", "and", "Known for", "no", ".\n", "\n\n", "the", "spread.", "A")


def drawn(random: np.random.Generator) -> PersonDocument:
    """Draw a text, some of whose terms are marked, each as a detector may."""
    text, spans = "", list[Span]()
    for _ in range(int(random.integers(0, 7))):
        text += str(random.choice(FILLERS)) + " "
        word = str(random.choice(WORDS))
        if random.random() < 0.4:
            spans.append(Span(len(text), len(text) + len(word), "TERM", source="x", annotation_id="T1"))
        text += word + " "
    spans = [span._replace(annotation_id=f"T{at}") for at, span in enumerate(spans)]
    return PersonDocument(text, tuple(spans), tuple(spans))


def written(document: PersonDocument, answers: Sequence[TermAnswer]) -> list[LabelledEdit]:
    """Return the edits that answers ask for; what is suppressed gives way to its placeholder."""
    return [
        LabelledEdit(each.start, each.end, "suppress", "[TERM]", "TERM")
        if each.replacement is None
        else LabelledEdit(each.start, each.end, GENERALIZE, each.replacement, "TERM")
        for each in answers
    ]


def counted(documents: Sequence[PersonDocument], edits: Sequence[list[LabelledEdit]], rules: GeneralizeRules) -> object:
    decided = [
        DecidedDocument(each.text, frozenset(span[:2] for span in each.spans), own)
        for each, own in zip(documents, edits, strict=True)
    ]
    return count_person(decided, rules).faults


@pytest.mark.parametrize("search", ["exact", "cut"])
def test_what_one_document_is_a_person_of_one_is(search: str) -> None:
    rules = rule(t=16, search=search, below=["physical condition"])
    random = np.random.default_rng(3)
    for _ in range(30):
        document = drawn(random)
        alone = read_document(Document("d", document.text, spans=document.spans), document.pieces, rules=rules)
        labels = {span.start: span.label for span in (*document.pieces, *alone.further)}
        rows = alone.apply(Document("d", document.text), ()) or ()
        expected = [
            TermAnswer(row.start, row.end, labels[row.start], row.replacement)
            if isinstance(row, Edit)
            else TermAnswer(row.start, row.end, labels[row.start], None, row.reason)
            for row in rows
        ]
        if document.pieces:
            assert list(read_person([document], rules).by_document[0]) == expected


@pytest.mark.parametrize("search", ["exact", "cut"])
def test_what_is_written_of_a_person_holds_over_all_documents(search: str) -> None:
    rules = rule(t=16, search=search, segment="document", below=["physical condition"])
    random = np.random.default_rng(4)
    alone_is_not_enough = 0
    for _ in range(40):
        documents = [drawn(random) for _ in range(int(random.integers(1, 4)))]
        found = read_person(documents, rules).by_document
        edits = [written(*each) for each in zip(documents, found, strict=True)]
        assert counted(documents, edits, rules) == {}
        by_themselves = [written(each, read_person([each], rules).by_document[0]) for each in documents]
        alone_is_not_enough += bool(counted(documents, by_themselves, rules))
    assert alone_is_not_enough > 5, "words of one document tell of another's terms"


def test_each_document_is_a_segment_that_must_reach_t_by_itself() -> None:
    assert starts_of(BETWEEN.join(("He has gout.", "", "b")), "document") == (0, 17, 22)
    rules = rule(t=400, segment="document", below=["physical condition"])
    one = PersonDocument("gout", (Span(0, 4, "TERM"),), (Span(0, 4, "TERM"),))
    two = PersonDocument("measles", (Span(0, 7, "TERM"),), (Span(0, 7, "TERM"),))
    alone = [read_person([each], rules).by_document[0] for each in (one, two)]
    assert read_person([one, two], rules).by_document == alone


def test_people_of_too_much_text_have_their_terms_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persons, "MOST_CHARACTERS", 12)
    one = PersonDocument("He has gout", (), (Span(7, 11, "TERM"), Span(0, 2, "NAME")))
    rules = replace(rule(t=16), others=frozenset({"NAME"}))
    assert read_person([one], rules).by_document == [[TermAnswer(7, 11, "TERM", None, "person-too-long")]]


def test_batches_have_all_rows_of_a_person() -> None:
    random = np.random.default_rng(5)
    for _ in range(50):
        names = sorted(str(name) for name in random.integers(0, 6, 20))
        cuts = sorted(random.integers(0, 21, 5).tolist())
        table = pa.record_batch({"person": names, "at": list(range(20))})
        parts = [table.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, 20], strict=True)]
        given = list(whole_persons(iter(parts)))
        assert [at for batch in given for at in batch.column("at").to_pylist()] == list(range(20))
        own = [{*batch.column("person").to_pylist()} for batch in given]
        assert sum(map(len, own)) == len(set(names))
    assert list(whole_persons(iter([table.slice(0, 0)]))) == []


def test_a_technique_is_asked_where_nothing_is_marked_but_something_was_found() -> None:
    prepared = PreparedRule(GENERALIZE, lambda *_: None, None, read_generalized, REASONS, recounted=True)
    rules = PreparedRules({"TERM": prepared})
    told = (
        LinkedMention(4, 10, "TERM", "tumor", entity=GENERALIZE),
        LinkedMention(15, 21, "TERM", None, "infeasible", entity=GENERALIZE),
        LinkedMention(0, 0, "", reason="greedy-search", entity=GENERALIZE, value="2"),
        LinkedMention(0, 3, "TERM", "That", entity="another"),
    )
    document = Document("d", "The cancer and asthma.", mentions=told)
    done = decide(document, [], rules)
    assert apply_edits(document.text, done.edits) == "The tumor and [TERM]."
    assert done.handed_back == ((GENERALIZE, "greedy-search", 2), (GENERALIZE, "infeasible", 1))


def test_pieces_that_meet_within_a_composed_letter_move_nothing_behind_them() -> None:
    assert mask_taken("abcdef", [(0, 3), (2, 4)]) == "\0\0\0\0ef"
    rules = replace(rule(t=64, below=["physical condition"]), others=frozenset({"N"}))
    first = PersonDocument("lung cancer", (Span(0, 11, "TERM"),), (Span(0, 11, "TERM"),))
    odd = PersonDocument("x e\u0301 y", (), (Span(0, 3, "N"), Span(3, 6, "N")))
    found = read_person([first, odd, PersonDocument("The cancer has spread.", (), ())], rules).by_document
    assert [[(each.start, each.end) for each in own] for own in found] == [[(0, 11)], [], [(4, 10)]]
