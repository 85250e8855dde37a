"""What an attack on a release is told as: numbers, and what they mean in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass

from spark_deid.greedy.attack.attackers import HOLD_OUT, Attack
from spark_deid.greedy.attack.figures import (
    Publisher,
    bootstrap,
    bounds,
    default_budgets,
    figures_of,
    most_accurate,
    most_dangerous,
    residual,
    simulated,
)
from spark_deid.greedy.attack.published import Published
from spark_deid.greedy.report import Json


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """How much is told: budgets (none: the default ones), simulated runs (0: none), a VC dimension for lambda."""

    budgets: tuple[int, ...] = ()
    simulate: int = 0
    dimension: float | None = None
    seed: int = 0


def attack_report(
    documents: Sequence[Published], attacks: Sequence[Attack], publisher: Publisher, options: ReportOptions
) -> dict[str, Json]:
    """Gather the report of an attack: every attacker, the most accurate and the most dangerous one, bounds, words.

    The paper's attacker is the most accurate one, by Viterbi; the most dangerous one finds most.
    """
    plain = [attack for attack in attacks if attack.decoding == "viterbi"] or list(attacks)
    chosen = most_accurate(plain), most_dangerous(attacks)
    budgets = options.budgets or default_budgets(sum(attacks[0].total))
    groups = [each.case.group for each in documents]
    numbers = residual(documents)
    insensitive = sum(each.words - each.sensitive_words for each in documents)
    told: list[Json] = []
    for attack in attacks:
        entry = figures_of(attack, budgets)
        entry["interval"] = {**bootstrap(attack, groups, seed=options.seed)}
        entry["bounds"] = bounds(attack.total, insensitive, publisher, dimension=options.dimension)
        if options.simulate:
            entry["simulated"] = simulated(attack.total, budgets, runs=options.simulate, seed=options.seed)
        told.append(entry)
    return {
        **numbers,
        "loss_ratio": publisher.loss_ratio,
        "local_optimum": publisher.local_optimum,
        "attackers": told,
        "most_accurate": attacks.index(chosen[0]),
        "most_dangerous": attacks.index(chosen[1]),
        "statements": list(statements(documents, *chosen)),
    }


def statements(documents: Sequence[Published], accurate: Attack, dangerous: Attack) -> tuple[str, ...]:
    """Say what the numbers mean, and what they rest on."""
    numbers = residual(documents)
    return (
        f"Of {numbers['sensitive_words']:,} identifier words in {len(documents):,} labelled documents, "
        f"{numbers['residual_words']:,} are left in the release.",
        f"The most accurate attacker ({_name(accurate)}) takes {accurate.total.positives:,} published words for "
        f"identifiers; {accurate.total.true_positives:,} of them are.",
        f"The most dangerous one ({_name(dangerous)}) takes {dangerous.total.positives:,}, and "
        f"{dangerous.total.true_positives:,} are.",
        "Attackers learned from labelled published documents and were tried on others (by folds), or learned from "
        "public data where it says so. Stronger attackers than these may exist.",
        "All of it is counted on the labelled documents, and says nothing of text of another kind.",
    )


def _name(attack: Attack) -> str:
    attacker = attack.attacker
    source = "" if attacker.source == HOLD_OUT else f", trained on {attacker.source}"
    return f"{attacker.learner}, {attacker.features} features, {attack.decoding} decoding{source}"
