"""ERASE without Spark: what a document shares with records of a table, generalized until k records share it."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.plan.load import check_methods
from spark_deid.plausibility.k_safety import catalogue as catalogues
from spark_deid.plausibility.k_safety import linking
from spark_deid.plausibility.k_safety.catalogue import NOTHING, TermCatalogue, distinct_terms, read_paths, share_terms
from spark_deid.plausibility.k_safety.detector import KIND as DETECTOR
from spark_deid.plausibility.k_safety.document import choose_replacements, shares_enough
from spark_deid.plausibility.k_safety.linking import RecordLinker, term_of
from spark_deid.plausibility.k_safety.settings import EraseSettings
from spark_deid.plausibility.k_safety.words import TermFinder, key_of
from tests.unit.plausibility.k_safety.erased import Hierarchies, Rows, asked, catalogue, decided, lines, linker

COLUMNS = ("city", "drug", "name")
HIERARCHIES: Hierarchies = {
    "city": {
        "Boston": ("Boston", "Massachusetts", "the East", "*"),
        "Salem": ("Salem", "Massachusetts", "the East", "*"),
        "Albany": ("Albany", "New York", "the East", "*"),
        "Reno": ("Reno", "Nevada", "the West", "*"),
    },
    "drug": {
        "heroin": ("heroin", "opiate", "drug", "*"),
        "morphine": ("morphine", "opiate", "drug", "*"),
        "aspirin": ("aspirin", "analgesic", "drug", "*"),
    },
}
ROWS: Rows = [
    ("Boston", "heroin", "Ann Lee"),
    ("Boston", "morphine", "Bob Ray"),
    ("Salem", "heroin", "Cy Dow"),
    ("Albany", "aspirin", "Di Fox"),
    ("Reno", "aspirin", "Ed Gray"),
]
TEXT = "Ann Lee of Boston takes heroin; an aspirin helps."
HIDDEN = ("suppress",)


def file_of(tmp_path: Path, text: str = TEXT, rows: Rows = ROWS) -> str:
    every = [label for each in lines(COLUMNS, rows, HIERARCHIES).values() for line in each.values() for label in line]
    known = TermFinder(dict.fromkeys(key for label in every if (key := key_of(label))))
    keys = list(known.numbers)
    return catalogue(tmp_path, COLUMNS, rows, HIERARCHIES, [keys[place.term] for place in known.find(text)])


def test_terms_are_generalized_until_k_records_share_them(tmp_path: Path) -> None:
    _, found = decided(TEXT, asked(file_of(tmp_path), 2))
    assert apply_edits(TEXT, found.edits) == "[RECORD] of Massachusetts takes opiate; an analgesic helps."
    assert found.handed_back == (("erase", "few-records", 1),)


def test_more_records_need_higher_labels(tmp_path: Path) -> None:
    _, found = decided(TEXT, asked(file_of(tmp_path), 4))
    assert apply_edits(TEXT, found.edits) == "[RECORD] of the East takes drug; a drug helps."


def test_terms_that_k_records_share_may_remain_where_a_plan_reports_it(tmp_path: Path) -> None:
    text = "Albany, Boston and aspirin; not Reno."
    _, found = decided(text, asked(file_of(tmp_path, text), 2, "telling"))
    assert apply_edits(text, found.edits) == "the East, Boston and drug; not [RECORD]."


def test_a_label_that_reads_as_another_term_with_the_words_next_to_it_is_suppressed(tmp_path: Path) -> None:
    rows = [*ROWS, ("Boston", "aspirin", "drug Lee"), ("Boston", "aspirin", "drug Lee")]
    text = "aspirin Lee"
    _, found = decided(text, asked(file_of(tmp_path, text, rows), 5))
    assert apply_edits(text, found.edits) == "[RECORD] Lee"
    assert found.handed_back == (("erase", "reads-as-term", 1),)


def test_what_remains_of_a_term_is_suppressed(tmp_path: Path) -> None:
    name = Span(4, 14, "NAME", source="names")
    _, found = decided("Ann Lee Boston", asked(file_of(tmp_path, "Boston Ann Lee"), 2), name)
    assert [edit.replacement for edit in found.edits] == ["[RECORD]", "[NAME]"]


def brute(released: Iterable[str], rows: Rows, hierarchies: Hierarchies, columns: Sequence[str], k: int) -> bool:
    """Tell from the definition whether every record's released terms are shared by k - 1 further records."""
    every = lines(columns, rows, hierarchies)
    has = [{key_of(x) for c, value in zip(columns, row, strict=True) for x in every[c][value]} for row in rows]
    terms = {key_of(term) for term in released}
    return all(not (terms & own) or sum((terms & own) <= other for other in has) >= k for own in has)


