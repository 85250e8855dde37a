"""The figures of an attack: what is found on a budget, what the theorems bound, how sure all of it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.greedy.attack.attackers import PUBLIC, Attacker, AttackOutcome
from spark_deid.greedy.attack.published import PublishedDocument
from spark_deid.greedy.game.attacker import (
    InspectionOrder,
    best_classifier,
    expected_best,
    expected_found,
    simulate_found,
)
from spark_deid.greedy.game.bounds import GameBound, lemma_3, theorem_3, theorem_4
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game.sampling import (
    Exact,
    deviation,
    lemma_4,
    measured_deviation,
    measured_rates,
    theorem_5,
    theorem_6,
)
from spark_deid.greedy.report import Json
from spark_deid.text.templates import features_label

SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Default budgets, as fractions of the published instances."""
RUNS = 1000
INTERVAL = (2.5, 97.5)
"""Percentiles of a bootstrap interval."""
DELTA = 0.05
OTHER_LEARNER, OTHER_FEATURES, OTHER_DATA = "another learner", "other features", "other data"
"""What an attacker may have that the publisher had not."""


@dataclass(frozen=True)
class PublisherRecord:
    """What is known of the training behind a release: the loss ratio, how its loop ended, and its failing round.

    ``stand_in`` are the counts of the round that failed the stop test, None where the loop ended otherwise; ``own``
    are the learners of its rounds with their features.
    """

    loss_ratio: float
    local_optimum: bool
    stand_in: ConfusionCounts | None
    own: tuple[Attacker, ...] = ()

    def could_learn(self, attacker: Attacker) -> bool:
        """Tell whether an attacker is of the publisher's hypothesis space: he learns as a round did, on the release."""
        return attacker in self.own

    def strengths(self, attacker: Attacker) -> tuple[str, ...]:
        """State what an attacker has that the publisher had not; nothing where no one knows what the publisher had."""
        if not self.own:
            return (OTHER_DATA,) if attacker.source == PUBLIC else ()
        known = {(own.features, own.background, own.tagger) for own in self.own}
        return tuple(
            name
            for name, has in (
                (OTHER_LEARNER, attacker.learner not in {own.learner for own in self.own}),
                (OTHER_FEATURES, (attacker.features, attacker.background, attacker.tagger) not in known),
                (OTHER_DATA, attacker.source == PUBLIC),
            )
            if has
        )


def default_budgets(instances: int) -> tuple[int, ...]:
    """Return budgets from a thousandth of the instances to all of them."""
    return tuple(sorted({max(1, round(share * instances)) for share in SHARES})) if instances else ()


def budget_curve(counts: ConfusionCounts, budgets: Sequence[int]) -> list[Json]:
    """Return, a budget each, what is expected in every order of inspection, and identified/budget of the best."""
    orders = {order.value.replace(" ", "_"): expected_found(counts, budgets, order) for order in InspectionOrder}
    best = expected_best(counts, budgets)
    return [
        {
            "budget": int(budget),
            "identified": float(best[place]),
            "identified_per_budget": float(best[place] / budget),
            **{name: float(found[place]) for name, found in orders.items()},
        }
        for place, budget in enumerate(budgets)
    ]


def theorem_bounds(
    attack: AttackOutcome, insensitive: int, publisher: PublisherRecord, *, dimension: float | None
) -> list[Json]:
    """Return what the theorems bound for this attacker, each with its conditions.

    ``insensitive`` are the words that were never sensitive, the paper's ``(1 - alpha) n``; it is not fewer than what is
    published of them, where replacements add some. Without a VC ``dimension``, lambda is the measured difference of the
    two error rates, and the entries state it.
    """
    counts, ratio, equal = attack.total, publisher.loss_ratio, publisher.could_learn(attack.attacker)
    insensitive = max(insensitive, counts.false_positives + counts.true_negatives)
    budget = max(1, counts.positives)
    found = [
        theorem_3(counts, insensitive, ratio, same_space=equal),
        lemma_3(counts, budget),
        theorem_4(counts, budget, insensitive, ratio, same_space=equal),
    ]
    entries: list[Json] = [_entry(bound) for bound in found]
    if publisher.stand_in is None:
        return entries
    substitute = publisher.stand_in
    distance: Exact = measured_deviation(substitute, counts)
    if dimension is not None:
        distance = deviation(sum(substitute), dimension, DELTA)
    rates = measured_rates(substitute, counts)
    sampled = [
        lemma_4(substitute, counts, ratio, distance, same_space=equal),
        theorem_5(substitute, counts, insensitive, ratio, distance, same_space=equal),
        theorem_6(substitute, counts, budget, insensitive, ratio, distance, same_space=equal),
    ]
    basis: dict[str, Json] = {
        "rates": {name: _number(value) for name, value in rates._asdict().items()},
        "lambda": _number(float(distance)),
        "lambda_from": "measured difference of error rates" if dimension is None else f"VC dimension {dimension:g}",
    }
    return [*entries, *({**_entry(bound), **basis} for bound in sampled)]


