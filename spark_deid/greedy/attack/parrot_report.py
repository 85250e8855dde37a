"""What a parrot attack is told as: guesses that are right beside those of chance, and what they mean."""

from collections.abc import Sequence

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.greedy.attack.figures import INTERVAL, RUNS
from spark_deid.greedy.attack.parrot import LISTS, PARROT, NameLikeDocument, ParrotOutcome
from spark_deid.greedy.report import Json


def parrot_report(
    documents: Sequence[NameLikeDocument], outcomes: Sequence[ParrotOutcome], *, learner: str, seed: int
) -> dict[str, Json]:
    """Gather the report of a parrot attack: a row an attacker, each beside as many guesses at random."""
    groups = [each.group for each in documents]
    attackers: list[Json] = [{**parrot_figures(each), **_bootstrap(each, groups, seed=seed)} for each in outcomes]
    return {
        "documents": len(documents),
        "surrogates": sum(len(each.surrogates) for each in documents),
        "missed": sum(len(each.missed) for each in documents),
        "learner": learner,
        "attackers": attackers,
        "statements": list(_statements(outcomes)),
    }


def parrot_figures(outcome: ParrotOutcome) -> dict[str, Json]:
    """Return the counts of an attacker's guesses, and what as many guesses at random would give."""
    total = outcome.total
    return {
        "attacker": outcome.attacker,
        "decoding": outcome.decoding,
        "guesses": total.guesses,
        "right": total.guessed_missed,
        **{name: getattr(total, name) for name in ("precision", "random_precision", "recall", "random_recall")},
    }


def _bootstrap(outcome: ParrotOutcome, groups: Sequence[str], *, seed: int) -> dict[str, Json]:
    """Return 95% intervals of precision and recall, by drawing persons (else documents) anew."""
    names = sorted(set(groups))
    place = {name: number for number, name in enumerate(names)}
    cells = np.zeros((len(names), 4))
    np.add.at(cells, [place[group] for group in groups], np.array(outcome.counts, np.float64).reshape(-1, 4))
    draw = np.random.default_rng(seed)
    drawn = draw.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RUNS) @ cells
    right = drawn[:, 3]
    return {
        "precision_interval": _interval(right, drawn[:, 2] + right),
        "recall_interval": _interval(right, drawn[:, 1]),
    }


def _interval(right: Float64s, all_of_them: Float64s) -> list[Json]:
    shares = np.divide(right, all_of_them, out=np.zeros(len(right)), where=all_of_them > 0)
    return [float(value) for value in np.percentile(shares, INTERVAL)]


def _statements(outcomes: Sequence[ParrotOutcome]) -> list[str]:
    total = outcomes[0].total
    results = [
        f"{total.missed:,} of {total.missed + total.surrogates:,} names in the released documents are real; the others"
        " are surrogates."
    ]
    if not total.missed:
        return [*results, "No name was missed in the labelled documents, so there is nothing for this attack to find."]
    parrots = [each for each in outcomes if each.attacker == PARROT]
    best = max(parrots, key=lambda each: (each.total.precision, each.total.guesses), default=None)
    listed = next((each for each in outcomes if each.attacker == LISTS), None)
    if best is not None:
        results.append(f"Who learned to tag names from the other half ({best.decoding}) {_guessed(best)}.")
    if listed is not None:
        results.append(f"Who takes what is in no list of names {_guessed(listed)}.")
    return [
        *results,
        "Attackers are given all that looks like a name; who reads the text finds it without help. Halves are drawn"
        " by documents. Stronger attackers than these may exist.",
    ]


def _guessed(outcome: ParrotOutcome) -> str:
    total = outcome.total
    return (
        f"guesses {total.guesses:,} names to be real, of which {total.guessed_missed:,} are ({total.precision:.1%};"
        f" at random {total.random_precision:.1%}), and finds {total.recall:.1%} of the real ones (at random"
        f" {total.random_recall:.1%})"
    )
