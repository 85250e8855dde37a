"""What a model's training says of the identifiers that it leaves: the certificate of a release.

Every number comes from the labelled text the model was trained on, counted out of fold. The round that failed the stop
test, the same learner, stands in for the attacker's best classifier (Li, Vorobeychik, Li and Malin, Algorithm 1 and
Theorems 2 and 3).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from spark_deid.core.errors import ModelError
from spark_deid.core.overlaps import JOINED_OVER
from spark_deid.greedy.game.bounds import GameBound, theorem_2, theorem_3
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.report import Json
from spark_deid.text.gazetteer import COPIED


@dataclass(frozen=True)
class RiskCertificate:
    """Residual risk on labelled text: ``tokens`` of which ``sensitive`` are identifiers and ``residual`` were left.

    ``identified`` and ``in_vain`` are the true and false positives of the classifier that failed the stop test, None
    where the loop did not end by it. ``bound`` is what Theorem 3 lets an attacker of the same hypothesis space identify
    at most, if the text is a local optimum for him as it is for that classifier; None where it does not apply.
    ``simulated`` tells whether all detectors of the plan took part in training's rounds,
    ``decoded_alike`` whether the release decodes as they did, and ``joined_alike`` whether neighbouring pieces became
    one placeholder in them as in releases (contract, law 3), and ``copied_alike`` whether they copied a text that was
    found to its other places by the rule of releases. Decoding by cost copies none.
    """

    labels: tuple[str, ...]
    loss_ratio: float
    rounds: int
    tokens: int
    sensitive: int
    residual: int
    identified: int | None
    in_vain: int | None
    bound: int | None
    out_of_fold: bool
    local_optimum: bool
    enough_text: bool
    simulated: bool
    decoded_alike: bool
    joined_alike: bool
    copied_alike: bool

    @property
    def residual_ratio(self) -> float:
        """Return the share of the identifier tokens that is left."""
        return self.residual / self.sensitive if self.sensitive else 0.0

    @property
    def identified_ratio(self) -> float:
        """Return the share of the identifier tokens that the stand-in attacker identifies; without one, all left."""
        found = self.residual if self.identified is None else self.identified
        return found / self.sensitive if self.sensitive else 0.0

    def to_json(self) -> dict[str, Json]:
        """Return the certificate with its shares and its words; no text of any document."""
        return {
            **asdict(self),
            "labels": list(self.labels),
            "residual_ratio": self.residual_ratio,
            "identified_ratio": self.identified_ratio,
            "statements": list(statements(self)),
        }


def certify(training: Mapping[str, Any], *, simulated: bool, decoded_alike: bool = True) -> RiskCertificate:
    """Read a training report; ``simulated`` and ``decoded_alike`` are as in the certificate.

    Raises ModelError where its numbers can't be those of a training.
    """
    try:
        certificate = _certificate(training, simulated=simulated, decoded_alike=decoded_alike)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise ModelError(f"training report: damaged ({type(error).__name__})") from None
    if not _is_possible(certificate):
        raise ModelError("training report: expected counts of a training: not negative, and parts no more than wholes")
    return certificate


def _is_possible(found: RiskCertificate) -> bool:
    """Tell whether counts are whole, not negative, and fit into one another and the stop test."""
    counts = (found.tokens, found.sensitive, found.residual, found.rounds, found.identified or 0, found.in_vain or 0)
    whole = all(type(count) is int and count >= 0 for count in counts)
    nested = (found.identified or 0) <= found.residual <= found.sensitive <= found.tokens
    ratio = found.loss_ratio
    if not (whole and nested and isinstance(ratio, int | float) and isfinite(ratio) and ratio > 0):
        return False
    wasted = (found.in_vain or 0) <= found.tokens - found.sensitive
    stopped = theorem_2(ConfusionCounts(found.identified or 0, found.in_vain or 0, 0, 0), ratio)
    return wasted and (stopped or not found.local_optimum)


def _certificate(training: Mapping[str, Any], *, simulated: bool, decoded_alike: bool) -> RiskCertificate:
    rounds, settings, data, last = training["rounds"], training["settings"], training["data"], training["attacker"]
    kept = [entry for entry in rounds if entry["kept"]]
    residual = (
        last["sensitive_tokens"]
        if last is not None
        else kept[-1]["sensitive_tokens"] - kept[-1]["true_positives"]
        if kept
        else data["sensitive_tokens"]
    )
    bound = None if last is None else _bound(last, data, settings["loss_ratio"])
    return RiskCertificate(
        labels=tuple(settings["labels"]),
        loss_ratio=settings["loss_ratio"],
        rounds=len(kept),
        tokens=data["tokens"],
        sensitive=data["sensitive_tokens"],
        residual=residual,
        identified=None if last is None else last["true_positives"],
        in_vain=None if last is None else last["false_positives"],
        bound=int(bound.value) if bound and bound.applies and not bound.is_vacuous else None,
        out_of_fold=settings["counts"] == "oof",
        local_optimum=bool(training["local_optimum"]),
        enough_text=training["ended_by"] != "few_tokens",
        simulated=simulated,
        decoded_alike=decoded_alike,
        joined_alike=training.get("joined_over") == JOINED_OVER,
        copied_alike=settings["decoding"] == "cost" or training.get("copied") == COPIED,
    )


def _bound(last: Mapping[str, Any], data: Mapping[str, Any], loss_ratio: float) -> GameBound:
    """Return Theorem 3's bound for the classifier that failed the stop test, by its own counts."""
    hits, wasted, sensitive = last["true_positives"], last["false_positives"], last["sensitive_tokens"]
    counts = ConfusionCounts(hits, wasted, sensitive - hits, last["tokens"] - wasted - sensitive)
    return theorem_3(counts, data["tokens"] - data["sensitive_tokens"], loss_ratio, same_space=True)