def drawn(draw: random.Random) -> tuple[tuple[str, ...], Rows, Hierarchies]:
    """Draw a table of three columns, two of which have a hierarchy; labels of both are partly the same."""
    hierarchies = {}
    for column in ("a", "b"):
        values = [f"{column}{n}" for n in range(draw.randint(1, 6))]
        low = {value: f"{draw.choice('abx')} low {draw.randint(0, 2)}" for value in values}
        high = {label: f"high {draw.randint(0, 1)}" for label in low.values()}
        hierarchies[column] = {value: (value, low[value], high[low[value]], "*") for value in values}
    rows = [
        (draw.choice(list(hierarchies["a"])), draw.choice(list(hierarchies["b"])), draw.choice(["p", "q", "a0", "r"]))
        for _ in range(draw.randint(1, 12))
    ]
    return ("a", "b", "c"), rows, hierarchies


def test_the_condition_and_the_choice_equal_brute_force(tmp_path: Path) -> None:
    draw = random.Random(3)
    kept = 0
    for number in range(200):
        columns, rows, hierarchies = drawn(draw)
        every = sorted(
            {x for each in lines(columns, rows, hierarchies).values() for line in each.values() for x in line}
        )
        every = [label for label in every if label != "*"]
        terms = draw.sample(every, min(len(every), draw.randint(1, 5)))
        (tmp_path / str(number)).mkdir()
        known = TermCatalogue(Path(catalogue(tmp_path / str(number), columns, rows, hierarchies, terms)))
        k = draw.randint(2, 4)
        numbers = [known.terms.numbers[key_of(term)] for term in terms]
        assert shares_enough(share_terms(known, distinct_terms(numbers)), k) == brute(
            terms, rows, hierarchies, columns, k
        )
        chosen = choose_replacements(known, tuple((each, each) for each in numbers), k)
        released = [known.labels[each] for each in chosen.values() if each != NOTHING]
        assert brute(released, rows, hierarchies, columns, k)
        kept += len(released)
        for term, now in chosen.items():
            lower = [term, *known.above(term)]
            for less in lower[: lower.index(now)]:
                others = [x for t, x in chosen.items() if t != term]
                names = [known.labels[x] for x in (*others, less) if x != NOTHING]
                assert not brute(names, rows, hierarchies, columns, k)
    assert kept > 100


def test_too_many_sets_to_count_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("Reno", "heroin"), ("Reno", "morphine"), ("Salem", "heroin")] * 5
    text = "Reno Salem heroin morphine"
    file = catalogue(tmp_path, ("city", "drug"), rows, HIERARCHIES, text.split())
    known = TermCatalogue(Path(file))
    numbers = distinct_terms(known.terms.numbers[key_of(term)] for term in text.split())
    link = linker(("city", "drug"), rows, HIERARCHIES, 5, keeps_values=True)
    assert shares_enough(share_terms(known, numbers), 5)
    assert not link.faults(text, [], frozenset())
    for module in (catalogues, linking):
        monkeypatch.setattr(module, "MOST_SETS", 2)
    link = linker(("city", "drug"), rows, HIERARCHIES, 5, keeps_values=True)
    assert not shares_enough(share_terms(known, numbers), 5)
    assert link.faults(text, [], frozenset()) == {"linked": 3}


@pytest.mark.parametrize("most", [0, 2, 1000])
def test_whatever_is_generalized_is_linked_to_k_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(catalogues, "MOST_SETS", most)
    draw = random.Random(8)
    edited = 0
    for number in range(150):
        columns, rows, hierarchies = drawn(draw)
        every = sorted(
            {x for each in lines(columns, rows, hierarchies).values() for line in each.values() for x in line}
        )
        text = " ".join(draw.choice([*every, "low", "a", "an", "b", "0", "1"]) for _ in range(12))
        (tmp_path / str(number)).mkdir()
        keys = [key for label in every if (key := key_of(label))]
        places = TermFinder(dict.fromkeys(keys)).find(text)
        found = [list(dict.fromkeys(keys))[place.term] for place in places]
        file = catalogue(tmp_path / str(number), columns, rows, hierarchies, found)
        for terms in ("shared", "telling"):
            k = draw.randint(2, 4)
            _, done = decided(text, asked(file, k, terms))
            check = linker(columns, rows, hierarchies, k, keeps_values=terms == "telling")
            assert not check.faults(text, done.edits, HIDDEN), (text, apply_edits(text, done.edits))
            edited += len(done.edits)
    assert edited > 200


@pytest.fixture
def check() -> RecordLinker:
    return linker(COLUMNS, ROWS, HIERARCHIES, 2, keeps_values=False)


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("Massachusetts", "Boston", {"kept", "foreign"}),
        ("opiate", "morphine", {"linked", "kept", "foreign"}),
        ("opiate", "Nevada", {"linked", "foreign"}),
        ("opiate", "potion", {"foreign"}),
        ("[RECORD]", "Ann Lee", {"linked", "kept", "foreign"}),
        ("analgesic", "an opiate", {"foreign"}),
    ],
)
def test_edits_changed_by_hand_are_reported(
    tmp_path: Path, check: RecordLinker, old: str, new: str, faults: set[str]
) -> None:
    _, found = decided(TEXT, asked(file_of(tmp_path), 2))
    assert not check.faults(TEXT, found.edits, HIDDEN)
    changed = [LabelledEdit(e.start, e.end, "erase", new, e.label) if e.replacement == old else e for e in found.edits]
    assert set(check.faults(TEXT, changed, HIDDEN)) == faults


