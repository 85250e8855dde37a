"""Attack a finished release: what its workspace states about it, gold annotations, and the attackers of ``greedy``."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from spark_deid.app.sessions import read_table
from spark_deid.app.verified_release import checked_release
from spark_deid.core.arrow import edits_of
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import CorpusError, ModelError, UsageError
from spark_deid.engine import functions as F
from spark_deid.greedy.attack.attackers import AttackConfig, Attacker, Progress, attack
from spark_deid.greedy.attack.figures import PublisherRecord
from spark_deid.greedy.attack.parrot import name_like, parrot_attack, parrot_report
from spark_deid.greedy.attack.published import LabelledOriginal, publish
from spark_deid.greedy.attack.report import ReportOptions, attack_report
from spark_deid.greedy.files import model_hash, read_training_report
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.parallel import LocalProcesses, TaskWorkers
from spark_deid.greedy.report import Json, has_counts
from spark_deid.greedy.shipped import model_folder
from spark_deid.learners.registry import LEARNERS, LearnerSettings, make_learner
from spark_deid.release.commit import DOCUMENTS
from spark_deid.storage.folder import folder_at
from spark_deid.surrogates.lists import listed_words
from spark_deid.text.templates import features_label
from spark_deid.values.plain import plain_form

if TYPE_CHECKING:
    from spark_deid.app.options.assessing import AttackOptions


def attack_release(
    spark: SparkSession,
    options: "AttackOptions",
    gold: Sequence[Document],
    config: AttackConfig,
    *,
    workers: TaskWorkers | None = None,
    progress: Progress,
) -> dict[str, Json]:
    """Attack a release with its labelled documents; return the report.

    The loss ratio is by default the one that the release's model was trained with, else that of ``config``; ``workers``
    are as in ``attack``. Runs two Spark jobs, and holds the labelled documents ``gold`` on the driver. Raises
    CorpusError where gold, workspace and release do not belong together.
    """
    release, workspace = options.release, options.workspace
    checked_release(release, workspace, spark)
    training = training_of(workspace, spark)
    trained_for = float(training["settings"]["loss_ratio"]) if training else config.loss_ratio
    ratio = trained_for if options.loss_ratio is None else options.loss_ratio
    config = config.model_copy(update={"publisher": publisher_of(training), "loss_ratio": ratio})
    progress("read the labelled documents of the release")
    originals = read_gold(spark, release, workspace, gold)
    documents = [publish(original, options.labels) for original in originals]
    if not any(each.sensitive_words for each in documents):
        raise UsageError("gold: expected annotations of the labels in documents of the release, found none")
    parrots: dict[str, Json] = {}
    if options.surrogates:
        known = listed_words(*_folders_of(workspace, spark))
        parrots = {"surrogates": attack_surrogates(originals, options.labels, config, known, workers, progress)}
    attacks, _ = attack([each.case for each in documents], config, progress, workers=workers)
    result = ReportOptions(
        budgets=tuple(sorted(set(options.budgets))),
        simulate=options.simulate,
        dimension=options.vc_dimension,
        seed=options.seed,
    )
    return {**attack_report(documents, attacks, publisher_behind(training, ratio), result), **parrots}


def attack_surrogates(
    originals: Sequence[LabelledOriginal],
    labels: Sequence[str] | None,
    config: AttackConfig,
    listed: Collection[str],
    workers: TaskWorkers | None,
    progress: Progress,
) -> dict[str, Json]:
    """Carry out the parrot attack with the publisher's learner, else the first of the attackers'; return its report.

    ``listed`` are the words, in plain form, of the lists that surrogates are drawn from.
    """
    documents = [name_like(original, labels) for original in originals]
    first = config.attackers()[0]
    own = LearnerSettings(first.features, config.key, background=first.background, tagger=first.tagger)
    outcomes = parrot_attack(
        documents,
        make_learner(first.learner, own),
        config.decodings(),
        lambda word: plain_form(word) in listed,
        workers or LocalProcesses(config.workers),
        seed=config.seed,
        progress=progress,
    )
    return parrot_report(
        documents, outcomes, learner=f"{first.learner}, {features_label(first.features)}", seed=config.seed
    )


def _folders_of(workspace: str, spark: SparkSession) -> tuple[str, ...]:
    """Return the folders of lists that the rules of a run named."""
    content = folder_at(workspace, spark).read("manifest.json") or b"{}"
    plan: Mapping[str, Any] = json.loads(content).get("plan") or {}
    rules = [rule for rule in plan.get("rules", {}).values() if isinstance(rule, dict)]
    return tuple(sorted({rule["lists"] for rule in rules if rule.get("lists")}))


def read_gold(
    spark: SparkSession, release: str, workspace: str, gold: Sequence[Document]
) -> tuple[LabelledOriginal, ...]:
    """Return the gold documents that the workspace holds, with their edits, once their published text is found.

    A release whose ids were replaced by hashes is matched by text.
    """
    by_id = {document.doc_id: document for document in gold}
    asked = spark.createDataFrame([(doc_id,) for doc_id in by_id], "doc_id string")
    kept = read_table(spark, workspace, "documents").join(asked, on="doc_id", how="inner").select("doc_id", "text")
    edits = read_table(spark, workspace, "edits").groupBy("doc_id")
    nested = edits.agg(F.collect_list(F.struct(*Edit._fields)).alias("edits"))
    rows = kept.join(nested, on="doc_id", how="left").orderBy("doc_id").collect()
    if not rows:
        raise CorpusError(
            f"{workspace}: contains no gold document (of {len(by_id)}). Expected gold with the same doc_ids"
        )
    originals = []
    for row in rows:
        document = by_id[row["doc_id"]]
        if row["text"] != document.text:
            raise CorpusError(f"gold document {document.doc_id}: its text differs from the text in {workspace}")
        originals.append(LabelledOriginal(document, edits_of(each.asDict() for each in row["edits"] or ())))
    _check_published(spark, release, originals)
    return tuple(originals)


def training_of(workspace: str, spark: SparkSession) -> dict[str, Any] | None:
    """Return the training report of the model that made the release; None without one, or where it counted nothing.

    Raises ModelError where the model's folder is not there, or no longer holds that model.
    """
    content = folder_at(workspace, spark).read("manifest.json")
    if content is None:
        raise CorpusError(f"{workspace}: expected a workspace, but manifest.json is missing")
    models: list[Mapping[str, Any]] = json.loads(content)["models"]
    if not models:
        return None
    folder = model_folder(models[0]["path"])
    if not folder.is_dir():
        way = (
            "it was moved or removed"
            if folder.is_absolute()
            else "run the command in the folder in which the run was started"
        )
        raise ModelError(f"{folder}: the folder of this release's model is missing. {way}")
    if model_hash(folder) != models[0]["sha256"]:
        raise ModelError(f"{folder}: the model has changed since the release, as its hash shows")
    training = read_training_report(folder)
    return training if has_counts(training) else None


def publisher_of(training: Mapping[str, Any] | None) -> tuple[Attacker, ...]:
    """Return the publisher's own learners, with what they read: the attackers of the paper."""
    if training is None:
        return ()
    settings = training["settings"]
    background = tuple(settings.get("background", ()))
    learners = dict.fromkeys(entry.get("learner", "crf") for entry in training["rounds"])
    return tuple(
        Attacker(learner, settings["features"], background=background, tagger=settings.get("tagger", ""))
        for learner in learners
        if learner in LEARNERS.names()
    )


