"""What a report says first."""

from html import unescape
from typing import Any

import pytest

from spark_deid.core.missed_names import NoEstimate
from spark_deid.report.data import ReportData
from spark_deid.report.next_steps import checks, next_steps
from spark_deid.report.render import release_report
from spark_deid.report.verdict import verdict

Values = dict[str, Any]


@pytest.fixture
def released(manifest: Values) -> Values:
    return manifest


def with_plan(manifest: Values, **changes: object) -> Values:
    return manifest | {"plan": manifest["plan"] | changes}


def test_what_was_looked_for_and_what_was_not_is_stated_in_words(released: Values) -> None:
    told = verdict(released)
    model, patterns = told.looked
    assert (model.words, model.labels) == (("names of persons",), ("WARD",))
    assert patterns.words == ("e-mail addresses", "ages over 89")
    assert told.missing == ("places", "ages")
    assert told.unknown == ("WARD",)
    assert told.tone == "warn"
    assert "did not search for places and ages" in told.headline
    assert "missed identifiers are not counted" in told.annotations


def test_blind_spots_are_those_of_the_detectors_that_looked(manifest: Values) -> None:
    sought = {
        "model": {"labels": ["NAME"], "also": [], "blind_spots": ["nicknames"]},
        "own": {"labels": [], "also": []},
    }
    told = verdict(with_plan(manifest, looked_for=sought))
    assert [line.blind_spots for line in told.looked] == [("nicknames",), ()]
    page = release_report(ReportData(with_plan(manifest, looked_for=sought)))
    assert '<li>nicknames <span class="hint">(trained model)</span></li>' in page
    places = [
        page.index(told) for told in ("<dt>Not searched for", "<dt>Blind spots", "<dt>Searched for", "What to do now")
    ]
    assert places == sorted(places)
    assert "Blind spots" not in release_report(ReportData(manifest))


def test_what_to_do_goes_by_what_the_verdict_shows(released: Values) -> None:
    def steps(given: Values, **found: Any) -> list[str]:
        return [step.what for step in next_steps(ReportData(given, release="june"), verdict(given, **found))]

    good = with_plan(released, not_looked_for=[])
    always = steps(good)
    assert [what.split()[0] for what in always] == ["Read", "Share"]
    leaking = released | {"spans": {"gold": {"AGE": 4}}, "gold_in_clear": {"AGE": 1}}
    assert [what.split()[0] for what in steps(leaking)] == ["Do", "Decide", "Decide", "Read", "Share"]
    by_section = {step.how.partition(":")[0]: step.what for step in next_steps(ReportData(released), verdict(released))}
    assert "texts contain places." in by_section["model"]
    assert "texts contain ages." in by_section["patterns"]
    columns = steps(good, found_in={"sender": ("EMAIL",)}, residual_places=["ids"])
    assert "published in ids." in columns[0]
    assert "passages.html" in columns[0]
    assert columns[1].startswith("Remove sender ")
    assert columns[2:] == always
    unedited = with_plan(good, unedited=["gold", "patterns"])
    assert steps(unedited)[0].startswith("Spans of patterns are still readable")
    (sample,) = [
        step.how for step in next_steps(ReportData(good, release="june"), verdict(good)) if "sample" in step.how
    ]
    assert sample == "spark-deid sample june --documents 100 --output sample.html"
    spaced = ReportData(good, release="of june")
    assert any(step.how.startswith("spark-deid sample 'of june' ") for step in next_steps(spaced, verdict(good)))
    assert checks(spaced)[0].command == "spark-deid verify 'of june'"


def test_a_release_without_known_leaks_is_not_called_safe(released: Values) -> None:
    told = verdict(with_plan(released, not_looked_for=[]))
    assert (told.tone, told.leaks, told.missing) == ("good", (), ())
    assert "review a sample before you share it" in told.headline
    assert verdict(with_plan(released, not_looked_for=[]), ["a doubt"]).tone == "warn"


def test_a_meaning_that_some_label_has_is_not_missing(released: Values) -> None:
    sought = {"model": {"labels": ["PER", "EDAD_SUJETO_ASISTENCIA"], "also": []}}
    assert verdict(with_plan(released, looked_for=sought, not_looked_for=["NAME", "AGE", "URL"])).missing == (
        "web addresses",
    )


def test_leaks_come_with_the_most_first_and_win_over_all_else(released: Values) -> None:
    gold = {"spans": {"gold": {"AGE": 4, "NAME": 9, "DATE": 2}}, "gold_in_clear": {"AGE": 1, "NAME": 9}}
    gold["gold_untouched"] = {"NAME": 7}
    told = verdict(released | gold)
    assert [(leak.label, leak.in_clear, leak.all) for leak in told.leaks] == [("NAME", 9, 9), ("AGE", 1, 4)]
    assert told.tone == "bad"
    assert told.headline.startswith("7 input annotations are still readable, and 3 more in part.")
    assert [(share.label, share.hidden) for share in told.shares] == [("AGE", 0.75), ("DATE", 1), ("NAME", 0)]
    assert told.annotations == "5 of 15 input annotations completely hidden."


