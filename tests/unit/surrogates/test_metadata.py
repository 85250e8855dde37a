"""Dates in metadata move with those of their person's texts, in the form in which a table has them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_deid.app import line_redactor
from spark_deid.core.document import Document
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.load import check_methods
from spark_deid.rewriting.metadata import let_out
from spark_deid.surrogates.date_shift import ShiftRequest, move, offset_of
from spark_deid.surrogates.kept_dates import move_values
from spark_deid.surrogates.recounting import InventedEdit, count_date_faults
from spark_deid.values.locale import ValueLocale

REQUEST = ShiftRequest(365, False, ValueLocale(), b"k" * 32)


def moved(meta: Mapping[str, str], subject: str | None = "p") -> dict[str, str | None]:
    values = move_values(Document("d", "", subject), meta, [*meta], REQUEST)
    return {each.name: each.after for each in values}


def test_columns_move_as_texts_do_and_keep_form_and_time() -> None:
    offset = offset_of(Document("other", "", "p"), REQUEST)
    assert offset is not None
    meta = {"a": "2014-03-04", "b": "2014-03-04T05:06:07+00:00", "c": "2014-03-04 05:06:07.123456", "d": "3/4/2014"}
    found = moved(meta)
    assert found["a"] == move("2014-03-04", offset, frozenset(), REQUEST.locale).text
    assert (found["b"], found["c"]) == (f"{found['a']}T05:06:07+00:00", f"{found['a']} 05:06:07.123456")
    edits = [InventedEdit("shift", False, meta[name], after) for name, after in found.items() if after is not None]
    assert (len(edits), count_date_faults(edits, days=365).offsets) == (4, 0)
    edits.append(InventedEdit("shift", False, "2014-03-04", "2014-03-05" if offset != 1 else "2014-03-06"))
    assert count_date_faults(edits, days=365).offsets == 1


def test_what_is_no_date_is_not_let_out() -> None:
    assert moved({"a": "2014", "b": "soon", "c": "Ann 2014-03-04", "d": ""}) == dict.fromkeys("abcd")
    assert moved({"a": "11/21"}) == {"a": None}


def test_a_month_that_remains_itself_is_not_let_out() -> None:
    request = REQUEST._replace(days=1)
    assert [each.after for each in move_values(Document("d", "", "p"), {"a": "March 2014"}, ["a"], request)] == [None]


def test_nothing_else_lets_such_values_out() -> None:
    with pytest.raises(ValueError, match="dates must be shifted with their person"):
        let_out("a", "2014-03-04", "shift", key=b"", finders=())


def test_columns_of_lines_move_as_their_texts_do_whether_these_name_ids_and_people_or_not(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 32)
    plan = {
        **{"patterns": {"kinds": ["date"]}, "rules": {"DATE": "shift"}, "metadata": {"visit": "shift"}},
        **{"sources": ["patterns"], "key_file": str(tmp_path / "key")},
    }
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    known: list[dict[str, str]] = [{}, {}, {"doc_id": "a"}, {"doc_id": "b"}, {"subject_id": "p"}, {"subject_id": "p"}]
    rows = [{**own, "text": f"{n}: seen 2014-03-04.", "visit": "2014-03-04"} for n, own in enumerate(known)]
    lines = (json.dumps(row).encode() + b"\n" for row in rows)
    redacted = [json.loads(each.written) for each in line_redactor(tmp_path / "plan.yaml").records(lines, {})]
    visits = [row["visit"] for row in redacted]
    assert visits == [row["text"][-11:-1] for row in redacted]
    assert (len(set(visits)), visits[-1]) == (5, visits[-2])


def test_plans_need_a_rule_that_reports_how() -> None:
    plan = {"sources": ["gold"], "rules": {"DATE": "shift"}, "metadata": {"visit": "shift"}}
    assert check_methods(plan, "plan").metadata == {"visit": "shift"}
    for change, message in (
        ({"rules": {"DATE": "suppress"}}, r"metadata\.visit: shift needs a rule with technique shift"),
        ({"metadata": {"subject_id": "shift"}}, r"metadata\.subject_id: expected keep or keyed"),
    ):
        with pytest.raises(UsageError, match=message):
            check_methods({**plan, **change}, "plan")


@pytest.mark.parametrize(("way", "born"), [("keep", "2014-03-04 08:00"), ("detect", "20140304T080000")])
def test_lines_with_dates_that_remain_next_to_dates_that_move_are_refused(way: str, born: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 32)
    plan = {
        **{"patterns": {"kinds": ["date"]}, "rules": {"DATE": "shift"}, "sources": ["patterns"]},
        **{"key_file": str(tmp_path / "key"), "metadata": {"born": way, "ward": "keep", "seen": "shift"}},
    }
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    redactor = line_redactor(tmp_path / "plan.yaml")
    row = {"text": "seen 2014-03-04", "ward": "3 West", "seen": "2014-03-04", "born": "long ago"}
    [fine] = redactor.records([json.dumps(row).encode()], {})
    assert json.loads(fine.written)["ward"] == "3 West"
    with pytest.raises(GateRefused, match=r"metadata.born: publishes unchanged dates") as refused:
        [*redactor.records([json.dumps(row | {"born": born}).encode()], {})]
    assert born not in str(refused.value)
    plan["rules"] = {"DATE": "suppress"}
    plan["metadata"] = {"born": way, "ward": "keep"}
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    [fine] = line_redactor(tmp_path / "plan.yaml").records([json.dumps(row | {"born": born}).encode()], {})
    assert fine.rejected == ""
