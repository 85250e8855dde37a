"""Trials of private representations and of surrogates as figures of a page: means over seeds with ranges."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from spark_deid.app.experiments.settings import RepresentationExperimentSettings, SurrogatesExperimentSettings
from spark_deid.core.report_section import LinePlot, PlotLine, Point

Trial = Mapping[str, Any]
PSEUDONYMS = "pseudonyms"


def representation_figures(trials: Sequence[Trial], settings: RepresentationExperimentSettings) -> dict[str, Any]:
    """Return what a page shows: a row for each N and d, and Figures 4 and 5 of the paper as far as they were tried."""
    rows = list(summary(trials))
    return {"settings": settings.model_dump(mode="json"), "summary": rows, "plots": list(plots(rows))}


def summary(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield means and ranges over the seeds of every N and d; of attacks the worst of all."""
    groups: dict[tuple[int, int], list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial["d"], trial["neighbours"]].append(trial)
    for (d, neighbours), group in sorted(groups.items()):
        scores = [trial["score"]["f1"] for trial in group]
        row = {
            "kind": f"d = {d}" if d else PSEUDONYMS,
            "d": d,
            "neighbours": neighbours,
            "seeds": len(group),
            "f1": round(fmean(scores), 4),
            "f1_least": round(min(scores), 4),
            "f1_most": round(max(scores), 4),
        }
        yield row | (_attacked([trial["privacy"] for trial in group]) if d else {})


def _attacked(group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    attacks = [attack for privacy in group for attack in privacy["attacks"]]
    worst = {name: _worst(attacks, name) for name in dict.fromkeys(attack["attack"] for attack in attacks)}
    controls = [control["accuracy"] for privacy in group for control in privacy["controls"]]
    return {
        "let_out": sum(bool(privacy["holds"]) for privacy in group),
        "attacks": worst,
        "control": round(min(controls), 4) if controls else None,
    }


def _worst(attacks: Iterable[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return the attack of a name whose interval reaches highest above a guess."""
    found = max((each for each in attacks if each["attack"] == name), key=lambda each: each["high"] - each["chance"])
    return {part: found[part] for part in ("chance", "accuracy", "low", "high")}


def plots(rows: Sequence[Mapping[str, Any]]) -> Iterator[LinePlot]:
    """Yield F1 by N, and what the adversary that trained on shows by N."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    yield _plot(
        "f1", "Binary token F1 by N", "F1", [_line(rows, kind, number, "f1") for number, kind in enumerate(kinds)]
    )
    private = [kind for kind in kinds if kind != PSEUDONYMS]
    if private:
        lines = [_line(rows, kind, number, "adversary") for number, kind in enumerate(private)]
        yield _plot("adversary", "Pairs that the worst adversary guesses correctly, by N", "share", lines)


def _plot(name: str, title: str, upward: str, lines: Sequence[PlotLine]) -> LinePlot:
    return {"name": name, "title": title, "across": "N", "upward": upward, "linear": False, "lines": lines}


def _line(rows: Iterable[Mapping[str, Any]], kind: str, colour: int, figure: str) -> PlotLine:
    own = [row for row in rows if row["kind"] == kind]
    if figure == "f1":
        points: list[Point] = [(row["neighbours"], row["f1"]) for row in own]
        ranges = [(row["f1_least"], row["f1_most"]) for row in own]
    else:
        worst = [max((row["attacks"][name] for name in ("T1", "T2", "mean of both")), key=_high) for row in own]
        points = [(row["neighbours"], each["accuracy"]) for row, each in zip(own, worst, strict=True)]
        ranges = [(each["low"], each["high"]) for each in worst]
    return {"name": kind, "colour": colour, "dashed": kind == PSEUDONYMS, "points": points, "ranges": ranges}


def _high(attack: Mapping[str, float]) -> float:
    return attack["high"]


def surrogates_figures(trials: Sequence[Trial], settings: SurrogatesExperimentSettings) -> dict[str, Any]:
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
