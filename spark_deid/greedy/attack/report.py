"""What an attack on a release is told as: numbers, and what they mean in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_deid.greedy.attack.attackers import HOLD_OUT, AttackOutcome
from spark_deid.greedy.attack.figures import (
    OTHER_DATA,
    OTHER_FEATURES,
    OTHER_LEARNER,
    PublisherRecord,
    bootstrap,
    count_residual,
    default_budgets,
    figures_of,
    most_accurate,
    most_dangerous,
    residual_by_label,
    simulate_inspection,
    theorem_bounds,
)
from spark_deid.greedy.attack.published import PublishedDocument
from spark_deid.greedy.game.bounds import theorem_2
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.report import Json
from spark_deid.text.templates import features_label


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """How much is told: budgets (none: the default ones), simulated runs (0: none), a VC dimension for lambda."""

    budgets: tuple[int, ...] = ()
    simulate: int = 0
    dimension: float | None = None
    seed: int = 0


def attack_report(
    documents: Sequence[PublishedDocument],
    attacks: Sequence[AttackOutcome],
    publisher: PublisherRecord,
    options: ReportOptions,
) -> dict[str, Json]:
    """Gather the report of an attack: every attacker, the most accurate and the most dangerous one, bounds, words.

    The paper's attacker is the most accurate one, by Viterbi; the most dangerous one finds most, and so does the one
    that is named for each strength that the publisher had not.
    """
    plain = [attack for attack in attacks if attack.decoding == "viterbi"] or list(attacks)
    chosen = most_accurate(plain), most_dangerous(attacks)
    budgets = options.budgets or default_budgets(sum(attacks[0].total))
    groups = [each.case.group for each in documents]
    strongest = strongest_of(attacks, publisher)
    numbers = count_residual(documents)
    insensitive = sum(each.words - each.sensitive_words for each in documents)
    entries: list[Json] = []
    for attack in attacks:
        entry = figures_of(attack, budgets)
        entry["strengths"] = list(publisher.strengths(attack.attacker))
        entry["local_optimum"] = theorem_2(attack.total, publisher.loss_ratio)
        entry["interval"] = {**bootstrap(attack, groups, seed=options.seed)}
        entry["bounds"] = theorem_bounds(attack, insensitive, publisher, dimension=options.dimension)
        if options.simulate:
            entry["simulated"] = simulate_inspection(attack.total, budgets, runs=options.simulate, seed=options.seed)
        entries.append(entry)
    return {
        **numbers,
        "labels": residual_by_label(documents),
        "loss_ratio": publisher.loss_ratio,
        "local_optimum": publisher.local_optimum,
        "attackers": entries,
        "most_accurate": attacks.index(chosen[0]),
        "most_dangerous": attacks.index(chosen[1]),
        "strongest": {name: attacks.index(attack) for name, attack in strongest.items()},
        "statements": list(statements(documents, *chosen, strongest)),
    }


def strongest_of(attacks: Sequence[AttackOutcome], publisher: PublisherRecord) -> dict[str, AttackOutcome]:
    """Return the most dangerous attack of those that have each strength."""
    found = {}
    for name in (OTHER_LEARNER, OTHER_FEATURES, OTHER_DATA):
        able = [attack for attack in attacks if name in publisher.strengths(attack.attacker)]
        if able:
            found[name] = most_dangerous(able)
    return found


def statements(
    documents: Sequence[PublishedDocument],
    accurate: AttackOutcome,
    dangerous: AttackOutcome,
    strongest: Mapping[str, AttackOutcome],
) -> tuple[str, ...]:
    """Say what the numbers mean, and what they rest on."""
    numbers = count_residual(documents)
    return (
        f"{numbers['residual_words']:,} of {numbers['sensitive_words']:,} identifier words in "
        f"{len(documents):,} labelled documents remain in the release.",
        f"The most accurate attacker ({_name(accurate)}) {_taken(accurate.total)}.",
        f"The strongest attacker ({_name(dangerous)}) {_taken(dangerous.total)}.",
        *(
            f"Among the attackers with {name} than the publisher's, the strongest ({_name(attack)}) "
            f"{_taken(attack.total)}."
            for name, attack in strongest.items()
        ),
        "Attackers trained on labelled documents of the release and inspected other documents (by folds), or "
        "trained on public data if this is stated. Stronger attackers may exist.",
        "All counts are on the labelled documents. Other kinds of text may differ.",
    )


def _taken(total: ConfusionCounts) -> str:
    """Say how many published words an attacker takes for identifiers, and how many are.

    >>> for found, in_vain in ((0, 0), (1, 0), (1200, 3)):
    ...     print(_taken(ConfusionCounts(found, in_vain, 5, 5)))
    selects no published word
    takes 1 published word for an identifier; 1 is
    takes 1,203 published words for identifiers; 1,200 are
    """
    if not total.positives:
        return "selects no published word"
    several = f"{total.positives:,} published words for identifiers"
    words = "1 published word for an identifier" if total.positives == 1 else several
    return f"takes {words}; {total.true_positives:,} {'is' if total.true_positives == 1 else 'are'}"


def _name(attack: AttackOutcome) -> str:
    attacker = attack.attacker
    source = "" if attacker.source == HOLD_OUT else f", trained on {attacker.source}"
    number = len(attacker.background)
    helped = f" and {number} background model{'' if number == 1 else 's'}" if number else ""
    return (
        f"{attacker.learner}, {features_label(attacker.features)} features{helped}, {attack.decoding} decoding{source}"
    )
