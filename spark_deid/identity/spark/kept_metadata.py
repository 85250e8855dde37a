"""Operator: metadata that stays beside recoded texts, and names persons or tells what is recoded."""

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import Column, DataFrame

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.kept_columns import columns_that_name, disclosing_columns, original_of
from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.engine import functions as F
from spark_deid.identity.settings import IdentityKeys, IdentitySettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.recount import with_published_person
from spark_deid.rewriting.metadata import DETECT, KEEP, SHIFT, SUBJECT

_PERSON = "person of the document"
_DOUBLE = r"^-?\d+(\.\d+([eE][+-]?\d+)?|[eE][+-]?\d+)$"


class KeptMetadata(NamedTuple):
    """Why metadata must not stay, and what is said of metadata of too few persons to say; a sentence each."""

    reasons: tuple[str, ...]
    notes: tuple[str, ...]


def look_at_kept(keys: IdentityKeys, evidence: GuaranteeEvidence) -> KeptMetadata:
    """Look at the metadata that a plan keeps, or lets detectors look through, as at the kept columns of tables.

    What is kept is compared with the number of persons, and detectors look for names, mail and codes in it; of both
    half of the persons teach what it tells of quasi-identifiers, whose classes are those of the view. A value that is
    the id of its document says nothing where ids are kept; columns of sensitive attributes are not meant. Dates
    that move are looked at as if they stayed. Runs up to
    four small jobs where there is such metadata.
    """
    ways = {name: way for name, way in evidence.plan.metadata.items() if not _is_sensitive(keys.identity, name)}
    kept = [name for name, way in ways.items() if way in (KEEP, SHIFT)]
    asked = [*kept, *(name for name, way in ways.items() if way == DETECT and name != SUBJECT)]
    if not asked:
        return KeptMetadata((), ())
    rows = _rows(keys, evidence, asked)
    named = columns_that_name(rows, _PERSON, [_alias(name) for name in kept])
    measured = _measured(rows, [name for name in kept if _alias(name) in named])
    naming = {name: named[_alias(name)] for name in kept if _alias(name) in named and name not in measured}
    left = [name for name in asked if name not in naming and name != SUBJECT]
    claim = PrivacyClaim(keys.identity.roles.quasi, keys.classes.models, person=_PERSON)
    found = disclosing_columns(rows, rows.sparkSession, claim, [_alias(name) for name in left], evidence.documents)
    end = "leave it out, or name it keep-identifying"
    return KeptMetadata(
        (
            *(f"metadata.{name}: names persons ({why}): {end}" for name, why in naming.items()),
            *(f"{name}: reveals recoded values ({why}): {end}" for name, why in found.telling.items()),
        ),
        tuple(
            f"{name} is published unchanged and may reveal recoded values. The table has too few people to "
            f"decide: {why}"
            for name, why in found.doubtful.items()
        ),
    )


def _is_sensitive(identity: IdentitySettings, name: str) -> bool:
    """Tell whether a column is called as sensitive attributes are, and as no other."""
    roles = {identity.roles.of(each) for each in identity.attributes_of_column(name)}
    return roles == {"sensitive"}


def _alias(name: str) -> str:
    """Return a column's name that is no attribute's."""
    return f"metadata.{name}"


def _rows(keys: IdentityKeys, evidence: GuaranteeEvidence, names: Sequence[str]) -> DataFrame:
    """Return a row a document: its person, quasi-identifiers as they were and as they are shown, and metadata."""
    quasi = keys.identity.roles.quasi
    documents = with_published_person(evidence.corpus, keys.identity)
    cells = [_cell(name, keeps_ids=evidence.plan.ids == KEEP).alias(_alias(name)) for name in names]
    view = evidence.corpus.identifiers.where(F.col("attribute").isin(*quasi))
    wide = view.groupBy("subject_id").pivot("attribute", list(quasi)).agg(F.first(F.struct("value", "generalized")))
    sides = [
        column(name).getField(part).alias(alias)
        for name in quasi
        for part, alias in (("value", original_of(name)), ("generalized", name))
    ]
    people = wide.select(F.col("subject_id").alias(_PERSON), *sides)
    return documents.select(F.col(PERSON).alias(_PERSON), *cells).join(people, on=_PERSON, how="left")


def _cell(name: str, *, keeps_ids: bool) -> Column:
    value = F.col(SUBJECT) if name == SUBJECT else F.element_at("meta", F.lit(name))
    value = F.nullif(value, F.lit(""))
    return F.nullif(value, F.col("doc_id")) if keeps_ids and name != SUBJECT else value


def _measured(rows: DataFrame, names: Sequence[str]) -> frozenset[str]:
    """Return metadata whose values are all doubles, most of which have a fraction: measurements name no one.

    Doubles without a fraction are integers in a column with missing values, such as record numbers.
    """
    if not names:
        return frozenset()
    every = [_is_measured(column(_alias(name))).alias(str(at)) for at, name in enumerate(names)]
    found = rows.agg(*every).first()
    assert found is not None
    return frozenset(name for at, name in enumerate(names) if found[at])


def _is_measured(cell: Column) -> Column:
    """Return whether cells are doubles, more than half of them with a fraction."""
    number = cell.try_cast("double")
    fractions = F.avg((number != F.floor(number)).cast("int"))
    return F.coalesce(F.bool_and(cell.rlike(_DOUBLE)) & (fractions > 0.5), F.lit(False))