def bootstrap(attack: AttackOutcome, groups: Sequence[str], *, seed: int, runs: int = RUNS) -> dict[str, Json]:
    """Return 95% intervals of the attack's figures, by drawing groups of documents (people) again.

    Hits and residual tokens are scaled by nothing: a draw has as many groups as there are, not as many tokens.
    """
    cells = np.array(attack.counts, np.float64).reshape(-1, 4)
    names = sorted(set(groups))
    place = {name: number for number, name in enumerate(names)}
    by_group = np.zeros((len(names), 4))
    np.add.at(by_group, [place[group] for group in groups], cells)
    draw = np.random.default_rng(seed)
    weights = draw.multinomial(len(names), np.full(len(names), 1 / len(names)), size=runs)
    drawn = weights @ by_group
    hits, sensitive = drawn[:, 0], drawn[:, 0] + drawn[:, 2]
    return {
        "true_positives": _interval(hits),
        "false_positives": _interval(drawn[:, 1]),
        "recall": _interval(np.divide(hits, sensitive, out=np.zeros(runs), where=sensitive > 0)),
    }


def figures_of(attack: AttackOutcome, budgets: Sequence[int]) -> dict[str, Json]:
    """Return the counts of an attack and its budget curve."""
    counts = attack.total
    return {
        **attack.attacker._replace(features=features_label(attack.attacker.features))._asdict(),
        "background": list(attack.attacker.background),
        "decoding": attack.decoding,
        **counts._asdict(),
        "precision": counts.true_positives / counts.positives if counts.positives else 0.0,
        "recall": counts.true_positives / counts.sensitive if counts.sensitive else 0.0,
        "errors": counts.errors,
        "budgets": budget_curve(counts, budgets),
    }


def simulate_inspection(counts: ConfusionCounts, budgets: Sequence[int], *, runs: int, seed: int) -> list[Json]:
    """Return what positives first finds on each budget over simulated orders: mean and 95% interval."""
    positive = np.repeat([True, True, False, False], counts)
    sensitive = np.repeat([True, False, True, False], counts)
    draw = np.random.default_rng(seed)
    found = simulate_found(positive, sensitive, budgets, InspectionOrder.POSITIVES_FIRST, runs=runs, draw=draw).astype(
        np.float64
    )
    return [
        {"budget": int(budget), "mean": float(found[:, place].mean()), "interval": _interval(found[:, place])}
        for place, budget in enumerate(budgets)
    ]


def most_accurate(attacks: Sequence[AttackOutcome]) -> AttackOutcome:
    """Return the attacker of the paper: the one with the fewest errors."""
    return attacks[best_classifier([attack.total for attack in attacks])]


def most_dangerous(attacks: Sequence[AttackOutcome]) -> AttackOutcome:
    """Return the one who expects to find most by as many inspections as there are identifiers left."""

    def found(attack: AttackOutcome) -> float:
        return float(expected_best(attack.total, [attack.total.sensitive])[0])

    return max(attacks, key=found)


def count_residual(documents: Sequence[PublishedDocument]) -> dict[str, Json]:
    """Return how much was published, and how many words of identifiers remain for anyone to find."""
    words, sensitive, residual_words, published = (
        sum(getattr(each, name) for each in documents)
        for name in ("words", "sensitive_words", "residual_words", "published_words")
    )
    return {
        "documents": len(documents),
        "words": words,
        "publish_ratio": published / words if words else 1.0,
        "sensitive_words": sensitive,
        "residual_words": residual_words,
        "residual_ratio": residual_words / sensitive if sensitive else 0.0,
    }


def residual_by_label(documents: Sequence[PublishedDocument]) -> dict[str, Json]:
    """Return the same by label: words of its annotations, and how many of them remain; the most left first."""
    found: dict[str, list[int]] = {}
    for each in documents:
        for label, words in each.labels.items():
            total = found.setdefault(label, [0, 0])
            total[0] += words.sensitive
            total[1] += words.residual
    ordered = sorted(found.items(), key=lambda item: (-item[1][1], -item[1][0], item[0]))
    return {label: {"sensitive_words": words, "residual_words": left} for label, (words, left) in ordered}


def _entry(bound: GameBound) -> dict[str, Json]:
    return {
        "theorem": bound.theorem,
        "quantity": bound.quantity,
        "kind": "at least" if bound.is_lower else "at most",
        "value": _number(bound.value),
        "vacuous": bound.is_vacuous,
        "applies": bound.applies,
        "conditions": [{"statement": each.statement, "holds": each.holds} for each in bound.conditions],
    }


def _interval(values: Float64s) -> list[Json]:
    return [float(value) for value in np.percentile(values, INTERVAL)]


def _number(value: float) -> Json:
    """Return a number that JSON has, or a word for infinity."""
    return value if math.isfinite(value) else "infinite"
