"""Operator: read what a release shows of persons from its texts, and count it against the view's originals."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import GuaranteeEvidence, PlanView
from spark_deid.core.span import detector_of
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.identity.recount.counting import ClassCount, ClassDemands, Lines, RecountedPerson, count_class
from spark_deid.identity.recount.covering import Above, PlaceLines, as_generalized, canonical_label
from spark_deid.identity.recount.known_values import KnownOriginal, count_known
from spark_deid.identity.recount.reading import (
    PlacedEdit,
    articles_that_tell,
    count_other_edits,
    gendered_words,
    published_values,
    text_that_stays,
    without_recoded,
)
from spark_deid.identity.settings import IdentityKeys, IdentitySettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.recoding import hierarchies_of
from spark_deid.ontology.hierarchy import ValueHierarchy
from spark_deid.rewriting.rules import KEEP
from spark_deid.values.locale import ENGLISH

_READ = pa.schema(
    [
        ("subject_id", pa.string()),
        ("attribute", pa.string()),
        ("shown", pa.string()),
        ("gendered", pa.int64()),
        ("otherwise", pa.int64()),
        ("articles", pa.int64()),
        ("known", pa.int64()),
    ]
)
_COUNTS = pa.schema([(name, pa.int64()) for name in ClassCount._fields])


class IdentityCounts(NamedTuple):
    """What was counted of a release; ``least`` is the least number of persons that share what is shown, at most k."""

    persons: int
    classes: int
    least: int
    published: int
    few: int
    foreign: int
    uncovered: int
    linked: int
    unknown: int
    gendered: int
    otherwise: int
    articles: int
    known: int


def recount(keys: IdentityKeys, evidence: GuaranteeEvidence) -> IdentityCounts:
    """Count what a release shows of persons.

    Classes are the persons of equal generalized values: nobody is looked for outside of the own class. Runs two jobs.
    """
    identity = keys.identity
    attributes = identity.roles.quasi
    read = _read(evidence, keys)
    view = evidence.corpus.identifiers
    people = _persons(view, keys)
    shown = read.where(F.col("shown").isNotNull()).select("subject_id", "attribute", "shown").distinct()
    by_person = shown.groupBy("subject_id").agg(F.collect_list(F.struct("attribute", "shown")).alias("shown"))
    joined = people.join(by_person, on="subject_id", how="left")
    lines = _lines(keys)
    staying = frozenset(staying_labels(evidence.plan, identity).values())
    asked = ClassDemands.of(keys, staying)
    count = partial(_count_classes, attributes=attributes, lines=lines, demands=asked)
    key = F.to_json(F.struct(*(F.col(f"after_{name}") for name in attributes)), {"ignoreNullFields": "false"})
    together = sort_partitions(joined.withColumn("class", key).repartition("class"), "class")
    counted = together.mapInArrow(count, tables.ddl(_COUNTS))
    sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ClassCount._fields if name != "least"]
    row = counted.agg(*sums, F.count(F.lit(1)).alias("classes"), F.min("least").alias("least")).collect()[0]
    result = row.asDict()
    return IdentityCounts(
        **{name: int(result[name] or 0) for name in IdentityCounts._fields if name in result},
        **_strangers(read, people, keys, staying),
    )


class _Line:
    """The labels above each value of a hierarchy, as texts show them."""

    def __init__(self, hierarchy: ValueHierarchy) -> None:
        self._rows = {row[0]: tuple(map(canonical_label, row)) for row in hierarchy.rows}

    def __call__(self, value: str) -> tuple[str, ...]:
        """Return the labels of a value's row."""
        return self._rows.get(value, ())


def _lines(keys: IdentityKeys) -> dict[str, Above]:
    identity = keys.identity
    places = {name: PlaceLines(identity.kind(name), identity.place) for name in keys.places}
    return {**places, **{name: _Line(each) for name, each in hierarchies_of(keys).items()}}


def with_published_person(corpus: Corpus, identity: IdentitySettings) -> DataFrame:
    """Return decisions with a column of their person: the input's, what entities tell, or the document itself."""
    decisions = corpus.decisions
    person = F.concat(F.lit("document "), F.col("doc_id"))
    if identity.link == "splink":
        inferred = corpus.entities.select("doc_id", F.col("subject_id").alias("inferred")).distinct()
        decisions = decisions.join(inferred, on="doc_id", how="left")
        person = F.coalesce("inferred", person)
    if identity.link != "document":
        person = F.coalesce("subject_id", person)
    return decisions.withColumn(PERSON, person)


