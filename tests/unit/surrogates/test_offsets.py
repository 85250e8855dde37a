"""A table of an institution's own offsets: what it states, what it lacks, and where it is wrong."""

from pathlib import Path

import pytest

from spark_deid.core.csv_dialect import LONGEST_TEXT, limit_cells
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DocumentEvidence, SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plan.load import check_methods
from spark_deid.surrogates.date_shift import ShiftRequest, shift
from spark_deid.surrogates.guarantee import KIND
from spark_deid.surrogates.offsets import check_offsets, offset_table, offsets_of
from spark_deid.surrogates.recounting import InventedEdit, count_date_faults, offsets_by_person
from spark_deid.surrogates.shift_technique import read_dates
from spark_deid.values.locale import ValueLocale

TEXT = "Seen 2014-03-04."
SPAN = Span(5, 15, "DATE")


def written(folder: Path, content: str) -> str:
    path = folder / "offsets.csv"
    path.write_text(content, encoding="utf-8")
    return str(path)


def request(path: str) -> ShiftRequest:
    return ShiftRequest(365, False, ValueLocale(), b"k" * 32, offset_table(path))


def moved(subject: str | None, path: str) -> Edit | SuppressedSpan:
    return next(iter(shift(Document("p1", TEXT, subject), [SPAN], request=request(path))))


def test_dates_move_by_the_table_and_by_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path, 'subject_id,days\np1,-3\n"p,2",+400\n\n')
    assert moved("p1", path) == Edit(5, 15, "shift", "2014-03-01")
    assert moved("p,2", path) == Edit(5, 15, "shift", "2015-04-08")
    for nobody in ("p3", None):
        assert moved(nobody, path) == SuppressedSpan(5, 15, "no-offset")
    assert check_offsets(path, whole_weeks=False) == 400
    assert read_dates(Document("d", TEXT), [SPAN], request=request(path)).noted == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("person,days\np1,3\n", "line 1: expected the head subject_id,days"),
        ("", "line 1: expected the head"),
        ("subject_id,days\np1,3\np2\n", "line 3: expected 2 cells, got 1"),
        ("subject_id,days\np1,3\np2,0\n", "line 3: expected an integer number of days from 1"),
        ("subject_id,days\np1,3.5\n", "line 2: expected an integer number"),
        ("subject_id,days\np1,99999\n", "line 2: expected an integer number"),
        ("subject_id,days\np1,3\np1,4\n", "line 3: expected each person once"),
        ("subject_id,days\n,3\n", "line 2: expected a person"),
        ('subject_id,days\n"p1"x,3\n', "line 2: expected CSV: quotes around whole cells"),
        ('subject_id,days\np1,3\n"p2,4\n', "line 3: expected CSV: quotes around whole cells"),
        (f"subject_id,days\n{'p1' * 70_000},3\n", "line 2: expected CSV: .* at most 131,072 characters"),
    ],
)
def test_what_is_wrong_is_reported_by_file_and_line(content: str, message: str, tmp_path: Path) -> None:
    limit_cells(LONGEST_TEXT)  # as after reading a corpus
    path = written(tmp_path, content)
    with pytest.raises(UsageError, match=message) as caught:
        check_offsets(path, whole_weeks=False)
    assert str(caught.value).startswith(path)
    assert "p1" not in str(caught.value)


def test_what_can_not_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"subject_id,days\nJos\xe9,3\n")
    with pytest.raises(UsageError, match="line 2: expected UTF-8"):
        check_offsets(str(tmp_path / "latin.csv"), whole_weeks=False)
    with pytest.raises(UsageError, match="can't read the table of offsets"):
        offset_table(str(tmp_path / "none.csv"))


def test_a_table_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    table = offset_table(written(tmp_path, "subject_id,days\np1,3\n"))
    written(tmp_path, "subject_id,days\np1,4\n")
    with pytest.raises(UsageError, match="was changed"):
        offsets_of(table)


