"""Probabilistic linkage on Spark: blocks, components, and documents that no one named linked to people."""

from itertools import combinations
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.identity.guarantee import KIND
from spark_deid.identity.spark.figures import figures_of
from spark_deid.identity.spark.linking import components_of, link_documents, part_conflicting
from spark_deid.identity.spark.scoring import blocks_of, pairs_of
from tests.spark.decided import annotated_of, carried_out, plan_of

LARGEST = 5


def kept(_: str, rows: DataFrame) -> DataFrame:
    return rows.localCheckpoint()


def test_blocks_above_the_largest_propose_no_pairs(spark: SparkSession) -> None:
    random = Random(3)
    records = {
        f"r{n:02d}": {c: str(random.randrange(size)) for c, size in zip("abc", (12, 4, 2), strict=True)}
        for n in range(40)
    }
    cells = [(record, column, value) for record, values in records.items() for column, value in values.items()]
    rows = spark.createDataFrame(cells, "record string, column string, value string").repartition(5)
    found = blocks_of(rows, LARGEST)

    def size(**values: str) -> int:
        return sum(values.items() <= each.items() for each in records.values())

    expected = set()
    for one, other in combinations(sorted(records), 2):
        same = {c: v for c, v in records[one].items() if records[other][c] == v}
        alone = any(size(**{c: v}) <= LARGEST for c, v in same.items())
        frequent = [c for c, v in same.items() if size(**{c: v}) > LARGEST]
        if alone or any(size(**{c: same[c] for c in pair}) <= LARGEST for pair in combinations(frequent, 2)):
            expected.add((one, other))
    assert {(row["join_key_l"], row["join_key_r"]) for row in pairs_of(found.members).collect()} == expected
    assert 0 < len(expected) < 40 * 39 // 2
    doubled = {
        tuple(sorted((c, each[c]) for c in pair)) for each in records.values() for pair in combinations("abc", 2)
    }
    frequent_alone = {cell for each in records.values() for cell in each.items() if size(**dict([cell])) > LARGEST}
    skipped = [pair for pair in doubled if set(pair) <= frequent_alone and size(**dict(pair)) > LARGEST]
    assert found.skipped.collect()[0]["n"] == len(skipped) > 0


def test_components_of_two_values_that_a_person_has_one_of_are_parted(spark: SparkSession) -> None:
    links = [("d:1", "d:2", 0.99), ("d:1", "d:3", 0.96), ("d:4", "d:5", 0.99), ("d:6", "d:7", 0.99)]
    cells = [("d:2", "1961-05-04"), ("d:3", "1987-12-30"), ("d:4", "1961-05-04"), ("d:6", "1900-01-01")]
    found = [(node, first) for first, nodes in (("d:1", "123"), ("d:4", "45"), ("d:6", "67")) for node in nodes]
    rows = part_conflicting(
        spark.createDataFrame([(f"d:{node}", first) for node, first in found], "node string, component string"),
        spark.createDataFrame(links, "a string, b string, probability double").repartition(3),
        spark.createDataFrame([(a, "v_born", v) for a, v in cells], "record string, column string, value string"),
    )
    expected = {"d:1": "d:1", "d:2": "d:1", "d:3": "d:3", "d:4": "d:4", "d:5": "d:4", "d:6": "d:6", "d:7": "d:6"}
    assert dict(map(tuple, rows.collect())) == expected


@pytest.mark.thorough
def test_components_are_those_of_a_walk(spark: SparkSession) -> None:
    random = Random(5)
    edges = [(f"p{n:03d}", f"p{n + 1:03d}") for n in range(40)]
    edges += [(f"q{random.randrange(60)}", f"q{random.randrange(60)}") for _ in range(45)]
    random.shuffle(edges)
    near: dict[str, set[str]] = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    expected: dict[str, str] = {}
    for node in sorted(near):
        waiting = [] if node in expected else [node]
        while waiting:
            here = waiting.pop()
            expected[here] = node
            waiting += [each for each in near[here] if each not in expected]
    found = components_of(spark.createDataFrame(edges, "a string, b string").repartition(7), kept).collect()
    alone = {node for node in near if near[node] == {node}}
    assert dict(map(tuple, found)) == {node: least for node, least in expected.items() if node not in alone}
    assert len(found) == len({row["node"] for row in found})


