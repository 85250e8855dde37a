"""Manifests: everything about a run for the workspace, and the part of it that a release lets out."""

import hmac
import json
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import UsedModel
from spark_deid.core.labels import OTHER_LABELS
from spark_deid.core.span import GOLD
from spark_deid.core.version import VERSION
from spark_deid.engine.engines import describe_engine
from spark_deid.rewriting.telling_labels import consists_of_tags

Counts = Mapping[str, int]
Counted = Mapping[str, str]
"""What guarantees count, by their names: ``subject``, ``document`` or ``occurrence``."""


SEALED = "sealed"
"""Under this name a guarantee's statement lists hashes of files of the user's own."""


@dataclass(frozen=True)
class InputRecord:
    """What was read: where, in what state, how much; ``content`` is the digest of ``release.spark.Content``."""

    path: str
    format: str
    documents: int
    characters: int
    content: str
    delta_version: int | None = None
    inventory: Counts = field(default_factory=dict)


@dataclass(frozen=True)
class RunTimes:
    """When a run began and ended (ISO 8601, UTC), and the seconds of its stages in order."""

    started: str
    finished: str
    stages: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class WordCounts:
    """Word tokens of the originals, and those of them that no edit touches."""

    total: int
    published: int

    @property
    def publish_ratio(self) -> float:
        """Return the share of words that no edit touches; 1 for a corpus without words."""
        return self.published / self.total if self.total else 1.0


