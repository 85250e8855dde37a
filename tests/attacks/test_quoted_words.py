"""Words of others in messages: reasons of other packages' guarantees, lock files, and what a terminal carries out."""

import io
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

import spark_deid as sd
from spark_deid.cli.printing import PlainConsole
from spark_deid.core.errors import GateRefused
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.recounting import without_words
from spark_deid.storage.lock import LockedError, hold, lock_path

HELD = Assessment("absent-words", "words=Quincy", 1.0, 0.0, False, "Quincy")


def test_reasons_of_other_packages_are_counted_and_not_declared() -> None:
    found = without_words(AssessmentResult(HELD, ("Quincy Zimtmann stands in d1", "and in d2")), "absent-words")
    with pytest.raises(GateRefused, match=r"absent-words fails: 1, .*limit of 0\. Its 2 reasons") as refused:
        require([found], expected=["absent-words"])
    assert "Quincy" not in str(refused.value)
    held = HELD._replace(satisfied=True)
    assert without_words(AssessmentResult(held, (), "Quincy", ("Quincy",)), "absent-words") == AssessmentResult(held)
    counted = AssessmentResult(held, (), "document")
    assert without_words(counted, "absent-words") == counted


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("guarantee", "absent-words of Quincy", "expected the name of its kind"),
        ("value", "Quincy", "expected a value and a threshold that are numbers"),
        ("threshold", ("Quincy",), "expected a value and a threshold that are numbers"),
    ],
)
@pytest.mark.parametrize("satisfied", [True, False, 1])
def test_words_in_place_of_names_and_numbers_of_other_packages_are_refused(
    field: str, value: object, expected: str, satisfied: object
) -> None:
    given = HELD._replace(**{field: value, "satisfied": satisfied})  # type: ignore[arg-type]
    found = without_words(AssessmentResult(given), "absent-words")
    with pytest.raises(GateRefused, match=f"absent-words: {expected}") as refused:
        require([found], expected=["absent-words"])
    name, _, number, threshold, *_ = found.assessment
    assert "Quincy" not in f"{refused.value} {name} {number} {threshold}"


@pytest.mark.parametrize("satisfied", [1, 1.0, "yes", None])
def test_what_is_neither_true_nor_false_is_reported(satisfied: object) -> None:
    result = AssessmentResult(HELD._replace(satisfied=satisfied), ("Quincy",))  # type: ignore[arg-type]
    with pytest.raises(
        GateRefused, match="absent-words: expected satisfied to be True or False, got one of"
    ) as refused:
        require([without_words(result, "absent-words")], expected=["absent-words"])
    assert "Quincy" not in str(refused.value)


@pytest.mark.parametrize("host", ["\x1b[2JQuincy", "a b", "x" * 300, 7, None, ["h"]])
def test_a_lock_file_reports_no_words_of_its_own(tmp_path: Path, host: object) -> None:
    folder = tmp_path / "release"
    with hold(folder):
        lock_path(folder).write_text(json.dumps({"pid": 17, "host": host}))
        with pytest.raises(LockedError, match="process 17 on another machine works in this folder"), hold(folder):
            pass
        lock_path(folder).write_text(json.dumps({"pid": 17, "host": "node-1.example"}))
        with pytest.raises(LockedError, match=r"process 17 on node-1\.example"), hold(folder):
            pass


@pytest.mark.parametrize("sign", ["\x1b]0;x\x07", "\x1b[31m", "\x9b2J", "\r", "\u202e", "\u2066", "\x00", "\x7f"])
def test_nothing_that_a_terminal_carries_out_reaches_it(sign: str) -> None:
    written = io.StringIO()
    console = PlainConsole(file=written, force_terminal=True, emoji=False)
    console.print(f"error: {sign}notes\nnext", markup=False, highlight=False)
    assert not {*sign} & {*"\x1b\x9b\r\u202e\u2066\x00\x7f\x07"} & {*written.getvalue()}
    assert "notes" in written.getvalue()
    assert "\n" in written.getvalue()


@pytest.mark.thorough
def test_two_calls_at_once_without_a_session_both_end() -> None:
    frame = pd.DataFrame({"doc_id": ["a"], "text": ["Write to ann@example.com"]})
    plan = {"patterns": {"kinds": ["email"]}}
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: sd.sanitize(frame, plan).documents["text"].tolist(), range(2)))
    assert done == [["Write to [EMAIL]"]] * 2
