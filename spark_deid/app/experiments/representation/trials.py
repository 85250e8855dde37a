"""Trials of private representations: each is one file, so that a run which was cut off continues where it was."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spark_deid.app.experiments.settings import RepresentationExperimentSettings
from spark_deid.app.experiments.trial_files import kept_trial
from spark_deid.core.document import Document
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.network.encoding import TextEncoder
from spark_deid.private_training.network.replaceable import ReplaceableWords, encode_documents, with_candidates
from spark_deid.private_training.network.scores import BinaryScore, binary_score
from spark_deid.private_training.network.sentence_set import LabelledSentence, SentenceSet
from spark_deid.private_training.network.tagging import NO_CASING
from spark_deid.private_training.privacy.templates import TemplateSettings
from spark_deid.private_training.training_method import DEFAULT_DIVERGENCE, invariance_of
from spark_deid.text.bio import tag_names

Progress = Callable[[str], None]


class RepresentationTrial(NamedTuple):
    """One training: of text with pseudonyms (``d`` is 0), or of a representation of ``d`` numbers."""

    neighbours: int
    d: int
    seed: int

    @property
    def name(self) -> str:
        """Return the name of the trial's file."""
        kind = f"representation-{self.d}" if self.d else "pseudonyms"
        return f"{kind}-{self.neighbours}-{self.seed}.json"

    @property
    def state(self) -> str:
        """Return the name of the file that has the state of the trial's training."""
        return self.name.removesuffix(".json") + ".state.npz"


class TrialData(NamedTuple):
    """Sentences of both corpora on one table of vectors, the number of tags, and those that are scored if not all."""

    training: ReplaceableWords
    test: ReplaceableWords
    tags: int
    scored: tuple[int, ...] | None


def trials_of(settings: RepresentationExperimentSettings) -> Iterator[RepresentationTrial]:
    """Yield what is tried, seed by seed, so that a run that is cut off has something of all."""
    for seed in settings.seeds:
        for neighbours in settings.pseudonyms:
            yield RepresentationTrial(neighbours, 0, seed)
        for d in settings.outputs:
            for neighbours in settings.private:
                yield RepresentationTrial(neighbours, d, seed)


def run_trials(
    training: Sequence[Document],
    test: Sequence[Document],
    settings: RepresentationExperimentSettings,
    folder: Path,
    progress: Progress,
) -> list[dict[str, Any]]:
    """Carry out every trial that has no file yet, and return what all found."""
    folder.mkdir(parents=True, exist_ok=True)
    data: dict[int, TrialData] = {}

    def carry_out(trial: RepresentationTrial) -> dict[str, Any]:
        return {**trial._asdict(), **_carry_out(trial, data[trial.neighbours], settings, folder, progress)}

    found = []
    for trial in trials_of(settings):
        place = folder / trial.name
        if not place.exists():
            progress(f"trial {trial.name.removesuffix('.json')}")
            if trial.neighbours not in data:
                data.clear()  # tables of neighbours are large
                data[trial.neighbours] = _data(training, test, settings, trial.neighbours)
        found.append(kept_trial(place, partial(carry_out, trial)))
        (folder / trial.state).unlink(missing_ok=True)
    return found


def _data(
    training: Sequence[Document],
    test: Sequence[Document],
    settings: RepresentationExperimentSettings,
    neighbours: int,
) -> TrialData:
    documents = [*training, *test]
    labels = labels_of(training)
    scored = scored_tags(labels, settings.labels)
    encoded = encode_documents(documents, labels, TextEncoder(open_store(settings.embeddings)))
    words = with_candidates(encoded, max(neighbours, 2))
    kept = [len(sentence.rows) <= settings.longest for sentence in words.sentences.sentences]
    words = words._replace(sentences=words.sentences.chosen(kept))
    if settings.casing == "off":
        words = words._replace(sentences=without_casing(words.sentences))
    is_test = [sentence.document >= len(training) for sentence in words.sentences.sentences]
    return TrialData(
        words._replace(sentences=words.sentences.chosen([not each for each in is_test])),
        words._replace(sentences=words.sentences.chosen(is_test)),
        len(tag_names(labels)),
        scored,
    )