@dataclass(frozen=True)
class Manifest:
    """All that is known about a run; counts and settings, never document text.

    ``plan`` is the resolved plan and ``fingerprint`` its hash; ``public_plan`` is the part that may be published: no
    paths, term lists or secrets. ``spans`` counts by source and label, ``edits`` by technique and label (never by what
    was written, which may be made of the original), ``handed_back`` spans that a technique did not replace, by
    technique and reason. ``rejects`` counts records by reason, and an input that represents an unknown number of
    them as one; ``unknown_rejects`` counts these inputs. ``passed_over`` counts files of other suffixes and hidden
    names. ``edited``
    names the detectors whose spans are edited. ``placeholders`` lists what was written that says nothing of the
    original. ``counts_by`` says what each guarantee counted that is a claim about how many share something,
    ``subjects`` how many documents name a person and ``persons`` how many persons these are. ``residuals`` counts
    removed pieces of text that stand in what is published, by where and label, and ``residual_documents`` the
    documents of which that is so, with the least ids, as they are released; both stay in the workspace, whose manifest
    alone shows ids that may hold removed text. ``remaining_names`` counts words of removed names that remain in texts
    of the same person, by label. It is also for the workspace only.
    ``statements`` has what guarantees say besides: ``residual_risk`` is the certificate of the model's training. Hashes
    that it lists as ``SEALED`` are of the user's own files: a release has keyed hashes of them. ``gold_in_clear``
    counts annotations that are not edited and keep a word, by label, ``gold_untouched`` those that keep all;
    ``looked_for`` are the labels that edited detectors may write. ``named`` are those that plan, models and detectors
    name, and ``hidden_labels`` other ones that would tell removed text, each with what stands for it everywhere.
    ``table`` says what lies beside the texts: how many rows of which columns. ``missed_names`` estimates how many words
    of names no edit touches, or says why nothing does (``core.missed_names``).
    """

    plan: Mapping[str, object]
    fingerprint: str
    inputs: tuple[InputRecord, ...]
    times: RunTimes
    words: WordCounts
    documents: int
    rejects: Counts
    spans: Mapping[str, Counts]
    edits: Mapping[str, Counts]
    counts_by: Counted
    subjects: int = 0
    persons: int = 0
    models: tuple[UsedModel, ...] = ()
    assessments: tuple[Assessment, ...] = ()
    edited: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    gold_unedited: int = 0
    passed_over: int = 0
    unknown_rejects: int = 0
    public_plan: Mapping[str, object] = field(default_factory=dict)
    placeholders: tuple[str, ...] = ()
    handed_back: Mapping[str, Counts] = field(default_factory=dict)
    statements: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    residuals: Mapping[str, Counts] = field(default_factory=dict)
    residual_documents: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    remaining_names: Mapping[str, Counts] = field(default_factory=dict)
    gold_in_clear: Counts = field(default_factory=dict)
    gold_untouched: Counts = field(default_factory=dict)
    looked_for: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    hidden_labels: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, object] = field(default_factory=dict)
    missed_names: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the manifest of the workspace, as a JSON value."""
        return {
            **_common(self),
            "kind": "workspace",
            "plan": dict(self.plan),
            "fingerprint": self.fingerprint,
            "inputs": [_plain(record) for record in self.inputs],
            "models": [{n: v for n, v in model._asdict().items() if n != "training"} for model in self.models],
            "assessments": [assessment._asdict() for assessment in self.assessments],
            "warnings": list(self.warnings),
            "removed_and_published": {place: dict(counts) for place, counts in self.residuals.items()},
            "documents_with_removed": {
                place: {"documents": documents, "ids": list(ids)}
                for place, (documents, ids) in self.residual_documents.items()
            },
            "remaining_names": {label: dict(counts) for label, counts in self.remaining_names.items()},
            "labels_hidden": {shown: label for label, shown in self.hidden_labels.items()},
        }


def release_view(manifest: Manifest, key: bytes) -> dict[str, object]:
    """Return the manifest of the release: what its readers may know.

    It has counts, labels, hashes of models, versions, times, and one HMAC over all inputs and the public plan. It has
    no path, document id, file name, evidence or warning, and no plain hash of an original, with which anyone could
    test guesses.
    """
    inputs = sorted((record.format, record.documents, record.content) for record in manifest.inputs)
    sealed = write_json({"inputs": [list(record) for record in inputs], "plan": dict(manifest.public_plan)})
    times = {**_times(manifest), "stages": [_public_stage(*stage) for stage in manifest.times.stages]}
    return {
        **_common(manifest),
        "spans": _public_spans(manifest),
        "gold_in_clear": _public_labels(manifest.gold_in_clear, known_labels(manifest)),
        "gold_untouched": _public_labels(manifest.gold_untouched, known_labels(manifest)),
        "kind": "release",
        "times": times,
        "plan": dict(manifest.public_plan),
        "inputs": {"documents": sum(record.documents for record in manifest.inputs)},
        **_sealed(manifest.statements, key),
        "hmac_sha256": hmac.new(key, sealed.encode(), sha256).hexdigest(),
        "models": [
            {"name": PurePath(m.path).name, "sha256": m.sha256, "labels": list(m.labels), "rounds": m.rounds}
            for m in manifest.models
        ],
        "assessments": [
            {"guarantee": a.guarantee, "value": a.value, "threshold": a.threshold, "satisfied": a.satisfied}
            | ({"counts_by": unit} if (unit := manifest.counts_by.get(a.guarantee)) else {})
            for a in manifest.assessments
        ],
    }


def known_labels(manifest: Manifest) -> frozenset[str]:
    """Return the labels that may leave the workspace: those that a detector wrote, or an edited one may write.

    Labels of annotations that are not edited are words of the input: whoever annotated may have written a name there.
    """
    written = (label for source, labels in manifest.spans.items() if source != GOLD for label in labels)
    return frozenset((*written, *manifest.looked_for))


def words_apart(manifest: Manifest) -> tuple[str, ...]:
    """Return the words that stand in a manifest and a report by right: labels that are named, times and versions.

    Other labels are looked through as all else is: a release in which one holds what was removed is refused.
    """
    counted = {label for counts in (manifest.spans, manifest.edits) for labels in counts.values() for label in labels}
    counted = {label for label in counted if label in manifest.named or consists_of_tags(label)}
    trained = {label for model in manifest.models for label in model.labels}
    times = {time.replace("T", mark) for time in (manifest.times.started, manifest.times.finished) for mark in "T "}
    return tuple(sorted({*counted, *trained, *manifest.looked_for, *times, *versions().values(), OTHER_LABELS}))


def _sealed(statements: Mapping[str, Mapping[str, object]], key: bytes) -> dict[str, dict[str, object]]:
    """Return the statements that hold hashes of the user's own files, with keyed hashes in their place."""
    found: dict[str, dict[str, object]] = {}
    for name, statement in statements.items():
        listed = statement.get(SEALED)
        if isinstance(listed, list | tuple):
            hashes = [hmac.new(key, str(each).encode(), sha256).hexdigest() for each in listed]
            found[name] = {**statement, SEALED: hashes}
    return found