def refusals(
    certificate: RiskCertificate, *, loss_ratio: float, max_identified: float | None, max_residual: float | None
) -> tuple[str, ...]:
    """Say why a certificate does not meet what a plan demands; nothing where it does.

    ``loss_ratio`` is the least that training must have weighed; the others are shares of the identifier tokens.
    """
    checks = (
        (certificate.sensitive > 0, "the labelled text had no identifiers, so the risk is unknown"),
        (certificate.out_of_fold, "training counted on its own training data: train with --counts oof"),
        (
            certificate.enough_text,
            "the remaining labelled text is too small to estimate the risk. Do not publish data with this model",
        ),
        (certificate.local_optimum, "the stop test did not end training: raise --max-rounds"),
        (
            certificate.loss_ratio >= loss_ratio,
            f"the model was trained for a loss ratio of {certificate.loss_ratio:g}, expected at least {loss_ratio:g}",
        ),
        (certificate.simulated, "a detector of the plan was not part of the simulated rounds. Train with --patterns"),
        (
            certificate.decoded_alike,
            "the release decodes in another way than training did: name the same in --decoding and the plan's decoding",
        ),
        (
            certificate.joined_alike,
            "training joined neighbouring placeholders by another rule than releases, which join over "
            f"{JOINED_OVER}. Train the model again",
        ),
        (
            certificate.copied_alike,
            "training copied the texts that it found by another rule than releases do, which is "
            f"{COPIED}: train the model again",
        ),
        (
            max_identified is None or certificate.identified_ratio <= max_identified,
            f"{certificate.identified_ratio:.4f} of the identifiers are identified, expected at most {max_identified}",
        ),
        (
            max_residual is None or certificate.residual_ratio <= max_residual,
            f"{certificate.residual_ratio:.4f} of the identifiers remain, expected at most {max_residual}",
        ),
    )
    return tuple(message for holds, message in checks if not holds)


def statements(certificate: RiskCertificate) -> tuple[str, ...]:
    """Say in plain words what the numbers mean, and what they rest on."""
    by = "out of fold" if certificate.out_of_fold else "on the training data itself, which flatters"
    lines = [
        f"On the labelled text of training, counted {by}, {certificate.residual:,} of "
        f"{certificate.sensitive:,} identifier words remain after {certificate.rounds} rounds."
    ]
    if certificate.identified is not None:
        lines.append(
            f"An attacker with the next classifier would identify {certificate.identified:,} of them, with "
            f"{certificate.in_vain:,} false positives. A leak cost {certificate.loss_ratio:g} times a false "
            "positive. This attacker has the same learner and the same features, so it is not the best "
            "possible attacker."
        )
    if certificate.bound is not None:
        lines.append(
            f"Theorem 3 of GreedySanitize limits such an attacker to {certificate.bound:,} of them, if the "
            "release is a local optimum for the attacker as well (Theorem 2). Training cannot show this for "
            "a release. An attack on the release counts whether it is true."
        )
    if not certificate.local_optimum:
        lines.append("The stop test did not end training, so the finds of one more classifier have no bound.")
    if not certificate.enough_text:
        lines.append(
            "The remaining labelled text is too small to estimate the risk. Do not publish data with this model."
        )
    if not certificate.simulated:
        lines.append("The count does not include the other detectors of the plan.")
    if not certificate.decoded_alike:
        lines.append("The release decodes in another way than the rounds that were counted.")
    if not certificate.joined_alike:
        lines.append(
            "The rounds that were counted joined neighbouring placeholders by another rule than releases, so they "
            "counted other texts than are released."
        )
    if not certificate.copied_alike:
        lines.append(
            "The rounds that were counted copied a text that they found by another rule than releases do, so they "
            "counted other texts than are released."
        )
    lines.append(
        "An attacker with better features, other data or knowledge of the people may find more. All counts "
        "are on the labelled text. Other kinds of text may differ."
    )
    lines.append("Hashes detect a changed model folder, but not false measurements by the creator of the model.")
    return tuple(lines)
