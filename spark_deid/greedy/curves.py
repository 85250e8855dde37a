"""What a training report draws: what stays of each label, and what is left against what is published."""

from collections.abc import Mapping, Sequence

import numpy as np

from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, remaining_gold

Tried = dict[str, float | None]
"""A decoding (``bias``, ``threshold``) and the shares of words that it gives: ``left``, and ``published``."""


def hidden_by_label(cases: Sequence[GameDocument]) -> dict[str, dict[str, int]]:
    """Count the annotations of each label, and those of which a word, or all, is left when all found was removed."""
    by_label: dict[str, dict[str, int]] = {}
    for case in cases:
        for span in case.gold:
            counts = by_label.setdefault(span.label, {"annotations": 0, "in_clear": 0, "untouched": 0})
            clear = remaining_gold(case.view.text, [span], case.view.removed)
            counts["annotations"] += 1
            counts["in_clear"] += bool(clear)
            counts["untouched"] += remaining_gold(case.view.text, [span], ()) == clear != ()
    return dict(sorted(by_label.items()))


def shares_of(counts: ConfusionCounts, wasted: int, instance_sets: Sequence[DocumentInstances]) -> dict[str, float]:
    """Return the share of identifier words that are left, and the share of other words that are published.

    ``counts`` are a round's, ``wasted`` the other words that were removed before; ``instance_sets`` hold all words.
    """
    sensitive = sum(int(np.count_nonzero(instance_set.sensitive)) for instance_set in instance_sets)
    others = sum(len(instance_set.sensitive) for instance_set in instance_sets) - sensitive
    return {
        "left": round(counts.false_negatives / sensitive, 6) if sensitive else 0.0,
        "published": round(1 - (wasted + counts.false_positives) / others, 6) if others else 1.0,
    }


def tried_of(
    counted: Mapping[DecodingRule, tuple[ConfusionCounts, int]], instance_sets: Sequence[DocumentInstances]
) -> list[Tried]:
    """Return what each decoding would leave and publish, by its counts and the words removed in vain before it.

    The one that leaves most comes first.
    """
    found: list[Tried] = [
        {"bias": decoding.bias, "threshold": decoding.threshold, **shares_of(*counts, instance_sets)}
        for decoding, counts in counted.items()
    ]
    return sorted(found, key=lambda each: (-(each["left"] or 0), each["published"] or 0))
