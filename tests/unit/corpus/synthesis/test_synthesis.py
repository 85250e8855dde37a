import re
from collections import Counter

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.corpus.synthesis.draws import draw_stream, pick_several
from spark_deid.corpus.synthesis.generate import is_long, make_document, person_count
from spark_deid.corpus.synthesis.grammar import load_grammar, parse_grammar
from spark_deid.corpus.synthesis.people import PERSONS, make_person, person_row
from spark_deid.corpus.synthesis.pools import ValuePools, make_pools
from spark_deid.corpus.synthesis.scene import LabelledPage
from spark_deid.corpus.synthesis.strangers import InventedName, eastern_name, initials, last_first, with_initial

SEED = 11
COUNT = 400


@pytest.fixture(scope="module")
def pools() -> ValuePools:
    return make_pools(SEED, "en")


@pytest.fixture(scope="module")
def corpus(pools: ValuePools) -> tuple[Document, ...]:
    return tuple(make_document(SEED, index, pools) for index in range(COUNT))


def test_a_document_depends_on_seed_and_number_only(pools: ValuePools, corpus: tuple[Document, ...]) -> None:
    make_pools.cache_clear()
    again = make_pools(SEED, "en")
    assert again == pools
    assert [make_document(SEED, index, again) for index in (399, 7, 0)] == [corpus[399], corpus[7], corpus[0]]
    assert make_document(SEED + 1, 7, pools).text != corpus[7].text


def test_spans_are_disjoint_ordered_and_without_spaces_at_their_ends(corpus: tuple[Document, ...]) -> None:
    for made in corpus:
        end = 0
        for span in made.spans:
            assert end <= span.start < span.end <= len(made.text)
            surface = made.text[span.start : span.end]
            assert surface == surface.strip() != ""
            assert span.source == "gold"
            end = span.end


def test_every_mention_of_the_person_is_a_span(pools: ValuePools, corpus: tuple[Document, ...]) -> None:
    checked = 0
    for made in corpus:
        assert made.subject_id is not None
        someone = make_person(SEED, int(made.subject_id.removeprefix("person-")), pools)
        for value in (someone.email, someone.record_number, someone.insurance_number, someone.street):
            for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", made.text):
                assert any(span.start <= match.start() and match.end() <= span.end for span in made.spans)
                checked += 1
    assert checked > COUNT / 2


def test_surfaces_have_the_form_of_their_label(corpus: tuple[Document, ...]) -> None:
    forms = {
        "EMAIL": r"\S+@\S+\.\w+",
        "AGE": r"\d{1,3}",
        "PHONE": r"[+(]?[\d() .-]{7,}",
        "URL": r"(?i)(https?://|www).+",
    }
    for made in corpus:
        for span in made.spans:
            assert re.fullmatch(forms.get(span.label, r"(?s).+"), made.text[span.start : span.end])


def test_labels_kinds_and_people_vary(corpus: tuple[Document, ...]) -> None:
    labels = Counter(span.label for made in corpus for span in made.spans)
    assert set(labels) == {
        *("NAME", "DATE", "AGE", "PHONE", "EMAIL", "ID", "LOCATION"),
        *("HOSPITAL", "ORGANIZATION", "PROFESSION", "URL"),
    }
    assert min(labels.values()) > COUNT / 10
    assert len({made.meta["kind"] for made in corpus}) >= 15
    documents = Counter(made.subject_id for made in corpus)
    assert max(documents.values()) >= 5
    assert len(documents) > COUNT / 10
    assert len({made.text for made in corpus}) == COUNT


def test_some_documents_shout_and_some_have_windows_lines(corpus: tuple[Document, ...]) -> None:
    texts = [made.text for made in corpus]
    assert any(text.isupper() for text in texts)
    assert any("\r\n" in text for text in texts)
    assert any("\U0001f642" in text for text in texts)


def test_length_is_about_two_and_a_half_kilobytes(corpus: tuple[Document, ...]) -> None:
    ordinary = [len(made.text) for made in corpus if made.meta["kind"] != "chart"]
    assert 1500 < sum(ordinary) / len(ordinary) < 3000


