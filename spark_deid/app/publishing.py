"""Train representations that may be given away, where attacks on them fail, and de-identifiers on what they make."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.app.figures import CommandFigures, Json
from spark_deid.app.inputs import Progress, annotation_check, check_all, no_progress, read_labelled, reading_check
from spark_deid.app.options.representation import PoolOptions, TrainRepresentationOptions
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.labels import plain_label
from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.files import FittedRound, check_destination
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.private_training.embeddings.store import EmbeddingStore, open_store
from spark_deid.private_training.network.encoding import TextEncoder
from spark_deid.private_training.network.model import BilstmModel
from spark_deid.private_training.network.replaceable import encode_documents, with_candidates
from spark_deid.private_training.network.representation_folder import read_representation, write_representation
from spark_deid.private_training.network.sentence_set import read_vectors
from spark_deid.private_training.network.sizing import choose_size, sized_publication
from spark_deid.private_training.training_method import (
    DEFAULT_DIVERGENCE,
    invariance_of,
)
from spark_deid.release.commit import TABLE, verify_release
from spark_deid.storage.delta_log import added_files
from spark_deid.storage.files import absolute_path, is_remote, local_path
from spark_deid.storage.folder import folder_at
from spark_deid.text.bio import tag_names

if TYPE_CHECKING:
    from spark_deid.core.document import Document
    from spark_deid.private_training.network.representation_folder import PublishedRepresentation
    from spark_deid.private_training.neural.publishing import PublicationTrial

FIGURES = ".privacy.json"
"""What a training's output is called with this after it has the figures of every attack."""
STATE = ".state.npz"
"""The same for the state of a training that is not finished: its owner's only."""
_CHOSEN = (
    "neighbours",
    "dimensions",
    "strength",
    "minutes",
    "units",
    "epochs",
    "alternations",
    "attack_epochs",
    "seed",
)


@dataclass(frozen=True)
class RepresentationFigures(CommandFigures):
    """A representation that may be given away: what a de-identifier on it finds, and what attacks on it found.

    ``f1`` is of binary tokens of documents held out; ``report`` is the file of every attack.
    """

    output: str
    documents: int
    precision: float
    recall: float
    f1: float
    privacy: Json
    report: str
    seconds: float


@dataclass(frozen=True)
class PoolingFigures(CommandFigures):
    """A model of pooled vectors: what it was trained on, and its epoch and loss on sentences held out."""

    output: str
    releases: int
    sentences: int
    tokens: int
    labels: tuple[str, ...]
    epoch: int
    loss: float
    seconds: float


def train_representation(
    options: TrainRepresentationOptions, progress: Progress = no_progress
) -> RepresentationFigures:
    """Train a representation on public labelled text, attack it, and write it where every attack fails.

    What attacks found is written next to the output either way. Until then, a file next to the output has the state
    after each epoch, and the same call continues a training that was killed, to equal arrays. Raises GateRefused if an
    attack succeeds, or the adversary is too weak to show anything, UsageError for wrong options, for the state of
    another training, and if JAX is not installed.
    """
    began = time.monotonic()
    check_neural()
    check_all(
        *reading_check(options.input, options.format, options.options),
        *annotation_check(options.input, options.format, options.options, "leave"),
        partial(check_destination, options.output),
        partial(_public_store, options.embeddings),
    )
    store = _public_store(options.embeddings)
    documents = read_labelled(options.input, options.format, options.options, "leave", progress)
    labels = tuple(sorted({plain_label(span.label) for document in documents for span in document.spans}))
    trial = _trained(documents, labels, store, options, progress)
    score = trial.score
    figures = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    record = {**trial.verdict.to_json(), "score": {name: round(value, 4) for name, value in figures.items()}}
    record["settings"] = {
        **options.model_dump(mode="json", include=set(_CHOSEN)),
        "method": options.method,
        "invariance": invariance_of(options.method, options.invariance),
        "divergence": options.divergence or DEFAULT_DIVERGENCE if options.method == "divergence" else None,
    }
    privacy = (json.dumps(record, indent=1) + "\n").encode()
    report = Path(f"{options.output}{FIGURES}")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_bytes(privacy)
    _state_of(options).unlink(missing_ok=True)
    if not trial.verdict.holds:
        stricter = "a lower --divergence" if options.method == "divergence" else "--method divergence"
        raise GateRefused(
            f"no model is exported: {'; '.join(trial.verdict.reasons)}. {report} has all results. More "
            f"--neighbours, {stricter}, more --minutes, or more labelled text may help"
        )
    if options.output.is_dir():
        options.output.rmdir()
    write_representation(
        options.output, trial.weights, store=store, neighbours=options.neighbours, labels=labels, privacy=privacy
    )
    seconds = round(time.monotonic() - began, 3)
    return RepresentationFigures(
        str(options.output), len(documents), **figures, privacy=record, report=str(report), seconds=seconds
    )


