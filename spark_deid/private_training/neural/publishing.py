"""What a publisher does: train a representation on public labelled text, and attack it before it may be given away."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import CorpusError
from spark_deid.private_training.network.layers import Weights
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.scores import BinaryScore, binary_score
from spark_deid.private_training.network.sizing import SizedPublication
from spark_deid.private_training.neural.attack import AttackSettings, assess_representation
from spark_deid.private_training.neural.fitting import TaggerSettings, fit_pooled
from spark_deid.private_training.neural.representation_fit import RepresentationSettings, fit_representation
from spark_deid.private_training.neural.representation_step import LossWeights
from spark_deid.private_training.privacy.templates import TemplateSettings, trial_sentences
from spark_deid.private_training.privacy.verdict import PrivacyVerdict

ATTACKED_SHARE = 0.3
"""The fraction of documents that no one trains on, of which attacks are counted."""


class PublicationSettings(NamedTuple):
    """How a representation is fitted, how the de-identifier is that shows its worth, and how it is attacked."""

    fit: RepresentationSettings
    tagger: TaggerSettings
    attack: AttackSettings


class PublicationTrial(NamedTuple):
    """A representation, what attacks on it found, and what a de-identifier on it finds in documents held out.

    ``epoch`` is the alternation that was kept.
    """

    weights: Weights
    verdict: PrivacyVerdict
    score: BinaryScore
    epoch: int


def settings_of(size: SizedPublication, outputs: int, strengths: LossWeights, divergence: float) -> PublicationSettings:
    """Return settings of a size; the first of ``strengths`` is lambda, the other what holds a ``divergence``."""
    training = size.training
    fit = RepresentationSettings(
        outputs=outputs,
        units=training.units,
        tagger_units=training.units,
        adversary_units=training.units,
        strength=strengths.adversaries,
        invariance=strengths.invariance,
        divergence=divergence,
        together=training.epochs,
        adversary=training.epochs,
        alternating=2 * training.epochs,
        most_sentences=training.most_sentences,
    )
    templates = TemplateSettings(sentences=size.templates, transforms=size.transforms)
    attack = AttackSettings(
        epochs=size.attack_epochs, pairs=size.pairs, units=max(32, training.units), templates=templates
    )
    return PublicationSettings(
        fit, TaggerSettings(training.units, training.epochs, most_sentences=training.most_sentences), attack
    )


def publish_representation(
    words: ReplaceableWords,
    tags: int,
    settings: PublicationSettings,
    seed: int,
    progress: Callable[[str], None] = lambda line: None,
    place: Path | None = None,
) -> PublicationTrial:
    """Fit a representation to a part of the documents, and attack it on the others.

    ``place`` is a file for the state of the fit, from which a fit that was killed continues.

    Raises CorpusError where one of both parts has no annotated word that others may represent.
    """
    training, other = words.sentences.parted(ATTACKED_SHARE, seed)
    known, unseen = words._replace(sentences=training), words._replace(sentences=other)
    for part in (known, unseen):
        if not trial_sentences(part):
            raise CorpusError(
                "training: expected annotated words with neighbours among the vectors in some documents, and in some "
                "more that are held out for attacks"
            )
    fit = fit_representation(known, tags, settings.fit, seed, progress, place)
    progress("train a de-identifier on it")
    pooled = fit_pooled(fit.representation, training, tags, settings.tagger, seed)
    score = binary_score(pooled, other, fit.representation)
    attack = settings.attack
    # An adversary that trained along continues where its network is of the size that attacks have.
    first = fit.adversary if attack.units == settings.fit.adversary_units else None
    verdict = assess_representation(fit.representation, known, unseen, attack, first, progress)
    return PublicationTrial(fit.representation, verdict, score, fit.epoch)