def test_one_document_in_some_thousands_is_very_long(pools: ValuePools) -> None:
    index = next(i for i in range(20_000) if is_long(SEED, i))
    chart = make_document(SEED, index, pools)
    assert chart.meta["kind"] == "chart"
    assert 300_000 <= len(chart.text) < 1_010_000
    assert all(chart.text[s.start : s.end].strip() for s in chart.spans)


def test_spanish_is_another_grammar_over_other_values() -> None:
    spanish = make_pools(SEED, "es")
    made = [make_document(SEED, index, spanish) for index in range(60)]
    assert {one.meta["language"] for one in made} == {"es"}
    assert any("Fecha de nacimiento" in one.text for one in made)
    assert {"NAME", "DATE", "ID", "LOCATION", "HOSPITAL"} <= {s.label for one in made for s in one.spans}


def test_people_depend_on_seed_and_number_only(pools: ValuePools) -> None:
    first = [make_person(SEED, number, pools) for number in range(20)]
    assert first[13] == make_person(SEED, 13, pools)
    assert len({one.record_number for one in first}) == 20
    assert tuple(person_row(first[0], pools)) == tuple(PERSONS.names)


def test_every_person_of_a_corpus_is_in_its_person_table(corpus: tuple[Document, ...]) -> None:
    known = {f"person-{number:07d}" for number in range(person_count(COUNT))}
    assert {made.subject_id for made in corpus} <= known


def test_an_unknown_language_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="expected one of en, es"):
        make_pools(SEED, "tlh")


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_rule_of_a_grammar_can_be_reached(language: str) -> None:
    grammar = load_grammar(language)
    reached: set[str] = set()
    waiting = ["document", "chart_opening", "chart_entry"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            for alternative in grammar[name].alternatives:
                for step in alternative:
                    inner = getattr(step, "rule", None) or getattr(step, "step", None) or step
                    if getattr(inner, "alternatives", None):
                        waiting.append(inner.name)
    assert reached == set(grammar)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\n{nothing}", r"x:2: \{nothing\} is neither a rule nor a slot"),
        ("[a]\n{age*1-2}", r"x:2: \{age\*1-2\} repeats what is not a rule"),
        ("[a]\n[b]\nb", r"x: rule \[a\] has no alternative"),
        ("loose", r"x:1: expected \[rule\]"),
    ],
)
def test_a_wrong_grammar_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_grammar({"x": text})


def test_a_page_marks_exactly_what_was_put_down() -> None:
    page = LabelledPage(draw_stream(1, "page", 0), shout=True, line_break="\r\n", typos=1.0)
    page.put("Line of text\n")
    page.mark("José Straße", "NAME")
    page.put(" end")
    (span,) = page.spans
    assert page.text()[span.start : span.end] == "JOSÉ STRASSE"
    assert "\r\n" in page.text()


def test_a_literal_can_have_a_label(pools: ValuePools) -> None:
    grammar = parse_grammar({"x": "[document]\n{story}\n[story]\nWord of {ORGANIZATION: the Agency} was late."})
    made = make_document(SEED, 1, pools, grammar=grammar)
    (span,) = made.spans
    assert (span.label, made.text[span.start : span.end].lower()) == ("ORGANIZATION", "the agency")
    assert made.meta["kind"] == "story"


def test_files_of_a_grammar_add_to_one_another() -> None:
    grammar = parse_grammar({"a": "[document]\n{one}\n[one]\n1", "b": "[document]\n{two}\n[two]\n2"})
    assert [step.name for (step,) in grammar["document"].alternatives] == ["one", "two"]


def test_initials_and_forms_of_names() -> None:
    someone = InventedName("Mary Jo", "Smith")
    draws = draw_stream(1, "names", 0)
    assert initials(someone) == "MJS"
    assert last_first(someone) == "Smith, Mary Jo"
    assert all(re.fullmatch(r"M(\.| )?( ?[A-Z]\.)? ?Smith", with_initial(someone, draws)) for _ in range(50))
    assert {" ".join(eastern_name(draws)).split()[0] for _ in range(50)} > {"Abu"}


def test_several_choices_come_once_before_any_comes_again() -> None:
    chosen = pick_several(draw_stream(1, "choices", 0), "abc", 7)
    assert len(chosen) == 7
    assert set(chosen[:3]) == set(chosen[3:6]) == set("abc")