class _Looking(NamedTuple):
    """What is looked for: attributes by label, hidden labels (but of exempt detectors), words of gender, articles.

    ``day_first`` is the order of days and months in figures. ``staying`` are labels of sensitive attributes that stay
    in the texts, each with its attribute.
    """

    labels: Mapping[str, str]
    hidden: frozenset[str]
    exempt: frozenset[str]
    for_gender: bool
    in_english: bool
    day_first: bool
    staying: Mapping[str, str]


def _read(evidence: GuaranteeEvidence, keys: IdentityKeys) -> DataFrame:
    identity = keys.identity
    published = with_published_person(evidence.corpus, identity)
    rows = published.select(F.col(PERSON).alias("subject_id"), "published", "edits", "spans")
    rows = rows.join(hidden_originals(evidence.corpus.identifiers, identity), on="subject_id", how="left")
    labels = {label: name for label, name in identity.attributes.items() if name in identity.roles.quasi}
    in_english = identity.place.language == ENGLISH
    looking = _Looking(
        labels,
        identity.hidden,
        frozenset(evidence.plan.exempt),
        identity.gender is not None,
        in_english,
        identity.place.is_day_first,
        staying_labels(evidence.plan, identity),
    )
    return rows.mapInArrow(partial(_read_batches, looking=looking), tables.ddl(_READ))


def staying_labels(plan: PlanView, identity: IdentitySettings) -> dict[str, str]:
    """Return the attributes of labels whose text a plan leaves in the texts."""
    kept = {label for label, rule in plan.rules_by_label.items() if rule.technique == KEEP}
    return {label: name for label, name in identity.attributes.items() if label in kept}


def hidden_originals(view: DataFrame, identity: IdentitySettings) -> DataFrame:
    """Return the dates and ages of persons (subject_id, a list of ``KnownOriginal``) that are not shown as they are."""
    kinds = {name: identity.kind(name) for name in (*identity.roles.identifiers, *identity.roles.quasi)}
    found = {name: kind for name, kind in kinds.items() if kind in ("age", "date")}
    kind = F.create_map(*(F.lit(part) for pair in found.items() for part in pair)).cast("map<string,string>")
    is_hidden = F.col("attribute").isin(*found) & F.col("value").isNotNull() & ~F.col("value").eqNullSafe("generalized")
    originals = view.where(is_hidden).select("subject_id", kind[F.col("attribute")].alias("kind"), "value")
    return originals.groupBy("subject_id").agg(F.collect_set(F.struct("kind", "value")).alias("originals"))


def _read_batches(incoming: Iterator[pa.RecordBatch], *, looking: _Looking) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        yield from gather_batches(_rows(batch, looking), _READ)


def _rows(batch: pa.RecordBatch, looking: _Looking) -> Iterator[tuple[str, str | None, str | None, int, int, int, int]]:
    people, texts = (batch.column(name).to_pylist() for name in ("subject_id", "published"))
    edits, spans = tuples_of(batch.column("edits")), spans_in(batch.column("spans"))
    known = tuples_of(batch.column("originals"))
    for person, text, rows, found, hidden in zip(people, texts, edits, spans, known, strict=True):
        placed = [PlacedEdit(*row) for row in rows]
        for label, shown in published_values(text, placed):
            yield person, looking.labels.get(label, label), shown, 0, 0, 0, 0
        edited = [span for span in found if detector_of(span.source) not in looking.exempt]
        for label, value in text_that_stays(text, edited, placed, looking.staying):
            yield person, looking.staying[label], value, 0, 0, 0, 0
        words = gendered_words(text, placed) if looking.for_gender else 0
        otherwise = count_other_edits(edited, placed, looking.hidden)
        articles = articles_that_tell(text, placed) if looking.in_english else 0
        rest = without_recoded(text, placed) if hidden else ""
        left = count_known(rest, (KnownOriginal(*each) for each in hidden), is_day_first=looking.day_first)
        if words or otherwise or articles or left:
            yield person, None, None, words, otherwise, articles, left