def test_edited_annotations_are_looked_for(released: Values) -> None:
    gold = with_plan(released, sources=["gold"], looked_for={}, not_looked_for=["NAME", "AGE"])
    told = verdict(gold | {"spans": {"gold": {"NAME": 2}}})
    assert [line.words for line in told.looked] == [("names of persons",)]
    assert told.missing == ("ages",)
    assert told.annotations == "2 input annotations replaced."


def test_what_was_found_and_left_is_counted(released: Values) -> None:
    plan = with_plan(released, unedited=["gold", "patterns", "repeats"])
    assert verdict(plan).unedited == (("patterns", 21),)


@pytest.mark.parametrize("metadata", [["ward", "subject_id"], {"ward": "keep", "subject_id": "keep"}])
@pytest.mark.parametrize(("ids", "how"), [("keep", "unchanged"), ("keyed", "as keyed hashes")])
def test_columns_let_out_are_listed_with_what_became_of_them(
    released: Values, metadata: object, ids: str, how: str
) -> None:
    told = verdict(with_plan(released, metadata=metadata, release_ids=ids)).columns
    assert told == (f"ids of documents, {how}", "ward, unchanged", f"subject_id, {how}")


def test_columns_that_were_hashed_or_looked_through_report_it(released: Values) -> None:
    ways = {"sender": "keyed", "note": "detect", "subject_id": "keyed"}
    told = verdict(with_plan(released, metadata=ways, release_ids="keep")).columns
    assert told == (
        "ids of documents, unchanged",
        "sender, as keyed hashes",
        "note, without the identifiers that detectors find",
        "subject_id, as keyed hashes",
    )


def test_no_verdict_is_green_where_removed_text_is_elsewhere(released: Values) -> None:
    told = verdict(with_plan(released, not_looked_for=[]), residual_places=["ids", "texts"])
    assert (told.tone, told.residual_places) == ("warn", ("ids", "texts"))
    assert told.headline == "Some removed text is still published in ids and texts."


@pytest.mark.parametrize(
    "found", [{"residual_places": ["texts"]}, {"found_in": {"sender": ("EMAIL",)}}], ids=["text", "column"]
)
def test_no_headline_states_that_no_leak_is_known_where_one_is(released: Values, found: Values) -> None:
    told = verdict(released, **found).headline
    assert "No leak is known" not in told
    assert told.endswith(". The plan did not search for every kind of identifier.")


def test_a_headline_names_few_kinds_and_counts_many(released: Values) -> None:
    many = ["NAME", "LOCATION", "DATE", "AGE", "PHONE", "EMAIL"]
    told = verdict(with_plan(released, looked_for={}, not_looked_for=many))
    assert told.headline.endswith("6 kinds of identifiers.")
    assert len(told.missing) == 6


def test_what_detectors_find_in_kept_columns_is_reported_next_to_them(released: Values) -> None:
    plan = with_plan(released, not_looked_for=[], metadata={"sender": "keep", "ward": "keep"}, release_ids="keyed")
    told = verdict(plan, found_in={"sender": ("EMAIL", "NAME")})
    assert told.tone == "warn"
    assert "contain identifiers that texts hide: sender." in told.headline
    assert told.columns[1:] == ("sender, unchanged, with EMAIL and NAME in clear", "ward, unchanged")


def test_missed_names_are_a_prediction_with_its_coverage(released: Values) -> None:
    counts = {
        "words": 62.2,
        "low": 2.0,
        "high": 1424.0,
        "found": 4284.0,
        "documents": 200,
        "corpora": 11,
        "covered": 10,
    }
    missed = {**counts, "share": 0.0143, "share_low": 0.002, "share_high": 0.08}
    page = unescape(release_report(ReportData(released | {"missed_names": missed})))
    sentence = (
        "About 62 words of people's names are predicted to be missed,"
        " 95% interval 2 to 1,424 (1.4% of names, 0.2% to 8.0%)"
    )
    condition = "if this text is like the 11 labelled corpora. If each of these is predicted by the others, 10 of 11"
    assert f"{sentence}, {condition} intervals are right. Only a sample that people read" in page
    assert verdict(released).missed == ()
    (few,) = verdict(released | {"missed_names": missed | {"words": 0.4, "found": 0.1}}).missed
    assert "%)" not in few
    assert few.startswith("Less than one word of people's names is predicted")


def test_why_nothing_is_estimated_and_what_became_of_a_target_is_stated(released: Values) -> None:
    reached = {"none": "doubts", "target": 0.02, "loss_ratio": 1000.0, "reached": False}
    why, target = verdict(released | {"missed_names": reached}).missed
    assert why == "The number of missed names is not estimated: the run doubts that the model knows this text."
    assert (
        target == "The plan's target, 2.0% of names at most, is not reached, with a loss ratio of 1,000, the highest."
    )
    told = verdict(released | {"missed_names": reached | {"reached": True, "loss_ratio": 15.0}}).missed
    assert told[1].endswith("took a loss ratio of 15.")
    for reason in NoEstimate:
        assert "not estimated: " in verdict(released | {"missed_names": {"none": reason.value}}).missed[0]
