"""Python for a few texts: defaults, people, and names in completion."""

import pandas as pd
import pytest

import spark_deid as sd
from spark_deid.api.anonymize import AnonymizedTable
from spark_deid.core.document import Document
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.surrogates.date_shift import ShiftRequest, offset_of
from spark_deid.values.locale import ValueLocale


def test_completion_shows_public_names_only() -> None:
    names = dir(sd)
    assert {"detect", "sanitize", "Plan"} <= set(names)
    assert all(not name.startswith("_") and hasattr(sd, name) for name in names)
    assert not {"core", "api", "MappingProxyType", "TYPE_CHECKING"} & set(names)


def test_dates_of_each_document_move_separately() -> None:
    both = [Document(name, "", "p") for name in ("a", "b")]
    by_person = ShiftRequest(365, False, ValueLocale(), b"k" * 32)
    assert len({offset_of(each, by_person) for each in both}) == 1
    assert len({offset_of(each, by_person._replace(by_subject=False)) for each in both}) == 2


def test_the_scope_of_a_message_is_accepted_by_surrogates_and_dates() -> None:
    scope = {"scope": "document"}
    rules = {"NAME": {"technique": "surrogate", **scope}, "DATE": {"technique": "shift", **scope}}
    plan = {"patterns": {"kinds": ["date"]}, "rules": rules}
    assert "3/4/2014" not in sd.redact("Seen 3/4/2014.", plan)
    with pytest.raises(sd.UsageError, match="surrogate with scope: document works on a string"):
        sd.redact("Seen 3/4/2014.", {**plan, "rules": {"NAME": "surrogate"}})
    with pytest.raises(sd.UsageError, match="surrogates have the scope subject"):
        sd.Plan(**{**plan, "rules": {**rules, "NAME": "surrogate"}})


def test_a_table_shows_itself_without_rows() -> None:
    frame = pd.DataFrame({"age": ["[20-29]"]})
    check = Assessment("k-anonymous", "k=2", 2.0, 2.0, True, "")
    table = AnonymizedTable(frame, (check,), {"rows": 1, "classes": 1, "model": "k=2"}, ("one row",))
    shown = table._repr_html_()
    assert "k-anonymous" in shown
    assert "one row" in shown
    assert "[20-29]" not in shown
    assert repr(table) == "AnonymizedTable(1 rows in 1 classes; k=2 holds)"


def test_people_are_given_once() -> None:
    with pytest.raises(sd.UsageError, match="either subject or subject_id"):
        sd.redact("a", {"patterns": {}}, subject="p", subject_id="p")
    frame = pd.DataFrame({"text": ["a"]})
    with pytest.raises(sd.UsageError, match="either subject or subject_id"):
        sd.sanitize(frame, {"patterns": {}}, subject=["p"], subject_id="p")
    with pytest.raises(sd.UsageError, match="one value for each of 1 rows"):
        sd.sanitize(frame, {"patterns": {}}, subject=["p", "q"])
