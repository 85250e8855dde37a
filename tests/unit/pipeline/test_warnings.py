"""What techniques note of documents is told apart from the spans that they did not replace."""

from types import SimpleNamespace
from typing import cast

import pytest

from spark_deid.guarantees.spark import DecisionCounts
from spark_deid.pipeline.warnings import handed_back_of, warnings_of_edits, warnings_of_residuals
from spark_deid.plan.load import check_methods
from spark_deid.release.spark.residual_documents import ResidualDocuments


def test_searches_that_gave_way_are_no_spans_that_were_suppressed() -> None:
    handed_back = {"generalize": {"greedy-search": 2, "infeasible": 1}, "recode": {"raised": 3}}
    counted = cast(
        DecisionCounts,
        SimpleNamespace(
            handed_back=handed_back,
            totals=SimpleNamespace(gold_unedited=0, allowed_gold=0),
            edits={"suppress": {"NAME": 1}},
            spans={},
        ),
    )
    assert handed_back_of(counted) == {"generalize": {"infeasible": 1}, "recode": {"raised": 3}}
    told = warnings_of_edits(check_methods({"patterns": {"kinds": "all"}}, "plan"), counted)
    assert "1 spans were suppressed, because generalize did not replace them: infeasible 1" in told
    assert "generalize: 2 exact searches were too large and were replaced by greedy ones (one-step)" in told


@pytest.mark.parametrize(("sources", "ends"), [(["patterns"], "texts of the input"), (["gold"], "has no annotations")])
def test_a_release_of_texts_as_they_were_is_warned_of(sources: list[str], ends: str) -> None:
    nothing = SimpleNamespace(
        handed_back={}, totals=SimpleNamespace(gold_unedited=0, allowed_gold=0), edits={}, spans={}
    )
    [told] = warnings_of_edits(
        check_methods({"patterns": {"kinds": "all"}, "sources": sources}, "plan"), cast(DecisionCounts, nothing)
    )
    assert told.startswith("no span was found")
    assert told.endswith(ends)


def test_hidden_rare_text_is_warned_of_with_its_count() -> None:
    counted = SimpleNamespace(
        handed_back={},
        totals=SimpleNamespace(gold_unedited=0, allowed_gold=0),
        edits={"mask": {"RARE": 4}, "suppress": {"NAME": 9}},
        spans={},
    )
    answers = {"words": ["positive", "negative"], "label": "RESULT"}
    sections = {"repeats": {"k": 5}, "patterns": {"kinds": "all"}, "deny": answers}
    sources = (["deny", "patterns", "repeats"], ["patterns"])
    plans = [check_methods({**sections, "sources": each}, "plan") for each in sources]
    told, untold = (warnings_of_edits(plan, cast(DecisionCounts, counted)) for plan in plans)
    assert [each.partition(".")[0] for each in told] == ["4 places of rare text were hidden"]
    assert "deny" in told[0]
    assert untold == ()


def test_what_detectors_find_in_kept_columns_is_not_reported_twice() -> None:
    standing = {"ids": {"EMAIL": 1}, "kept columns": {"EMAIL": 2, "NAME": 3}}
    told = warnings_of_residuals(standing, {"sender": {"EMAIL": 2}})
    assert [line.partition(" published in ")[2].partition(".")[0] for line in told] == [
        "ids, by label: EMAIL 1",
        "kept columns, by label: NAME 3",
    ]


def test_documents_are_counted_where_what_they_hold_is_all_reported() -> None:
    standing, documents = {"kept columns": {"EMAIL": 2, "NAME": 3}}, {"kept columns": ResidualDocuments(4)}
    (part,) = warnings_of_residuals(standing, {"sender": {"EMAIL": 2}}, documents)
    (whole,) = warnings_of_residuals(standing, {}, documents)
    assert "by label: NAME 3. To replace the values" in part
    assert "by label: EMAIL 2, NAME 3 (in 4 documents). To replace the values" in whole
    table = {**standing, "columns of the table of persons": {"NAME": 1}}
    assert "by label: NAME 1. To omit an attribute" in warnings_of_residuals(table, {}, documents)[1]


def test_of_removed_text_that_is_published_the_documents_are_named_and_what_to_do() -> None:
    documents = {"texts": ResidualDocuments(7, ("a\x1b", "b", "c", "d", "e", "f")), "ids": ResidualDocuments(1)}
    told = warnings_of_residuals({"ids": {"EMAIL": 1}, "texts": {"NAME": 2, "CODE": 1}}, {}, documents)
    assert told[0].endswith("EMAIL 1 (in 1 document). To replace ids with hashes, set release_ids: keyed")
    assert "by label: NAME 2, CODE 1 (in 7 documents: a\\x1b, b, c, d, e ...). To hide it there" in told[1]
    assert told[1].endswith("such as a list (deny). Terms that identify no one can be added to allow")
    [_, unspared] = warnings_of_residuals({"ids": {"EMAIL": 1}, "texts": {"NAME": 2}}, can_spare=False)
    assert unspared.endswith("such as a list (deny)")
    [elsewhere] = warnings_of_residuals({"ids": {"EMAIL": 1}}, {}, documents, ": W names them")
    assert "(in 1 document: W names them). " in elsewhere
