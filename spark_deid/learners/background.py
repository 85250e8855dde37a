"""Background models: CRFs of other text whose probabilities are features of a model.

They are ordinary model folders, made by ``train``; of a folder the first round is used. Some come with the package
(``data/background``), trained on public and invented text only: their folders hold their feature key as any folder
does, and since it comes with the package it is public, as is all that they know. A model names those that it uses,
with the digest of what they were when it was trained; a folder that is gone or another by now is an error, never
another result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.hashing import read_key
from spark_deid.core.numerics.arrays import Float64s
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.folders import check_files, record_hash
from spark_deid.learners.registry import LearnerSettings
from spark_deid.text.background import BackgroundUse
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import FeatureSet, feature_set
from spark_deid.text.gazetteer import gazetteer_digest
from spark_deid.text.tagging import open_packed, tagger_use
from spark_deid.text.tokenizer import ViewTokenizer, ViewTokens
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import clusters_digest

KEY, FIRST_ROUND = "feature.key", Path("rounds", "01")
"""Where a model folder has its feature key, and the model of its first round."""
NEW_MODELS = ("english",)
"""Those that new models use where the feature set has them; `public` remains for models that were trained with it."""
_SHIPPED = resources.files("spark_deid.learners") / "data" / "background"


def shipped_background() -> tuple[str, ...]:
    """Return the names of the background models that come with the package, sorted."""
    if not _SHIPPED.is_dir():
        return ()
    return tuple(sorted(each.name for each in _SHIPPED.iterdir() if (each / "model.json").is_file()))


def chosen_features(settings: LearnerSettings) -> FeatureSet:
    """Return the feature set that a learner is told to use, with the templates of its background models and its tagger.

    Raises UsageError for an unknown name, ModelError for a folder that can't be used.
    """
    background, tagger = uses_of(settings.background), tagger_use(settings.tagger)
    return feature_set(settings.features, background=background, tagger=tagger)


def uses_of(places: Sequence[str]) -> tuple[BackgroundUse, ...]:
    """Return what a model states about these background models: names of shipped ones, or model folders."""
    return tuple(_use_of(place) for place in dict.fromkeys(places))


def make_extractor(features: FeatureSet, key: bytes, folder: Path | None = None) -> FeatureExtractor:
    """Make the extractor of a feature set, its background models and tagger opened.

    The tagger is that of the model's ``folder``, where there is one. Raises ModelError where one of them is missing,
    damaged, or not the one that the features name; likewise for the gazetteers.
    """
    single = _without_background(features, key, folder)
    return replace(single, background=tuple(open_background(use) for use in features.background))


@dataclass(frozen=True, repr=False)
class BackgroundModel:
    """An opened background model; sent elsewhere, it is opened there again."""

    use: BackgroundUse
    model: CrfModel

    @property
    def tokenizer(self) -> ViewTokenizer:
        """What cuts text for this model."""
        return self.model.extractor.tokenizer

    def chances(self, view: TextView, tokens: ViewTokens) -> Float64s:
        """Return each token's probability of each label, ``[token, label]``."""
        found = self.model.probabilities(view, tokens)[:, 1:]
        return np.asarray(found.reshape(len(tokens), found.shape[1] // 2, 2).sum(2))

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        self.model.check()

    def __reduce__(self) -> tuple[object, ...]:
        return open_background, (self.use,)


@lru_cache(maxsize=16)
def open_background(use: BackgroundUse) -> BackgroundModel:
    """Open a background model and check that it is the one named, once a process."""
    folder = _folder(use.place)
    if record_hash(folder / FIRST_ROUND) != use.sha256:
        raise ModelError(
            f"background model {use.place}: expected the background model of the training, got one with another digest"
        )
    model = _open(folder, use.place)
    if model.labels != use.labels:
        raise ModelError(f"background model {use.place}: expected labels {', '.join(use.labels)}")
    return BackgroundModel(use, model)


def _use_of(place: str) -> BackgroundUse:
    folder = _folder(place)
    found = record_hash(folder / FIRST_ROUND)
    named = place if place in shipped_background() else str(folder)
    return BackgroundUse(place=named, sha256=found, labels=_open(folder, place).labels)


def _open(folder: Path, place: str) -> CrfModel:
    """Check and read a background model, which has none itself."""
    check_files(folder / FIRST_ROUND, CrfModel.form)
    model = CrfModel.read(folder / FIRST_ROUND, read_key(folder / KEY), _without_background)
    if model.extractor.features.background:
        raise UsageError(f"background: {place} has its background models. Choose a model without background models")
    return model


def _without_background(features: FeatureSet, key: bytes, folder: Path | None) -> FeatureExtractor:
    """Make an extractor whose background models are still to be opened."""
    if features.gazetteer and features.gazetteer != gazetteer_digest():
        raise ModelError("gazetteers: expected the gazetteers of the training. Train the model again with this version")
    if features.clusters and features.clusters != clusters_digest():
        raise ModelError("clusters: expected the clusters of the training. Train the model again with this version")
    return FeatureExtractor(features, key, (), open_packed(features.tagger, folder) if features.tagger else None)


def _folder(place: str) -> Path:
    if place in shipped_background():
        with resources.as_file(_SHIPPED / place) as folder:
            return folder
    folder = Path(place).resolve()
    if not (folder / FIRST_ROUND).is_dir() or not (folder / KEY).is_file():
        known = ", ".join(shipped_background()) or "there is none"
        raise ModelError(
            f"background model {place}: not found. Expected a shipped one ({known}), or a model folder with its key"
        )
    return folder
