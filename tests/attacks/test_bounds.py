"""No bound that a report says to hold is refuted by its counts, on the path from training to what the commands tell."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from spark_deid.app.attacked_release import publisher_behind
from spark_deid.greedy.attack.attackers import Attacker, AttackOutcome
from spark_deid.greedy.attack.published import PublishedDocument
from spark_deid.greedy.attack.report import ReportOptions, attack_report
from spark_deid.greedy.game.counts import ConfusionCounts, exact_ratio
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.text.view import TextView

THEOREMS = ("Theorem 3", "Lemma 3", "Theorem 4", "Lemma 4", "Theorem 5", "Theorem 6")
RATIOS = (0.1, 0.7, 1, 1.1, 2.9, 5, 10)
OWN, OTHER = Attacker("crf", "hide"), Attacker("svm", "hide")
WORLDS = 300


class World(NamedTuple):
    """A training's failing round, and an attacker's counts on a release with that many insensitive words."""

    ratio: float
    stand_in: ConfusionCounts
    attacker: ConfusionCounts
    insensitive: int


def draw_world(draw: np.random.Generator) -> World:
    """Draw counts at a local optimum, just beside one or far off, with few others that dilute them."""
    ratio = float(draw.choice(RATIOS))
    attacker, stand_in = (_cells(draw, ratio) for _ in range(2))
    return World(ratio, stand_in, attacker, attacker.false_positives + attacker.true_negatives + int(draw.integers(3)))


def _cells(draw: np.random.Generator, ratio: float) -> ConfusionCounts:
    hits = int(draw.choice((0, 1, 1, 1, 2, 3, 7)))
    wasted = max(0, -int(-exact_ratio(ratio) * hits // 1) + int(draw.choice((-20, -1, 0, 0, 0, 1, 20))))
    return ConfusionCounts(hits, wasted, int(draw.choice((0, 0, 1, 4, 8))), int(draw.choice((0, 1, 30))))


def told(world: World, attacker: Attacker) -> list[dict[str, Any]]:
    """Return the bounds that an attack reveals this world."""
    last = {
        "tokens": sum(world.stand_in),
        "sensitive_tokens": world.stand_in.sensitive,
        "true_positives": world.stand_in.true_positives,
        "false_positives": world.stand_in.false_positives,
    }
    settings = {"features": "hide", "loss_ratio": world.ratio}
    training = {"settings": settings, "rounds": [{"learner": "crf"}], "local_optimum": True, "attacker": last}
    left = world.attacker.sensitive
    case = GameDocument("d", "document d", (), (), (), TextView(""))
    published = PublishedDocument(case, world.insensitive + left, sum(world.attacker), left, left)
    attack = AttackOutcome(attacker, "viterbi", (world.attacker,))
    report: Any = attack_report([published], [attack], publisher_behind(training, world.ratio), ReportOptions())
    [entry] = report["attackers"]
    return list(entry["bounds"])


def measured(theorem: str, counts: ConfusionCounts) -> Fraction | None:
    """Return what a theorem bounds, counted; None where there is nothing to count."""
    hits, wasted, missed, rest = counts
    if theorem in ("Theorem 3", "Theorem 5"):
        return Fraction(hits)
    if theorem == "Lemma 4":
        return Fraction(wasted, hits) if hits else None
    everything, inspected = sum(counts), max(1, counts.positives)
    if not counts.sensitive:
        return None
    later = Fraction((inspected - counts.positives) * missed, missed + rest) if missed + rest else Fraction(0)
    return (hits + later) / Fraction(inspected * counts.sensitive, everything)


def is_refuted(bound: dict[str, Any], value: Fraction) -> bool:
    limit = float("inf") if bound["value"] == "infinite" else bound["value"]
    return value < limit * (1 - 1e-12) if bound["kind"] == "at least" else value > limit * (1 + 1e-12)


@pytest.fixture(scope="module")
def worlds() -> list[tuple[World, list[dict[str, Any]]]]:
    draw = np.random.default_rng(0)
    drawn = [draw_world(draw) for _ in range(WORLDS)]
    return [(world, told(world, OWN)) for world in drawn]


def test_what_is_stated_to_hold_is_not_refuted_by_the_counts(worlds: list[tuple[World, list[dict[str, Any]]]]) -> None:
    for world, bounds in worlds:
        assert tuple(bound["theorem"] for bound in bounds) == THEOREMS
        for bound in bounds:
            value = measured(bound["theorem"], world.attacker)
            assert value is None or not bound["applies"] or not is_refuted(bound, value), (world, bound)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_each_theorem_binds_in_many_worlds(theorem: str, worlds: list[tuple[World, list[dict[str, Any]]]]) -> None:
    """It applies and says more than arithmetic; a tenth below (above) its value, some counts would refute it."""
    binding, near = 0, 0
    for world, bounds in worlds:
        [bound] = [bound for bound in bounds if bound["theorem"] == theorem]
        value = measured(theorem, world.attacker)
        if bound["applies"] and not bound["vacuous"] and value is not None:
            binding += 1
            tighter = (
                bound["value"]
                if bound["value"] == "infinite"
                else bound["value"] * (1.1 if bound["kind"] == "at least" else 0.9)
            )
            near += is_refuted(bound | {"value": tighter}, value)
    assert binding >= WORLDS // 10
    assert near >= WORLDS // 50


def test_nothing_but_arithmetic_is_stated_of_attackers_of_another_kind(
    worlds: list[tuple[World, list[dict[str, Any]]]],
) -> None:
    for world, _ in worlds[:100]:
        assert {bound["theorem"] for bound in told(world, OTHER) if bound["applies"]} <= {"Lemma 3"}


def test_worlds_hold_releases_that_refute_what_training_declared(
    worlds: list[tuple[World, list[dict[str, Any]]]],
) -> None:
    """Unless it is tested on the release, Theorem 3 would be stated to hold in these."""
    refuted = [w for w, bounds in worlds if is_refuted(bounds[0], Fraction(w.attacker.true_positives))]
    assert len(refuted) >= WORLDS // 50