def publisher_behind(training: Mapping[str, Any] | None, loss_ratio: float) -> PublisherRecord:
    """State how the publisher's loop ended; a release without a model was made by no loop."""
    if training is None:
        return PublisherRecord(loss_ratio, local_optimum=False, stand_in=None)
    last = training["attacker"]
    optimal = bool(training["local_optimum"]) and loss_ratio == training["settings"]["loss_ratio"]
    if last is None:
        return PublisherRecord(loss_ratio, optimal, None, publisher_of(training))
    hits, vain = last["true_positives"], last["false_positives"]
    missed = last["sensitive_tokens"] - hits
    substitute = ConfusionCounts(hits, vain, missed, last["tokens"] - hits - vain - missed)
    return PublisherRecord(loss_ratio, optimal, substitute, publisher_of(training))


def _check_published(spark: SparkSession, release: str, originals: Sequence[LabelledOriginal]) -> None:
    """Check that what edits make of the originals is in the release."""
    expected = {_digest(apply_edits(o.document.text, o.edits)): o.document.doc_id for o in originals}
    asked = spark.createDataFrame([(digest,) for digest in expected], "digest string")
    shown = read_table(spark, release, DOCUMENTS)
    digests = shown.select(F.sha2(F.encode("text", "utf-8"), 256).alias("digest"))
    found = {row["digest"] for row in digests.join(asked, on="digest", how="inner").distinct().collect()}
    missing = sorted(expected[digest] for digest in set(expected) - found)
    if missing:
        raise CorpusError(
            f"{release}: document {missing[0]} differs from the edits in the workspace ({len(missing)} of "
            f"{len(expected)} documents differ). Expected release and workspace of the same run"
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