def _persons(view: DataFrame, keys: IdentityKeys) -> DataFrame:
    """Return the view before and after, a row a person, with sensitive values."""
    roles = keys.identity.roles
    quasi = view.where(F.col("attribute").isin(*roles.quasi))
    pair = F.first(F.struct("value", "generalized"))
    wide = quasi.groupBy("subject_id").pivot("attribute", list(roles.quasi)).agg(pair)
    columns = [
        F.col(f"{name}.{part}").alias(f"{prefix}_{name}")
        for name in roles.quasi
        for prefix, part in (("before", "value"), ("after", "generalized"))
    ]
    rows = wide.select("subject_id", *columns)
    held = view.where(F.col("attribute").isin(*roles.sensitive) & F.col("value").isNotNull())
    values = held.groupBy("subject_id").agg(F.collect_set(F.struct("attribute", "value")).alias("sensitive"))
    return rows.join(values, on="subject_id", how="left")


def _count_classes(
    incoming: Iterator[pa.RecordBatch], *, attributes: Sequence[str], lines: Lines, demands: ClassDemands
) -> Iterator[pa.RecordBatch]:
    """Count class by class; the rows of each come one after another."""
    counted = (_count(members, attributes, lines, demands) for members in _classes(incoming))
    yield from gather_batches(counted, _COUNTS)


def _classes(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    held: list[pa.Table] = []
    for batch in incoming:
        table = pa.Table.from_batches([batch])
        names = table.column("class").combine_chunks()
        changes = np.flatnonzero(names[1:].to_numpy(zero_copy_only=False) != names[:-1].to_numpy(zero_copy_only=False))
        starts = [0, *(changes + 1).tolist(), len(names)] if len(names) else []
        for first, end in pairwise(starts):
            if held and held[-1].column("class")[0] != names[first]:
                yield pa.concat_tables(held)
                held = []
            held.append(table.slice(first, end - first))
    if held:
        yield pa.concat_tables(held)


def _count(members: pa.Table, attributes: Sequence[str], lines: Lines, demands: ClassDemands) -> ClassCount:
    numbers = {name: number for number, name in enumerate(attributes)}
    originals = zip(*(members.column(f"before_{name}").to_pylist() for name in attributes), strict=True)
    results = (members.column(f"after_{name}")[0].as_py() for name in attributes)
    generalized = [None if label is None else canonical_label(label) for label in results]
    shown, held = (members.column(name).to_pylist() for name in ("shown", "sensitive"))
    people = [
        RecountedPerson(
            before,
            tuple(
                (number, as_generalized(each["shown"], generalized[number]))
                for each in mine or ()
                if (number := numbers.get(each["attribute"])) is not None
            ),
            tuple((each["attribute"], each["value"]) for each in sensitive or ()),
            tuple((each["attribute"], each["shown"]) for each in mine or () if each["attribute"] not in numbers),
        )
        for before, mine, sensitive in zip(originals, shown, held, strict=True)
    ]
    return count_class(attributes, generalized, people, lines, **demands._asdict())


def _strangers(read: DataFrame, persons: DataFrame, keys: IdentityKeys, staying: Collection[str]) -> dict[str, int]:
    """Count mentions of nobody in the view, or of nothing that is shown, and what tells beside mentions."""
    gender = keys.identity.gender
    known: dict[str, Any] = {"subject_id": F.col("subject_id"), "is_known": F.lit(True)}
    is_plain = F.lit(False)
    if gender in keys.identity.roles.quasi:
        is_plain = F.coalesce(F.col(f"after_{gender}") == F.col(f"before_{gender}"), F.lit(False))
    rows = persons.select(*(column.alias(name) for name, column in known.items()), is_plain.alias("is_plain"))
    joined = read.join(rows, on="subject_id", how="left")
    is_shown = F.col("shown").isNotNull()
    no_quasi = ~F.col("attribute").isin(*keys.identity.roles.quasi, *staying)
    stranger = is_shown & (F.col("is_known").isNull() | no_quasi)
    entry = joined.agg(
        F.coalesce(F.sum(stranger.cast("int")), F.lit(0)),
        F.coalesce(F.sum(F.when(F.coalesce("is_plain", F.lit(False)), 0).otherwise(F.col("gendered"))), F.lit(0)),
        F.coalesce(F.sum("otherwise"), F.lit(0)),
        F.coalesce(F.sum("articles"), F.lit(0)),
        F.coalesce(F.sum("known"), F.lit(0)),
    ).collect()[0]
    return dict(zip(("unknown", "gendered", "otherwise", "articles", "known"), map(int, entry), strict=True))