def test_a_second_mention_that_is_kept_is_reported(tmp_path: Path, check: RecordLinker) -> None:
    text = "heroin, more heroin"
    _, found = decided(text, asked(file_of(tmp_path, text), 2))
    assert set(check.faults(text, found.edits[:1], HIDDEN)) == {"kept"}
    assert not check.faults(text, found.edits, HIDDEN)


@pytest.mark.parametrize(
    "spelled", ["hero\u00adin", "\u200bheroin", "hero\ufeffin\u200d"], ids=["hyphen", "space", "mark"]
)
def test_terms_are_read_as_they_look(tmp_path: Path, check: RecordLinker, spelled: str) -> None:
    text = f"took {spelled} again"
    _, found = decided(text, asked(file_of(tmp_path, "heroin"), 2))
    assert apply_edits(text, found.edits) == "took opiate again"
    assert set(check.faults(text, (), HIDDEN)) == {"kept"}


def test_a_hierarchy_may_have_what_no_record_has(tmp_path: Path) -> None:
    file = file_of(tmp_path, "heroin", rows=[])
    _, found = decided("heroin there", asked(file, 2))
    assert apply_edits("heroin there", found.edits) == "heroin there"


def test_accents_are_read_with_their_letters() -> None:
    assert key_of("Ma\u0301laga") == key_of("Málaga") == "malaga"
    assert [place[:2] for place in TermFinder(["malaga"]).find("in Ma\u0301laga,")] == [(3, 10)]
    assert term_of("Ma\u0301laga") == ("malaga",)


@pytest.mark.parametrize(
    ("term", "spelled"),
    [("Łódź", "LODZ"), ("İzmir", "ızmir"), ("Weißen Au", "WEISSEN AU"), ("Ærø", "aero"), ("Finnø", "ﬁnno")],
)
def test_terms_are_found_by_their_base_letters(term: str, spelled: str) -> None:
    for one, other in ((term, spelled), (spelled, term)):
        assert [place[:2] for place in TermFinder([key_of(one)]).find(f"ß {other}.")] == [(2, 2 + len(other))]
        assert term_of(one) == term_of(other)


@pytest.mark.parametrize("spelled", ["O\u2019Brien", "O\u02bcbrien", "\uff2f'BRIEN", "O\u2018Brien\u2019s"])
def test_forms_of_apostrophes_letters_and_digits_are_equal(spelled: str) -> None:
    assert [place.start for place in TermFinder([key_of("O'Brien")]).find(f"by {spelled}")] == [3]
    assert term_of(spelled)[:3] == term_of("O'Brien")
    assert key_of("\uff15\u0665") == "55"
    assert term_of("\uff15\u0665") == ("55",)


def test_bad_settings_are_reported(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    with pytest.raises(ValueError, match="no such file"):
        EraseSettings(table=str(table))
    table.write_text("city\nBoston\n")
    with pytest.raises(ValueError, match="expected a folder"):
        EraseSettings(table=str(table), hierarchies=str(table))
    with pytest.raises(UsageError, match=r"expected a file COLUMN\.csv"):
        read_paths(str(tmp_path), ["city"])
    (tmp_path / "city.csv").write_text("Boston;East;*\nBoston;West;*\n")
    with pytest.raises(UsageError, match=r"city\.csv: line 2"):
        read_paths(str(tmp_path), ["city"])


def test_hierarchies_are_looked_at_before_anything_is_read_and_the_table_may_are_next_to(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,city\nAnn,Boston\n")
    (tmp_path / "city.csv").write_text("Boston;East;*\n")
    content = {"table": str(tmp_path / "people.csv"), "hierarchies": str(tmp_path)}
    DETECTOR.check(EraseSettings.model_validate(content))
    (tmp_path / "drug.csv").write_text("heroin;opiate\naspirin\n")
    with pytest.raises(UsageError, match=r"drug\.csv: line 2: expected 2 labels"):
        DETECTOR.check(EraseSettings.model_validate(content))
    DETECTOR.check(EraseSettings.model_validate({**content, "columns": ["city"]}))


def test_plans_in_which_records_would_not_be_hidden_are_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nAnn\n")
    erase = {"table": str(tmp_path / "people.csv")}
    assert check_methods({"erase": erase}, "plan").rules_by_label["RECORD"].technique == "erase"
    for plan, told in (
        ({"erase": erase, "sources": ["gold"]}, "sources: erase finds terms that must be edited"),
        ({"erase": erase, "rules": {"X": "erase"}}, "rules.X: erase works only on spans of the detector erase"),
        (
            {"sources": ["gold"], "rules": {"RECORD": "erase"}},
            "rules.RECORD: erase works only on spans of the detector",
        ),
    ):
        with pytest.raises(UsageError, match=told):
            check_methods(plan, "plan")
