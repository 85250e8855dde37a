"""Names that are missed: the words of a text in cells, tables of labelled corpora, and what is estimated by them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.random import Generator

from spark_deid.api.plan import Plan
from spark_deid.api.redact import redact
from spark_deid.core.errors import GateRefused, ModelError, UsageError
from spark_deid.core.missed_names import OddsCounts
from spark_deid.greedy.detector import KIND, ModelSettings
from spark_deid.greedy.files import model_hash
from spark_deid.greedy.missed_names.estimate import (
    choose_ratio,
    covered_corpora,
    estimate_missed,
    outside_range,
    spread_of,
    with_ratio,
)
from spark_deid.greedy.missed_names.table import (
    BINS,
    CELLS,
    FILE,
    LEVELS,
    ODDS,
    RATIOS,
    CorpusMisses,
    MissedTable,
    cells_of,
    read_table,
    word_odds,
)
from spark_deid.greedy.missed_names.word_forms import FORMS, count_forms
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import ENGLISH, SPANISH

PROSE = "Ann Lee came to the clinic of Boston on Monday and went home again the next morning with her sister "
FORMS_OF_PROSE = tuple((1000 * count_forms(PROSE)).tolist())
SHARES = np.array([0.5 * odds / (1 + odds) for odds in (ODDS[0], *ODDS)])
TOP = LEVELS - 1


def corpus(rng: Generator, *, apart: float, words: int = 3000) -> CorpusMisses:
    """Draw a corpus whose names are that many times those of the shares."""
    below, above = (rng.integers(words // 2, words, BINS) for _ in range(2))
    names = (rng.binomial(size, min(1.0, apart * share)) for size, share in zip(below, SHARES, strict=True))
    marked = (rng.binomial(size, share) for size, share in zip(above, SHARES, strict=True))
    counts = [tuple(map(int, each)) for each in (below, names, above, marked)]
    return CorpusMisses(counts[0], counts[1], counts[2], counts[3], clustering=1.0, forms=FORMS_OF_PROSE)


def table(rng: Generator, *, spread: float, corpora: int = 12) -> MissedTable:
    factors = np.exp(spread * rng.standard_normal(corpora))
    return MissedTable("hash", {f"corpus {n}": corpus(rng, apart=factor) for n, factor in enumerate(factors)})


def counts_of(given: CorpusMisses, groups: int = 8) -> OddsCounts:
    """Return what a run counts in a corpus of which every marked word is edited."""
    untouched, edited = np.zeros((2, groups, CELLS), np.int64)
    for bin_, (below, above) in enumerate(zip(given.words, given.marked_words, strict=True)):
        for word in range(groups):
            untouched[word, bin_] += below // groups + (word < below % groups)
            edited[word, TOP * BINS + bin_] += above // groups + (word < above % groups)
    return OddsCounts(untouched, edited, 100, 100, np.array(given.forms))


def test_a_cell_shows_bin_of_the_odds_and_which_ratios_would_mark() -> None:
    rng = np.random.default_rng(0)
    marked = np.concatenate([rng.random(200) ** 6, [1 / (1 + ratio) for ratio in RATIOS], [0.0, 1.0]])
    labelled = marked * rng.random(len(marked))
    for cell, any_label, name in zip(cells_of(marked, labelled).tolist(), marked, labelled, strict=True):
        level, place = divmod(cell, BINS)
        assert level == sum(any_label > 1 / (1 + ratio) for ratio in RATIOS)
        assert place == sum(name > odds / (1 + odds) for odds in ODDS)


def test_words_of_a_text_have_the_probabilities_that_decoding_goes_by() -> None:
    sanitizer = load_sanitizer(ENGLISH)
    text = "Mr. Webster saw Carol Jones in Boston. He called 555-0147, and mailed ann@example.com at noon."
    words = word_odds(sanitizer, text)
    for ratio in (10.0, 100.0):
        spans = sanitizer.decoding_as("cost", ratio).detect(text)
        covered = [any(s.start <= start < s.end for s in spans) for start in words.starts]
        assert [cell // BINS > RATIOS.index(ratio) for cell in words.cells.tolist()] == covered
    surfaces = [text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    assert {"Webster", "Carol", "noon"} <= {*surfaces}
    assert not any(any(map(str.isdigit, word)) or "@" in word for word in surfaces)
    cells = dict(zip(surfaces, words.cells.tolist(), strict=True))
    assert cells["Boston"] // BINS == cells["Carol"] // BINS == TOP
    assert cells["Boston"] % BINS < cells["Carol"] % BINS - 4


def test_where_corpora_are_equal_the_estimate_is_what_their_shares_expect() -> None:
    rng = np.random.default_rng(1)
    alike = table(rng, spread=0.0)
    new = corpus(rng, apart=1.0)
    told = estimate_missed(alike, counts_of(new))
    assert told.words == pytest.approx(float(np.array(new.words) @ SHARES), rel=0.05)
    assert told.found == pytest.approx(float(np.array(new.marked_words) @ SHARES), rel=0.05)
    assert told.share == pytest.approx(told.words / (told.words + told.found))
    assert told.low < told.words < told.high < 1.3 * told.words


def test_where_names_are_few_fewer_of_words_that_look_equal_are_names() -> None:
    rng = np.random.default_rng(9)
    known, counts = table(rng, spread=0.1), counts_of(corpus(rng, apart=1.0))
    surely_none = np.zeros_like(counts.edited)
    surely_none[:, 0] = 99 * (counts.untouched + counts.edited).sum(1)
    diluted = estimate_missed(known, counts._replace(edited=counts.edited + surely_none))
    assert diluted.words == pytest.approx(estimate_missed(known, counts).words / 10, rel=0.02)


def test_the_interval_holds_what_new_corpora_miss() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(100):
        known = table(rng, spread=0.5)
        new = corpus(rng, apart=float(np.exp(0.5 * rng.standard_normal())))
        told = estimate_missed(known, counts_of(new))
        held += told.low <= sum(new.names) <= told.high
    assert 90 <= held <= 100


def test_coverage_counts_the_corpora_whose_interval_is_right_if_the_others_predict_it() -> None:
    rng = np.random.default_rng(10)
    alike = table(rng, spread=0.0)
    assert all(covered_corpora(alike))
    strange = MissedTable("hash", {**alike.corpora, "strange": corpus(rng, apart=40.0)})
    assert covered_corpora(strange)[-1] is False
    told = estimate_missed(alike, counts_of(corpus(rng, apart=1.0)))
    assert (told.corpora, told.covered) == (12, 12)


@pytest.mark.parametrize(
    ("change", "feature"),
    [
        (str.lower, "capitalized"),
        (str.upper, "uppercase"),
        (lambda text: text.replace("clinic", "cl1n1c"), "digits between letters"),
        (lambda text: text.replace("clinic", "zhvanskiy"), "unknown lowercase"),
        (lambda text: text.replace("clinic", "c l i n i c"), "single letters"),
        (lambda text: text.replace("clinic", "clInIC"), "mixed case"),
        (lambda text: text.replace("clinic", "c l i n i c"), "letters of spelled words"),
        (lambda text: text.replace("clinic", "cli-nic"), "words with marks inside"),
        (lambda text: text.replace("clinic", "c****c"), "words with marks inside"),
        (lambda text: text.replace("clinic", "0123 0123 0123 0123 0123 0123 0123 0123 0123"), "numbers"),
    ],
)
def test_a_text_unlike_the_corpora_is_outside_their_range(change: Callable[[str], str], feature: str) -> None:
    known = read_table(ENGLISH, model_hash(ENGLISH))
    assert known is not None
    counts = counts_of(known.corpora["GUM"])
    assert outside_range(known, counts) == ()
    assert outside_range(known, counts._replace(forms=100 * count_forms(PROSE))) == ()
    assert feature in outside_range(known, counts._replace(forms=100 * count_forms(change(PROSE))))
    assert outside_range(known, counts._replace(forms=count_forms("J0hn came."))) == ()
    assert outside_range(known, counts._replace(forms=count_forms(""))) == ()


def test_the_spread_between_corpora_is_found() -> None:
    rng = np.random.default_rng(3)
    found = [spread_of(table(rng, spread=0.5, corpora=30)).between for _ in range(10)]
    assert np.mean(found) == pytest.approx(0.25, rel=0.25)
    assert spread_of(table(rng, spread=0.0)).between < 0.01


def test_a_sample_of_documents_widens_the_interval_and_shows_the_whole() -> None:
    rng = np.random.default_rng(4)
    known, counts = table(rng, spread=0.1), counts_of(corpus(rng, apart=1.0))
    whole = estimate_missed(known, counts)
    uneven = counts.untouched.copy()
    uneven[0], uneven[1] = uneven[0] + uneven[1], 0
    lumped = estimate_missed(known, counts._replace(untouched=uneven))
    part = estimate_missed(known, counts._replace(all_documents=300))
    assert lumped.words == pytest.approx(whole.words)
    assert lumped.share_high > whole.share_high
    assert part.words == pytest.approx(3 * whole.words)
    assert part.share == pytest.approx(whole.share)


def test_a_target_chooses_the_lowest_ratio_whose_upper_end_is_within_it() -> None:
    rng = np.random.default_rng(5)
    known = table(rng, spread=0.2)
    cells = np.repeat(3000 * np.arange(LEVELS)[::-1] ** 2, BINS) // (1 + np.tile(np.arange(BINS), LEVELS))
    untouched = np.tile(np.where(np.arange(CELLS) < TOP * BINS, cells, 0), (8, 1))
    counts = OddsCounts(
        untouched, np.tile(np.where(np.arange(CELLS) >= TOP * BINS, 4000, 0), (8, 1)), 50, 50, np.array(FORMS_OF_PROSE)
    )
    ends = {ratio: estimate_missed(known, with_ratio(counts, ratio)).share_high for ratio in RATIOS}
    for target in (0.5, ends[50.0], ends[300.0] * 1.001):
        choice = choose_ratio(known, counts, target, own_ratio=10.0)
        assert choice.reached
        assert choice.loss_ratio == min(ratio for ratio in RATIOS if ends[ratio] <= target)
    unreached = choose_ratio(known, counts, 1e-9, own_ratio=10.0)
    assert (unreached.loss_ratio, unreached.reached) == (1000.0, False)
    assert choose_ratio(known, counts, 1.0, own_ratio=35.0).loss_ratio == 35.0


def test_a_table_is_read_as_it_was_written_and_for_its_model_only(tmp_path: Path) -> None:
    made = table(np.random.default_rng(6), spread=0.5, corpora=5)
    made.write(tmp_path)
    read = read_table(tmp_path, "hash")
    assert read is not None
    assert replace(read, sha256="") == made
    assert read_table(tmp_path, "another") is None
    assert read_table(tmp_path / "nowhere", "hash") is None


@pytest.mark.parametrize(
    "damage",
    [
        {"corpora": {}},
        {"format": 1},
        {"corpora": {"a": {"words": [1]}}},
        {"corpora": []},
    ],
)
def test_a_table_of_another_make_is_refused(tmp_path: Path, damage: dict[str, object]) -> None:
    table(np.random.default_rng(7), spread=0.5, corpora=5).write(tmp_path)
    content = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(content | damage))
    with pytest.raises(ModelError, match="table"):
        read_table(tmp_path, "hash")


def test_numbers_that_no_corpus_has_are_refused(tmp_path: Path) -> None:
    made = table(np.random.default_rng(8), spread=0.5, corpora=5)
    given = made.corpora["corpus 1"]
    endless = 10**400
    for wrong in (
        given._replace(names=(*given.words[:-1], 10**9)),
        given._replace(words=(*given.words[:-1], endless)),
        given._replace(clustering=float("nan")),
        given._replace(marked_names=(0,) * BINS),
        given._replace(forms=(1, 2)),
        given._replace(forms=(-1,) * len(FORMS)),
    ):
        MissedTable("hash", {**made.corpora, "corpus 1": wrong}).write(tmp_path)
        with pytest.raises(ModelError, match="ValueError"):
            read_table(tmp_path, "hash")


def test_the_shipped_table_is_that_of_the_shipped_model() -> None:
    shipped = read_table(ENGLISH, model_hash(ENGLISH))
    assert shipped is not None
    assert len(shipped.corpora) >= 11


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"target": 0.01, "loss_ratio": 20}, "Remove one of them"),
        ({"target": 0.01, "decoding": "viterbi"}, "needs decoding: cost"),
        ({"target": 1.5}, "target"),
    ],
)
def test_a_target_next_to_what_it_chooses_is_a_wrong_plan(settings: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Plan(model="english", **settings)


def test_a_target_needs_one_model_with_a_table() -> None:
    KIND.check(ModelSettings(model=ENGLISH, target=0.01))
    with pytest.raises(UsageError, match=r"Set loss_ratio .* such as english"):
        KIND.check(ModelSettings(model=SPANISH, target=0.01))
    with pytest.raises(UsageError, match="Choose one"):
        KIND.check(ModelSettings(model={"en": ENGLISH, "es": SPANISH}, target=0.01))


def test_strings_and_certificates_refuse_a_target_by_name() -> None:
    plan = Plan(model="english", target=0.01)
    for use in (lambda: redact("Call Ann", plan=plan), lambda: plan.finders):
        with pytest.raises(UsageError, match="target needs a whole corpus to choose the loss ratio of model"):
            use()
    certified = Plan(model="english", target=0.01, guarantees={"residual_risk": {"loss_ratio": 5}})
    with pytest.raises(GateRefused, match="target changes the threshold"):
        certified.explain()
    assert "L/C chosen for the text" in plan.explain()
    assert cast(SimpleNamespace, plan.settings).target == 0.01