def plan(**options: object) -> dict[str, object]:
    return {"sources": ["gold"], "rules": {"DATE": {"technique": "shift", **options}}}


def test_plans_check_the_table(tmp_path: Path) -> None:
    path = written(tmp_path, "subject_id,days\np1,8\n")
    check_methods(plan(offsets=path), "plan")
    for options, message in (
        ({"keep": "weekday"}, "line 2: expected whole weeks"),
        ({"days": 30}, "Remove days"),
        ({"offsets": "nowhere.csv"}, "nowhere.csv: can't read"),
    ):
        with pytest.raises(UsageError, match=message):
            check_methods(plan(**{"offsets": path, **options}), "plan")


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffsubject_id, days\np1, 3\n",
        'subject_id,days\r\n"p\n1",3\r\n"p""1",4\n',
        "subject_id,days\np\u20281,3\np\x0b1,4\np\x851,5\n",
        "subject_id,days\np1,3\n p1,4\nP1,5\np1\u200b,6\n",
    ],
)
def test_odd_people_are_those_which_the_table_states_to_both_readers(content: str, tmp_path: Path) -> None:
    path = tmp_path / "offsets.csv"
    path.write_bytes(content.encode())
    found = offsets_of(offset_table(str(path)))
    assert {person: frozenset((days,)) for person, days in found.items()} == offsets_by_person(str(path))
    assert sorted(found.values()) == list(range(3, 3 + len(found)))


@pytest.mark.parametrize("content", ["subject_id\np1\n", "subject_id,days\np1,p2\n", "subject_id,days\np1\n", ""])
def test_the_recount_quotes_no_cell_of_a_table_that_changed(content: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    if not content:
        Path(path).unlink()
    with pytest.raises(UsageError) as caught:
        offsets_by_person(path)
    assert str(caught.value) == f"{path}: expected the table of offsets that dates were moved by; start again"
    assert caught.value.__suppress_context__


def test_the_recount_reads_the_table_itself(tmp_path: Path) -> None:
    known = offsets_by_person(written(tmp_path, "subject_id,days\np1,-3\n"))
    edits = [InventedEdit("shift", False, "2014-03-04", "2014-03-01")]
    assert count_date_faults(edits, days=3, own=known["p1"]).offsets == 0
    assert count_date_faults(edits, days=3, own=frozenset((3,))).offsets == 1
    assert count_date_faults(edits, days=3, own=frozenset()).offsets == 1
    assert count_date_faults([], days=3, own=frozenset()).offsets == 0


def test_no_days_of_a_table_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, "subject_id,days\np1,-3\np2,1234\n")
    for options, told in (
        ({"offsets": path}, "offsets=table"),
        ({"days": 30}, "days=30"),
    ):
        settings = check_methods(plan(**options), "plan")
        demand = settings.demands["consistent_surrogates"]
        assert KIND.alone is not None
        edits = [LabelledEdit(5, 15, "shift", "2014-03-01", "DATE")]
        found = KIND.alone(demand, settings)(
            DocumentEvidence(TEXT, "Seen 2014-03-01.", [SPAN], edits, {}, "p1")
        ).assessment
        assert (found.parameters, found.satisfied) == (f"scope=subject, {told}", True)
        assert "1234" not in repr(found)


def test_a_string_moves_by_the_days_of_its_person_only(tmp_path: Path) -> None:
    path = written(tmp_path, "subject_id,days\np1,-3\np2,1234\n")
    settings = check_methods(plan(offsets=path), "plan")
    assert KIND.alone is not None
    check = KIND.alone(settings.demands["consistent_surrogates"], settings)
    edits = [LabelledEdit(5, 15, "shift", "2014-03-01", "DATE")]
    for person, satisfied in (("p1", True), ("p2", False), ("p3", False), (None, False)):
        evidence = DocumentEvidence(TEXT, "Seen 2014-03-01.", [SPAN], edits, {}, person)
        assert check(evidence).assessment.satisfied == satisfied