def _trained(
    documents: "tuple[Document, ...]",
    labels: tuple[str, ...],
    store: EmbeddingStore,
    options: TrainRepresentationOptions,
    progress: Progress,
) -> "PublicationTrial":
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural.publishing import publish_representation, settings_of
    from spark_deid.private_training.neural.representation_step import LossWeights

    plain = [
        document._replace(spans=tuple(span._replace(label=plain_label(span.label)) for span in document.spans))
        for document in documents
    ]
    progress("search the neighbours of annotated words")
    words = with_candidates(encode_documents(plain, labels, TextEncoder(store)), options.neighbours)
    sentences = words.sentences
    size = sized_publication(
        options.minutes,
        len(sentences.sentences),
        sentences.tokens,
        max(store.about.dimensions, options.dimensions),
        options.units,
        options.epochs,
    )
    if options.attack_epochs is not None:
        size = size._replace(attack_epochs=options.attack_epochs)
    progress(
        f"{len(sentences.sentences)} sentences: {size.training.units} units, {size.training.epochs} epochs, "
        f"{size.attack_epochs} of each attack"
    )
    strengths = LossWeights(options.strength, invariance_of(options.method, options.invariance))
    settings = settings_of(size, options.dimensions, strengths, options.divergence or DEFAULT_DIVERGENCE)
    fit = settings.fit._replace(method=options.method)
    if options.alternations is not None:
        fit = fit._replace(alternating=options.alternations)
    place = _state_of(options)
    place.parent.mkdir(parents=True, exist_ok=True)
    return publish_representation(
        words, len(tag_names(labels)), settings._replace(fit=fit), options.seed, progress, place
    )


def _state_of(options: TrainRepresentationOptions) -> Path:
    return Path(f"{options.output}{STATE}")


def pool(options: PoolOptions, progress: Progress = no_progress) -> PoolingFigures:
    """Train a de-identifier on vectors of several institutions, and write it with the representation as one model.

    Raises UsageError for releases that are none of vectors, or of another representation, ChangedReleaseError for one
    that was changed, and ModelError for a representation that is damaged or of other vectors.
    """
    began = time.monotonic()
    check_neural()
    place = absolute_path(options.embeddings)
    check_all(partial(open_store, place), partial(check_destination, options.output))
    store = open_store(place)
    representation = open_published(options.representation, store)
    progress(f"read {len(options.releases)} tables of vectors")
    files = [file for release in options.releases for file in _files_of(release, representation)]
    return replace(_pooled(files, representation, store, options, progress), seconds=round(time.monotonic() - began, 3))


def _pooled(
    files: list[Path],
    representation: "PublishedRepresentation",
    store: EmbeddingStore,
    options: PoolOptions,
    progress: Progress,
) -> PoolingFigures:
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural.fitting import TaggerSettings, fit_tagger

    sentences, labels = read_vectors(files, representation.outputs)
    if not labels:
        raise UsageError("representation pool: expected tokens with a label in the tables of vectors")
    count = len(sentences.sentences)
    size = choose_size(options.minutes, count, sentences.tokens, representation.outputs)
    progress(f"train a de-identifier on {count} sentences: {size.units} units, {size.epochs} epochs")
    settings = TaggerSettings(size.units, size.epochs, most_sentences=size.most_sentences)
    fit = fit_tagger(sentences, len(tag_names(labels)), settings, options.seed)
    model = BilstmModel(
        encoder=TextEncoder(store), labels=labels, weights=fit.weights, representation=representation.weights
    )
    report: dict[str, Any] = {
        "pooled": {"releases": len(options.releases), "sentences": count, "representation": representation.digest}
    }
    GreedySanitizer(
        labels=labels,
        loss_ratio=10.0,
        decoding="viterbi",
        rounds=(FittedRound(model, PLAIN, "bilstm"),),
        report=report,
    ).save(options.output)
    loss = round(fit.losses[fit.epoch], 4)
    return PoolingFigures(
        str(options.output), len(options.releases), count, sentences.tokens, labels, fit.epoch, loss, 0.0
    )


def _files_of(release: str, representation: "PublishedRepresentation") -> list[Path]:
    """Return the files of a release of vectors; raises UsageError, ReleaseError and ChangedReleaseError."""
    if is_remote(release):
        raise UsageError(f"{release}: expected a local folder, or a folder that this machine mounts as a local path")
    made_with = _statement(verify_release(release)).get("representation")
    if made_with is None:
        raise UsageError(f"{release}: expected a release of vectors, written by representation transform")
    if made_with != representation.digest:
        raise UsageError(f"{release}: its vectors belong to another representation")
    return [Path(local_path(release), TABLE, name) for name in added_files(folder_at(release).child(TABLE))]


def _statement(manifest: Mapping[str, object]) -> Mapping[str, object]:
    found = manifest.get("vectors")
    return found if isinstance(found, Mapping) else {}


def open_published(folder: Path, store: EmbeddingStore) -> "PublishedRepresentation":
    """Return a representation that its publisher published; raises ModelError."""
    return read_representation(folder, store)


def check_neural() -> None:
    """Raise UsageError where JAX is not installed, before anything is read."""
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural import framework

    assert framework.INSTALL


def _public_store(place: str) -> EmbeddingStore:
    store = open_store(absolute_path(place))
    if store.about.private:
        raise UsageError(
            f"{place}: the vectors come from a private corpus. Train a representation for publication with public "
            "vectors"
        )
    return store
