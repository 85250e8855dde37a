"""Operators: what each mention shows, the entities that mentions refer to, and words that show a hidden gender."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in
from spark_deid.core.document import LinkedMention
from spark_deid.engine import functions as F
from spark_deid.identity.gendered import gendered_spans
from spark_deid.identity.generalized_values import Above, covers_value, is_publishable, write_value
from spark_deid.identity.modes import ModeRule, rule_for
from spark_deid.identity.recode import NO_VALUE, NOT_COVERED, NOT_QUASI, NOT_SHOWN, articles_of
from spark_deid.identity.settings import IdentitySettings
from spark_deid.identity.spark.mentions import PERSON, edited_spans
from spark_deid.values.locale import ENGLISH

_HIDES = "hides_gender"
_PLACE: Callable[[Mapping[str, Any]], tuple[int, int, str]] = itemgetter("start", "end", "label")


def entities_of(mentions: DataFrame) -> DataFrame:
    """Return which attribute of which person each mention refers to (columns of ENTITIES)."""
    person = F.col(PERSON)
    rows = mentions.withColumns({"entity_id": F.concat_ws("/", person, "attribute"), "subject_id": person})
    return rows.select(*tables.ENTITIES.names)


def with_replacements(
    persons: DataFrame,
    mentions: DataFrame,
    view: DataFrame,
    identity: IdentitySettings,
    above: Mapping[str, Above],
    detectors: Sequence[str],
    staying: frozenset[str],
) -> DataFrame:
    """Return documents, given with their person, with what their mentions show (column MENTIONS).

    Words that show a hidden gender are added to their spans, and in English the articles before what is shown.

    Such words are found everywhere no span of ``detectors`` is, those whose spans are edited, but of labels that
    remain.
    """
    quasi, gender = list(identity.roles.quasi), identity.gender
    recoded = view.where(F.col("attribute").isin(*quasi)).select(
        F.col("subject_id").alias(PERSON), "attribute", F.col("value").alias("known"), "generalized"
    )
    joined = mentions.join(recoded, on=[PERSON, "attribute"], how="left")
    struct = F.struct(PERSON, "start", "end", "label", "attribute", "value", "known", "generalized")
    result = joined.groupBy("doc_id").agg(F.collect_list(struct).alias("told"))
    rows = persons.select(PERSON, *tables.ANNOTATED.names).join(result, on="doc_id", how="left")
    if gender is None:
        rows = rows.withColumn(_HIDES, F.lit(False))
    else:
        plain = recoded.where((F.col("attribute") == gender) & (F.col("generalized") == F.col("known")))
        plain = plain.select(PERSON, F.lit(False).alias(_HIDES))
        rows = rows.join(plain, on=PERSON, how="left").withColumn(_HIDES, F.coalesce(_HIDES, F.lit(True)))
    kinds = {name: identity.kind(name) for name in identity.attributes.values()}
    schema = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    show = partial(
        _show_batches,
        kinds=kinds,
        quasi=frozenset(quasi),
        above=above,
        detectors=frozenset(detectors),
        staying=staying,
        in_english=identity.place.language == ENGLISH,
    )
    return rows.select(*tables.ANNOTATED.names, "told", _HIDES).mapInArrow(show, tables.ddl(schema))


def with_replacements_by_mode(annotated: DataFrame, mentions: DataFrame, identity: IdentitySettings) -> DataFrame:
    """Return documents with what their mentions show by the rules of a mode (column MENTIONS)."""
    result = mentions.groupBy("doc_id").agg(
        F.collect_list(F.struct(PERSON, "start", "end", "label", "attribute", "value")).alias("told")
    )
    rows = annotated.select(*tables.ANNOTATED.names).join(result, on="doc_id", how="left")
    schema = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    kinds = {name: identity.kind(name) for name in identity.attributes.values()}
    rules = {name: rule_for(identity.mode, name, kinds[name], identity.sparse) for name in identity.roles.quasi}
    show = partial(_batches_by_mode, kinds=kinds, rules=rules, last_year=identity.last_year)
    return rows.select(*tables.ANNOTATED.names, "told").mapInArrow(show, tables.ddl(schema))


def _batches_by_mode(
    incoming: Iterator[pa.RecordBatch],
    *,
    kinds: Mapping[str, str],
    rules: Mapping[str, ModeRule | None],
    last_year: int,
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts, entry = (batch.column(name).to_pylist() for name in ("text", "told"))
        shown = [
            [_replacement_by_mode(text, row, kinds, rules, last_year) for row in sorted(rows or (), key=_PLACE)]
            for text, rows in zip(texts, entry, strict=True)
        ]
        arrays = [*(batch.column(name) for name in tables.ANNOTATED.names), lists_of(shown, tables.MENTION_STRUCT)]
        yield pa.RecordBatch.from_arrays(arrays, names=[*tables.ANNOTATED.names, tables.MENTIONS])


def _replacement_by_mode(
    text: str, row: Mapping[str, Any], kinds: Mapping[str, str], rules: Mapping[str, ModeRule | None], last_year: int
) -> LinkedMention:
    """State what a mention shows by its rule, or why nothing."""
    attribute, value = row["attribute"], row["value"]
    rule = rules.get(attribute)
    if rule is None:
        return _mention(row, None, NOT_QUASI)
    if value is None:
        return _mention(row, None, NO_VALUE)
    shown = rule.published(value, last_year)
    if shown is None:
        return _mention(row, None, NOT_SHOWN)
    return _mention(row, write_value(_surface(text, row), kinds[attribute], shown))


def _mention(row: Mapping[str, Any], replacement: str | None, reason: str = "") -> LinkedMention:
    person, attribute = row[PERSON], row["attribute"]
    return LinkedMention(*_PLACE(row), replacement, reason, f"{person}/{attribute}", person, attribute, row["value"])


def _surface(text: str, row: Mapping[str, Any]) -> str:
    return text[row["start"] : row["end"]]


def _show_batches(
    incoming: Iterator[pa.RecordBatch],
    *,
    kinds: Mapping[str, str],
    quasi: frozenset[str],
    above: Mapping[str, Above],
    detectors: frozenset[str],
    staying: frozenset[str],
    in_english: bool,
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts, hidden = batch.column("text").to_pylist(), batch.column(_HIDES).to_pylist()
        result = batch.column("told").to_pylist()
        shown = [
            [replacement_of(text, row, kinds, quasi, above) for row in sorted(rows or (), key=_PLACE)]
            for text, rows in zip(texts, result, strict=True)
        ]
        spans = list(spans_in(batch.column("spans")))
        for text, own, mentions, hides in zip(texts, spans, shown, hidden, strict=True):
            edited = edited_spans(own, detectors, staying)
            if hides:
                own += gendered_spans(text, edited)
            if in_english:
                articles, become = articles_of(text, [each for each in mentions if each.label not in staying], edited)
                own += articles
                mentions += become
        yield pa.RecordBatch.from_arrays(
            [
                *(batch.column(name) for name in tables.DOCUMENTS.names),
                lists_of(spans, tables.SPAN_STRUCT),
                lists_of(shown, tables.MENTION_STRUCT),
            ],
            names=[*tables.ANNOTATED.names, tables.MENTIONS],
        )


def replacement_of(
    text: str,
    row: Mapping[str, Any],
    kinds: Mapping[str, str],
    quasi: frozenset[str],
    above: Mapping[str, Above],
) -> LinkedMention:
    """State what a mention shows, or why nothing."""
    attribute, value, generalized = row["attribute"], row["value"], row["generalized"]
    if attribute not in quasi:
        return _mention(row, None, NOT_QUASI)
    if value is None:
        return _mention(row, None, NO_VALUE)
    if generalized is None or not is_publishable(generalized):
        return _mention(row, None, NOT_SHOWN)
    if value != row["known"] and not covers_value(generalized, value, above.get(attribute)):
        return _mention(row, None, NOT_COVERED)
    return _mention(row, write_value(_surface(text, row), kinds[attribute], generalized))
