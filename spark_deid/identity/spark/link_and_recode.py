"""The driver of linking and recoding: mentions, rounds of the dictionary, view, generalization, what is shown."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame

from spark_deid.anonymity.recoding_kind import RecodingFolders
from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import MethodContext
from spark_deid.engine import functions as F
from spark_deid.identity.modes import STATISTICAL
from spark_deid.identity.settings import IdentityKeys, IdentitySettings
from spark_deid.identity.spark.linking import link_documents
from spark_deid.identity.spark.mentions import (
    KEPT,
    PERSON,
    entries_of,
    find_known,
    find_mentions,
    with_added,
    with_person,
)
from spark_deid.identity.spark.recoding import above_by, generalized_view, hierarchies_of, persons_of, plain_view
from spark_deid.identity.spark.replacements import entities_of, with_replacements, with_replacements_by_mode
from spark_deid.identity.spark.view import known_of_table, structured_values, view_of
from spark_deid.rewriting.keep import labels_that_stay

NAME = "identity"


def search(keys: IdentityKeys, corpus: Corpus, run: MethodContext, edited: Sequence[str]) -> Corpus:
    """Link mentions to people and state what each mention shows; the tables entities and identifiers are written.

    Runs for each round an action that writes mentions and one that writes what the dictionary finds; then those that
    generalize and write the view.
    """
    identity, found = keys.identity, corpus.annotated
    detectors, staying = (*edited, NAME), labels_that_stay(run.plan)
    inferred = _inferred(found, identity, run, detectors)
    people = run.materialize("persons", with_person(found, identity, inferred).select(PERSON).distinct())
    structured = known_of_table(found.sparkSession, identity, people)
    mentions = run.materialize(
        "mentions-0", find_mentions(with_person(found, identity, inferred), identity, detectors, staying)
    )
    entries = entries_of(_values(mentions, structured), identity)
    for number in range(1, identity.rounds + 1):
        known = find_known(with_person(found, identity, inferred), entries, detectors, identity.place, staying)
        added = run.materialize(f"added-{number}", known)
        if added.isEmpty():
            break
        found = with_added(found, added)
        again = find_mentions(with_person(found, identity, inferred), identity, detectors, staying)
        before, mentions = mentions, run.materialize(f"mentions-{number}", again)
        entries = entries_of(_values(mentions, None).join(_values(before, None), on=_VALUE, how="left_anti"), identity)
    values = view_of(mentions, structured, identity, {identity.attributes[label] for label in staying})
    if identity.mode == STATISTICAL:
        hierarchies = hierarchies_of(keys)
        rows = run.materialize("persons-known", persons_of(people, values, identity.roles))
        view = run.materialize("identifiers", generalized_view(rows, keys, hierarchies, _folders(run)))
        above, rows = above_by(keys, hierarchies), with_person(found, identity, inferred)
        shown = with_replacements(rows, mentions, view, identity, above, detectors, staying)
    else:
        view = run.materialize("identifiers", plain_view(values))
        shown = with_replacements_by_mode(found, mentions, identity)
    entities = run.materialize("entities", entities_of(mentions))
    kept = {**corpus.kept, KEPT: mentions}
    return replace(corpus, annotated=shown, entities=entities, identifiers=view, kept=kept)


def _folders(run: MethodContext) -> RecodingFolders:
    """Return new folders, of what is temporary."""
    folder = Path(run.place("recoding"))
    return RecodingFolders(folder / "scratch", folder / "output")


def _inferred(
    found: DataFrame, identity: IdentitySettings, run: MethodContext, detectors: Sequence[str]
) -> DataFrame | None:
    """Infer the person of each document (columns doc_id, person) where the plan states it."""
    if identity.link != "splink":
        return None
    mentions = find_mentions(with_person(found, identity, None), identity, detectors)
    rows = None if identity.table is None else structured_values(found.sparkSession, identity.table, identity)
    documents = found.select("doc_id", "subject_id")
    return run.materialize("inferred", link_documents(documents, mentions, rows, identity, run.materialize))


_VALUE = [PERSON, "attribute", "value"]


def _values(mentions: DataFrame, structured: DataFrame | None) -> DataFrame:
    result = mentions.where(F.col("value").isNotNull()).select(*_VALUE).distinct()
    return result if structured is None else result.unionByName(structured)
