import re
from html.parser import HTMLParser

import pytest

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.detection.registry import DETECTORS
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import excerpt, labels_of
from spark_deid.report.render import excerpts_page, release_report, training_report

VOID = {"meta", "br", "link", "img", "hr", "input"}
Values = dict[str, object]


RARE: Values = {
    "settings": {"k": 4, "unit": "subject", "min_length": 6, "covering": "optimal", "cap": 255, "counted": "original"},
    "documents": 1,
    "characters": 10,
    "hidden_characters": 3,
    "runs": 2,
    "unsuppressed_ratio": 0.7,
    "lengths": [{"name": "0", "characters": 10}],
    "sampled": 1,
    "shapes": [{"shape": "Aa <9>", "runs": 2}],
    "sweep": {"min_lengths": [1], "rows": [{"k": 2, "ratios": [0.25]}]},
}


class Balance(HTMLParser):
    """Check that tags are closed in order, and gather what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href")]
        assert tag != "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.loaded[0] == "#main"
    assert all(target.startswith("#") for target in parser.loaded)
    assert "url(" not in page
    assert "@import" not in page
    assert set(re.findall(r'<div class="scroll"(.{13})', page)) <= {' tabindex="0"'}
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert set(re.findall(r'aria-labelledby="([^"]+)"', page)) <= set(identifiers)


def test_release_report_is_one_sound_file(manifest: Values, training: Values, evaluation: Values) -> None:
    page = release_report(ReportData(manifest, evaluation, training, ("a note",)))
    check_page(page)
    for shown in ("1,234 sanitized documents", "90.0%", "holds a NUL byte", "every marked character edited", "a note"):
        assert shown in page
    for shown in ('<div class="figure">310<', "<code>[NAME]</code>", "trained model", "patterns</li>"):
        assert shown in page
    for shown in ("local optimum", "0.9648", "4.50 s", "abc123", "The input does not name the person of a document"):
        assert shown in page


def test_verdict_and_key_figures_come_before_details_and_answers_before_numbers(manifest: Values) -> None:
    page = release_report(ReportData(manifest))
    places = [page.index(part) for part in ('id="verdict"', '<dl class="tiles">', '<dl class="pairs">', 'id="in-out"')]
    assert places == sorted(places)
    guarantees = page[page.index('id="guarantees"') :]
    assert guarantees.index(">Result<") < guarantees.index('class="number"')


def test_release_report_without_model_and_gold(manifest: Values) -> None:
    page = release_report(ReportData(manifest))
    check_page(page)
    assert "How the model was trained" not in page
    assert "Against the input" not in page
    assert "To be noted" not in page


def test_release_in_which_nothing_was_found(manifest: Values) -> None:
    nothing: Values = {"spans": {}, "edits": {}, "rejects": {}, "models": [], "assessments": [], "publish_ratio": 1.0}
    nothing |= {"placeholders": []}
    page = release_report(ReportData(manifest | nothing | {"documents": 1}))
    check_page(page)
    assert "1 sanitized document<" in page
    assert "No detector found a span" in page


def test_labels_are_escaped(manifest: Values) -> None:
    page = release_report(ReportData(manifest))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_long_labels_break_after_underscores(manifest: Values) -> None:
    manifest["spans"] = {"patterns/name": {"NAME_OF_A_PERSON": 3}}
    assert '<th scope="row">NAME_<wbr>OF_<wbr>A_<wbr>PERSON</th>' in release_report(ReportData(manifest))


def test_subjects_are_stated_to_count(manifest: Values) -> None:
    recounted = [{"guarantee": "k-repeating-runs", "value": 0.0, "threshold": 0.0, "satisfied": True}]
    named: Values = {"documents_with_subject": 1234, "persons": 1234}
    by_person: Values = {"assessments": [recounted[0] | {"counts_by": "subject"}]} | named
    assert "K repeating runs: counted by person." in release_report(ReportData(manifest | by_person))


def test_what_techniques_handed_back_is_reported(manifest: Values) -> None:
    page = release_report(ReportData(manifest | {"handed_back": {"initials": {"raised": 2, "unchanged": 1}}}))
    check_page(page)
    assert "initials 3" in page
    assert "Suppressed in place of another technique" not in release_report(ReportData(manifest))


@pytest.mark.parametrize("detector", sorted(DETECTORS.built_in))
def test_every_detector_is_named_in_words(manifest: Values, detector: str) -> None:
    plan: Values = {"sources": [detector]}
    page = release_report(ReportData(manifest | {"spans": {f"{detector}/x": {"NAME": 1}}, "plan": plan}))
    check_page(page)
    assert f"{DETECTORS.find(detector).legend}</li>" in page


def test_figures_of_a_detector_without_a_template_are_a_table(manifest: Values) -> None:
    page = release_report(ReportData(manifest, figures={"patterns": {"long_numbers": 1234}}))
    check_page(page)
    for shown in ("Patterns</h2>", "long numbers", "1,234"):
        assert shown in page


def test_training_report(training: Values) -> None:
    page = training_report(training)
    check_page(page)
    for shown in ("A model of 1 round<", "12 min 34 s", "no gain", "0.9648", "What remains for an attacker"):
        assert shown in page
    assert '<dd>oof <span class="hint">' in page
    assert not re.search(r"\b(TP|FP)\b", page)


def test_what_scrolls_has_a_shade_that_covers_hide_at_its_ends_but_not_in_print(training: Values) -> None:
    page = training_report(training)
    [covers, printed] = re.findall(r"\.scroll \{(.*?)\}", page, re.DOTALL)
    assert (covers.count("no-repeat local"), covers.count("no-repeat scroll"), covers.count("var(--shade)")) == (
        2,
        2,
        2,
    )
    assert page.count("--shade:") == 2
    assert "background: none" in printed


def test_of_an_attacker_that_nothing_labelled_was_left_nothing_is_reported(training: Values) -> None:
    found: Values = dict(training["attacker"]) | {"sensitive_tokens": 0}
    page = training_report(training | {"attacker": found, "rounds": [training["rounds"][0], found]})
    check_page(page)
    assert "No labelled word remains" in page
    assert '<span class="badge plain">nothing left</span>' in page


@pytest.mark.parametrize("ended_by", ["max_rounds", "few_tokens"])
def test_training_that_ended_without_the_stop_test(training: Values, ended_by: str) -> None:
    cut: Values = {"ended_by": ended_by, "local_optimum": False, "attacker": None, "cross_validation": None}
    page = training_report(training | cut)
    check_page(page)
    assert '<span class="badge bad">no local optimum</span>' in page


def test_excerpts_mark_both_sides() -> None:
    page = excerpts_page([excerpt("d<1>", "I am <Ann>.", [LabelledEdit(5, 10, "suppress", "[NAME]", "NAME")])])
    check_page(page)
    assert '<mark class="before of-1">&lt;Ann&gt;<small>NAME</small></mark>' in page
    assert '<mark class="after of-1">[NAME]</mark>' in page
    assert "d&lt;1&gt;" in page
    assert '<mark class="missed">' not in page


def test_excerpts_frame_annotations_that_remain() -> None:
    page = excerpts_page([excerpt("d", "I am Ann.", [], annotations=[Span(5, 8, "NAME")])])
    check_page(page)
    assert page.count('<mark class="missed of-1">Ann<small>NAME</small></mark>') == 2
    assert '<mark class="missed">framed</mark>' in page


def test_excerpts_are_filtered_by_label_without_scripts() -> None:
    text = "Ann, 41, of Rome."
    first = [LabelledEdit(0, 3, "surrogate", "Eve", "NAME"), LabelledEdit(5, 7, "suppress", "[AGE]", "AGE")]
    gold = [Span(12, 16, "CITY"), Span(12, 16, "PLACE")]
    shown = [excerpt("a", text, first), excerpt("b", text, first[:1], annotations=gold)]
    page = excerpts_page(shown)
    check_page(page)
    assert '<mark class="after of-3">Eve<small>NAME</small></mark>' in page
    assert page.count('<mark class="missed of-2 of-4">Rome<small>CITY, PLACE</small></mark>') == 2
    for label, count in (("AGE", 1), ("CITY", 1), ("NAME", 2), ("PLACE", 1)):
        assert f'> {label} <span class="hint">{count}</span></label>' in page
    assert re.findall(r'<section class="([^"]+)">', page) == ["long of-1 of-3", "long leaking of-2 of-3 of-4"]
    assert page.count('type="radio"') == 2 + len(labels_of(shown))


def test_the_report_names_its_plan_release_and_model_and_who_can_check_what(manifest: Values) -> None:
    again = {"k-repeating-runs": "assess --release {release} --workspace {workspace} --k 4 --unit {unit}"}
    recounted = {"guarantee": "k-repeating-runs", "value": 0.0, "threshold": 0.0, "satisfied": True}
    held: Values = {"assessments": [recounted | {"counts_by": "subject"}]}
    page = release_report(ReportData(manifest | held, plan="names.yaml", release="june", checks=again))
    check_page(page)
    for shown in ("plan <b>names.yaml</b>", "model <b>notes</b>", "Release report of june"):
        assert shown in page
    for command in ("verify june", "assess --release june --workspace WORKSPACE --k 4 --unit subject"):
        assert f"spark-deid {command}" in re.sub("<[^>]+>", "", page)


def test_annotations_of_no_known_kind_that_are_edited_are_named_once(manifest: Values) -> None:
    plan = manifest["plan"] | {"sources": ["gold"], "looked_for": {}, "unedited": []}
    page = release_report(ReportData(manifest | {"plan": plan, "spans": {}}))
    looked = page.split("<dt>Searched for</dt>")[1].split("</dd>")[0]
    assert looked.count("annotations of the input") == 1


def test_annotations_in_clear_are_leaks_and_none_of_what_was_found(manifest: Values) -> None:
    spans: Values = {"spans": {"model/1": {"NAME": 9}, "gold": {"NAME": 10, "(other labels)": 5}}}
    whole: Values = {"gold_untouched": {"NAME": 2, "(other labels)": 4}}
    page = release_report(ReportData(manifest | spans | {"gold_in_clear": {"NAME": 3, "(other labels)": 4}} | whole))
    check_page(page)
    assert '<section class="verdict bad"' in page
    assert "6 input annotations are still readable, and 1 more in part." in page
    assert "<b>3</b> of 10 NAME, 1 in part" in page
    assert "annotations of the input</li>" not in page
    assert '<td class="number">70.0%</td>' in page
    assert '<td class="number alarm">3 of 10</td>' in page
    assert "4 of 5</td>" not in page
    hidden = release_report(ReportData(manifest | spans))
    assert "still readable" not in hidden
    assert "15 of 15 input annotations completely hidden" in hidden


def test_what_was_rare_is_a_part_of_the_report(manifest: Values) -> None:
    page = release_report(ReportData(manifest, figures={"repeats": RARE}))
    check_page(page)
    for shown in (
        "Text of fewer than 4 persons",
        "Aa␣&lt;9&gt;",
        "25.0%",
        "Documents of which the person is not known",
    ):
        assert shown in page


def test_what_generalizations_lose_is_shown_as_distributions(manifest: dict[str, object]) -> None:
    figures = {
        "rules": [
            {"label": "X", "t": 64, "segment": "document", "segments": 5, "bits": 8.25, "others": 7.125, "short": 2}
        ],
        "labels": [{"label": "X", "terms": 3, "mean_bits": 2.5, "bits": [{"name": "2 to 3", "terms": 3}]}],
        "similar": [{"name": "0.5", "documents": 4}],
        "unknown": 2,
        "unknown_terms": 1,
        "least_documents": 3,
        "by_person": True,
        "substitutes": [{"label": "X", "tried": 80, "alike": 20}],
        "withheld": False,
    }
    page = release_report(ReportData(manifest, figures={"generalize": figures}, remarks=("2 <searches> gave way",)))
    assert "2 &lt;searches&gt; gave way.</p>" in page
    assert "2.5 bits lost in the mean, of 3 terms" in page
    assert "each document could be any of 64" in page
    cells = (f'<td class="number">{cell}</td>' for cell in ("5", "8.2", "7.1", "2"))
    assert f'<tr><th scope="row">X</th>{"".join(cells)}</tr>' in page
    assert (
        "X: spark_deid tried 80 other originals that |D| counts, for single terms of up to 100 documents. 20 (25%) give"
        in page
    )
    assert "were checked in all documents of the person" in page
    assert "because no document names its person" in release_report(
        ReportData(manifest, figures={"generalize": {**figures, "by_person": False}})
    )
    hint = "over fewer than 3 documents are withheld"
    assert hint not in page
    assert hint in release_report(ReportData(manifest, figures={"generalize": {**figures, "withheld": True}}))