def _public_spans(manifest: Manifest) -> dict[str, dict[str, int]]:
    """Count annotations whose labels no detector writes as one, unless they are edited."""
    record = {source: dict(labels) for source, labels in manifest.spans.items()}
    if GOLD not in record or GOLD in manifest.edited:
        return record
    known = known_labels(manifest)
    return record | {GOLD: _public_labels(record[GOLD], known)}


def _public_labels(counts: Counts, known: frozenset[str]) -> dict[str, int]:
    """Count under one name what has other labels than those that may leave the workspace."""
    shown = {label: count for label, count in counts.items() if label in known}
    rest = sum(counts.values()) - sum(shown.values())
    return shown | ({OTHER_LABELS: rest} if rest else {})


def versions() -> dict[str, str]:
    """Return the versions of what made a result."""
    return {
        "spark_deid": VERSION,
        "python": platform.python_version(),
        **{name: found for name, found in map(_installed, _PACKAGES) if found},
        **describe_engine(),
    }


_PACKAGES = (("pyspark", "pyspark"), ("pyspark", "pyspark-client"), ("delta", "delta-spark"))


def _installed(package: tuple[str, str]) -> tuple[str, str]:
    """Return a name with the version of an installed package, empty if it is not installed."""
    name, distribution = package
    try:
        return name, version(distribution)
    except PackageNotFoundError:
        return name, ""


def write_json(value: Mapping[str, object]) -> str:
    r"""Write JSON in one way only: keys in order, indented, a line break at the end.

    >>> write_json({"b": 1, "a": "é"})
    '{\n  "a": "é",\n  "b": 1\n}\n'
    """
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _common(manifest: Manifest) -> dict[str, object]:
    return {
        "versions": versions(),
        "times": _times(manifest),
        "documents": manifest.documents,
        "words": manifest.words.total,
        "published_words": manifest.words.published,
        "publish_ratio": manifest.words.publish_ratio,
        "rejects": dict(manifest.rejects),
        "unknown_rejects": manifest.unknown_rejects,
        "spans": {source: dict(labels) for source, labels in manifest.spans.items()},
        "edits": {technique: dict(labels) for technique, labels in manifest.edits.items()},
        "placeholders": list(manifest.placeholders),
        "handed_back": {technique: dict(reasons) for technique, reasons in manifest.handed_back.items()},
        "counts_by": ", ".join(sorted(set(manifest.counts_by.values()))) or "document",
        "documents_with_subject": manifest.subjects,
        "persons": manifest.persons,
        "gold_unedited": manifest.gold_unedited,
        "gold_in_clear": dict(manifest.gold_in_clear),
        "gold_untouched": dict(manifest.gold_untouched),
        "passed_over": manifest.passed_over,
        "hidden_labels": len(manifest.hidden_labels),
        **({"table": dict(manifest.table)} if manifest.table else {}),
        **({"missed_names": dict(manifest.missed_names)} if manifest.missed_names else {}),
        **{name: dict(statement) for name, statement in manifest.statements.items()},
    }


def _plain(record: InputRecord) -> dict[str, object]:
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}


def _times(manifest: Manifest) -> dict[str, object]:
    return {
        "started": manifest.times.started,
        "finished": manifest.times.finished,
        "stages": [_stage(name, seconds) for name, seconds in manifest.times.stages],
    }


def _stage(name: str, seconds: float) -> dict[str, object]:
    return {"stage": name, "seconds": round(seconds, 3)}


def _public_stage(name: str, seconds: float) -> dict[str, object]:
    """Cut a stage's name before the first sign of a path or of settings."""
    return _stage(re.split(r"[^A-Za-z0-9 -]", name)[0].strip() or "stage", seconds)