KEYS: dict[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode"},
    "identity": {
        "attributes": {"NAME": "name", "BORN": "born", "MRN": "mrn", "CITY": "city", "AGE": "age"},
        "kinds": {"born": "date"},
        "roles": {"identifiers": ["name", "born", "mrn", "city"], "quasi": ["age"]},
        "link": "splink",
        "rounds": 0,
        "linkage": {"attributes": ["name", "born", "mrn", "city"]},
    },
    "anonymity": {"model": {"k": 3}},
}
GIVEN = ["Ada", "Bea", "Cleo", "Dora", "Edna", "Fay", "Gail", "Hope", "Iris", "June", "Kate", "Lena", "Mona", "Nell"]
FAMILY = ["Ashton", "Barlow", "Crewe", "Dalton", "Easton", "Farley", "Gilroy", "Hadley"]
CITIES = ["Alton", "Bern", "Cork", "Delft"]


def note(person: int, copy: int) -> tuple[object, ...]:
    """Write of a person; each copy has a separate mistake."""
    told = {
        "NAME": f"{GIVEN[person % 14]} {FAMILY[person % 8]}",
        "BORN": f"19{40 + person % 50}-0{person % 9 + 1}-1{person % 8}",
        "MRN": f"M{100000 + 7919 * person}",
        "CITY": CITIES[person % 4],
        "AGE": str(30 + person % 12),
    }
    if copy == 1:
        told["NAME"] = told["NAME"].replace("a", "o", 1)
    if copy == 2:
        told["MRN"] = told["MRN"][:-1] + "X"
    text, spans = "", []
    for label, surface in told.items():
        spans.append((len(text), len(text) + len(surface), label, None, "gold", None))
        text += surface + "; "
    # Two documents of one person that are known to be two people's: the keys win.
    subject = f"known-{copy}" if person == 0 and copy < 2 else None
    return f"{person:02d}-{copy}", subject, text, {}, spans


@pytest.mark.thorough
def test_documents_that_no_one_named_are_linked_and_recounted(spark: SparkSession) -> None:
    pytest.importorskip("splink")
    plan = plan_of(KEYS)
    rows = [note(person, copy) for person in range(30) for copy in range(3)]
    made = carried_out(plan, annotated_of(spark, rows).repartition(7), subjects=2, materialize=kept)
    persons: dict[str, set[str]] = {}
    for row in made.entities.select("doc_id", "subject_id").distinct().collect():
        persons.setdefault(row["subject_id"], set()).add(row["doc_id"])
    assert persons["document 07-0"] == {"07-0", "07-1", "07-2"}
    assert {frozenset(each) for name, each in persons.items() if not name.startswith("known")} == {
        frozenset(f"{person:02d}-{copy}" for copy in range(3)) for person in range(1, 30)
    }
    assert {"00-0"} <= persons["known-0"]
    assert {"00-1"} <= persons["known-1"]
    assert persons["known-0"] | persons["known-1"] == {"00-0", "00-1", "00-2"}
    assert made.annotated is not None
    by_mention = made.annotated.select("doc_id", "subject_id", F.explode("mentions.subject").alias("subject"))
    for row in by_mention.distinct().collect():  # people are inferred, subjects remain those of the input
        assert row["doc_id"] in persons[row["subject"]]
        assert row["subject_id"] == {"00-0": "known-0", "00-1": "known-1"}.get(row["doc_id"])
    evidence = GuaranteeEvidence(plan, made, made.decisions, {}, documents=90, subjects=2)
    assessed = KIND.assess(plan.demands["k_anonymous_persons"], evidence)
    assert assessed.reasons == ()
    assert "inferred_persons=31" in assessed.assessment.evidence
    told = figures_of(plan.sections["identity"], made)
    assert told["persons"] == 31
    assert told["linkage"] == {"compared": ["name", "born", "mrn", "city"], "telling": 90, "documents": 90}
    mentions = made.kept["mentions"].select("doc_id", "attribute", "value")
    documents = annotated_of(spark, rows).select("doc_id", "subject_id")
    identity = plan.sections["identity"].identity
    once = link_documents(documents.coalesce(1), mentions.coalesce(1), None, identity, kept).collect()
    assert {(doc_id, name) for name, each in persons.items() for doc_id in each} == set(map(tuple, once))
    assert told["documents"] == [{"name": "1", "count": 1}, {"name": "2", "count": 1}, {"name": "3 to 5", "count": 29}]
    assert not [table.name for table in spark.catalog.listTables()]