def labels_of(documents: Sequence[Document]) -> list[str]:
    """Return the labels of documents, sorted."""
    return sorted({span.label for document in documents for span in document.spans})


def scored_tags(labels: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...] | None:
    """Return the tags of the wanted labels, or None for all."""
    if not wanted:
        return None
    return tuple(number for number, name in enumerate(tag_names(labels)) if name[2:] in wanted)


def without_casing(sentences: SentenceSet) -> SentenceSet:
    """Return sentences whose tokens have no casing, which networks read as zeros."""
    return sentences._replace(
        sentences=tuple(each._replace(casings=np.full_like(each.casings, NO_CASING)) for each in sentences.sentences)
    )


def _carry_out(
    trial: RepresentationTrial,
    data: TrialData,
    settings: RepresentationExperimentSettings,
    folder: Path,
    progress: Progress,
) -> Mapping[str, Any]:
    if not trial.d:
        return _with_pseudonyms(trial, data, settings)
    return _with_representation(trial, data, settings, folder / trial.state, progress)


def _with_pseudonyms(
    trial: RepresentationTrial, data: TrialData, settings: RepresentationExperimentSettings
) -> dict[str, Any]:
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural.fitting import TaggerSettings, fit_tagger

    rng = np.random.default_rng(trial.seed)
    sentences = pseudonymize_words(data.training, trial.neighbours, rng)
    fit = fit_tagger(sentences, data.tags, TaggerSettings(settings.units, settings.epochs), trial.seed)
    return {"score": _score_json(binary_score(fit.weights, data.test.sentences, scored=data.scored))}


def pseudonymize_words(words: ReplaceableWords, neighbours: int, rng: np.random.Generator) -> SentenceSet:
    """Return sentences whose annotated words are drawn among as many nearest, themselves one of them (the paper's way).

    Casings remain.
    """

    def written(sentence: LabelledSentence) -> LabelledSentence:
        rows = sentence.rows.copy()
        for place in words.places(sentence).tolist():
            others = words.candidates[int(rows[place])][: neighbours - 1]
            number = int(rng.integers(len(others) + 1))
            rows[place] = rows[place] if number == 0 else others[number - 1]
        return sentence._replace(rows=rows)

    return words.sentences._replace(sentences=tuple(map(written, words.sentences.sentences)))


def _with_representation(
    trial: RepresentationTrial,
    data: TrialData,
    settings: RepresentationExperimentSettings,
    place: Path,
    progress: Progress,
) -> dict[str, Any]:
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural.attack import AttackSettings, assess_representation
    from spark_deid.private_training.neural.fitting import TaggerSettings, fit_pooled
    from spark_deid.private_training.neural.representation_fit import RepresentationSettings, fit_representation

    own = RepresentationSettings(
        outputs=trial.d,
        units=settings.units,
        tagger_units=settings.units,
        adversary_units=settings.units,
        together=settings.epochs,
        adversary=settings.epochs,
        method=settings.method,
        alternating=settings.alternations or 2 * settings.epochs,
        invariance=invariance_of(settings.method, settings.invariance),
        divergence=settings.divergence or DEFAULT_DIVERGENCE,
    )
    fit = fit_representation(data.training, data.tags, own, trial.seed, progress, place)
    tagger = TaggerSettings(settings.units, settings.epochs)
    pooled = fit_pooled(fit.representation, data.training.sentences, data.tags, tagger, trial.seed)
    score = binary_score(pooled, data.test.sentences, fit.representation, data.scored)
    progress(f"F1 {score.f1:.4f}")
    attack = AttackSettings(
        seeds=settings.adversaries,
        epochs=settings.attack_epochs,
        pairs=settings.attack_pairs,
        units=settings.units,
        templates=TemplateSettings(sentences=settings.templates, transforms=settings.transforms),
    )
    verdict = assess_representation(fit.representation, data.training, data.test, attack, fit.adversary, progress)
    losses = [each._asdict() for each in fit.losses]
    return {"score": _score_json(score), "privacy": verdict.to_json(), "epoch": fit.epoch, "losses": losses}


def _score_json(score: BinaryScore) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}
