"""Trials of surrogates as the plain figures of a page: means over seeds with ranges."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from spark_deid.app.experiments.surrogates.settings import SurrogatesExperimentSettings

Trial = Mapping[str, Any]


def figures(trials: Sequence[Trial], settings: SurrogatesExperimentSettings) -> dict[str, Any]:
    """Return what a page shows: attacks by way of writing, and what models that learned from each find in real text."""
    attacked = [trial for trial in trials if trial["kind"] == "attack"]
    learned = [trial for trial in trials if trial["kind"] == "utility"]
    return {
        "settings": settings.model_dump(mode="json"),
        "left": list(_leaks(attacked)),
        "parrots": list(_parrots(attacked)),
        "paper": list(_paper(attacked)),
        "utility": list(_utility(learned)),
        "plots": [],
    }


def _by_writing(trials: Iterable[Trial]) -> Iterator[tuple[str, list[Trial]]]:
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial["writing"]].append(trial)
    yield from groups.items()


def _leaks(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    for writing, group in _by_writing(trials):
        names = ("words", "words_left", "surrogates", "missed")
        yield {"writing": writing, "seeds": len(group), **{name: fmean(t[name] for t in group) for name in names}}


def _parrots(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield an attacker of names that may be surrogates: what all seeds gave together, and ranges over them."""
    for writing, group in _by_writing(trials):
        rows: dict[tuple[str, str], list[Trial]] = defaultdict(list)
        for trial in group:
            for row in trial.get("parrots", ()):
                rows[row["attacker"], row["decoding"]].append(row)
        for (attacker, decoding), own in rows.items():
            counts = {name: sum(row[name] for row in own) for name in ("guesses", "right")}
            shares = ("precision", "random_precision", "recall", "random_recall")
            yield {
                **{"writing": writing, "attacker": attacker, "decoding": decoding, "seeds": len(own)},
                **counts,
                **{name: _range(row[name] for row in own) for name in shares},
            }


def _paper(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield the attacker who learns which published words are identifiers, and takes surrogates for words."""
    for writing, group in _by_writing(trials):
        for decoding in dict.fromkeys(row["decoding"] for trial in group for row in trial["paper"]):
            own = [row for trial in group for row in trial["paper"] if row["decoding"] == decoding]
            counts = {name: sum(row[name] for row in own) for name in ("true_positives", "false_positives")}
            shares = {name: _range(row[name] for row in own) for name in ("precision", "recall")}
            yield {"writing": writing, "decoding": decoding, "seeds": len(own), **counts, **shares}


def _utility(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    for writing, group in _by_writing(trials):
        shares = {name: _range(t["score"][name] for t in group) for name in ("precision", "recall", "f1")}
        yield {"writing": writing, "seeds": len(group), **shares}


def _range(values: Iterable[float]) -> dict[str, float]:
    """Return mean, least and most."""
    known = list(values)
    return {"mean": fmean(known), "least": min(known), "most": max(known)}
