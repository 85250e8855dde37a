"""Recode a table, recount it, and write it with its manifest and report."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import MapType

import spark_deid
from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.fitted import FittedRecoding
from spark_deid.anonymity.metric import LossMetric
from spark_deid.anonymity.models import K, M
from spark_deid.anonymity.plots import plots_of
from spark_deid.anonymity.recode import Modes
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.applying import apply_fitted
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.figures import ReferenceTables
from spark_deid.anonymity.spark.finishing import compared_schema
from spark_deid.anonymity.spark.incognito import recode_by_incognito
from spark_deid.anonymity.spark.invariance import numbered, recode_by_invariance
from spark_deid.anonymity.spark.mondrian import COMPARED, MondrianRequest, cut_table
from spark_deid.anonymity.spark.persons import alike, hash_persons, sizes_of, spelling_warning
from spark_deid.anonymity.spark.reading import read_table
from spark_deid.app.inputs import Progress
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import AssessmentResult
from spark_deid.guarantees.gate import require
from spark_deid.plan.secret import SecretKey
from spark_deid.release.commit import MANIFEST, TABLE
from spark_deid.release.manifest import write_json
from spark_deid.release.publish import publish_table
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.release.workspace import RunFolders
from spark_deid.report.render import anonymization_report
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.folder import LocalFolder, StorageFolder
from spark_deid.storage.parts import PartFile as File
from spark_deid.storage.spark.tasks import read_parts

if TYPE_CHECKING:
    from spark_deid.app.anonymizing import AnonymizeOptions

MONDRIAN, INCOGNITO, INVARIANCE = "mondrian", "incognito", "m-invariance"
_BEFORE = " (before)"


@dataclass(frozen=True)
class TableRequest:
    """What is asked of a table: its claim, how it is recoded, and which further columns stay.

    ``fitted`` is an earlier recoding to apply; in ``private`` a new one of Mondrian is kept, and rows before and after.
    """

    claim: PrivacyClaim
    algorithm: str
    recoding: Modes
    is_relaxed: bool
    suppression: float
    metric: LossMetric
    keep: tuple[str, ...]
    secret: SecretKey
    fitted: FittedRecoding | None = None
    private: Path | None = None

    def published(self, columns: list[str]) -> tuple[str, ...]:
        """Return the columns of the result, in the table's order; raises UsageError for absent ones."""
        check_columns(self.claim, columns)
        absent = [name for name in self.keep if name not in columns]
        if absent:
            raise UsageError(
                f"--keep: {', '.join(absent)}: expected columns of the table, which has {', '.join(columns)}"
            )
        named = {*self.claim.columns, *self.keep}
        return tuple(name for name in columns if name in named)


@dataclass(frozen=True)
class InputTables:
    """The table, and others that models ask for."""

    table: DataFrame
    population: DataFrame | None = None
    previous: DataFrame | None = None


@dataclass(frozen=True)
class TableReleaseContents:
    """The files of a recoded table, what it claims, and figures without values of originals.

    ``before`` and ``after`` count classes by their persons.
    """

    files: tuple[File, ...]
    schema: pa.Schema
    claim: PrivacyClaim
    before: Counter[int]
    after: Counter[int]
    summary: Mapping[str, Any]


@dataclass(frozen=True)
class RecountedTable:
    """A recoded table that was recounted."""

    contents: TableReleaseContents
    assessed: tuple[AssessmentResult, ...]
    summary: Mapping[str, Any]


def make(
    tables: InputTables, request: TableRequest, scratch: Path, output: StorageFolder, progress: Progress
) -> RecountedTable:
    """Recode a table into files of a folder, and recount them; raises GateRefused where a model does not hold."""
    person = request.claim.person
    seen = alike(tables.table, person)
    tables = replace(tables, table=seen.table)
    if seen.respelled:
        progress(spelling_warning(seen.respelled, person))
    progress(f"recode by {_algorithm(request)}")
    made = _MAKERS[_algorithm(request)](tables, request, scratch, output)
    progress("recount")
    spark = tables.table.sparkSession
    beside = ReferenceTables(population=tables.population, previous=tables.previous)
    recount = assess_table(read_parts(spark, made.files, made.schema), made.claim, beside)
    require(recount.assessed, expected=made.claim.models.guarantees)
    told = {"respelled_ids": seen.respelled} if seen.respelled else {}
    return RecountedTable(made, recount.assessed, _summary(made, request) | told)


def write_anonymized(
    spark: SparkSession, options: "AnonymizeOptions", request: TableRequest, places: RunFolders, progress: Progress
) -> RecountedTable:
    """Recode the table of a command, and publish it; nothing of it stays where it is refused."""
    began = datetime.now(UTC)
    tables = InputTables(
        *(_read(spark, place, options) for place in (options.input, options.population, options.previous))
    )
    scratch = places.workspace.scratch
    if not isinstance(scratch, LocalFolder):
        raise UsageError(f"{scratch.uri}: expected a folder that workers see as a local path")
    if options.workspace is not None and request.fitted is None:
        request = replace(request, private=_path(places.workspace.folder))
    try:
        done = make(tables, request, scratch.path, places.release.child(TABLE), progress)
    except BaseException:
        places.release.remove(TABLE)
        raise
    progress("publish")
    manifest = _manifest(done, request, began)
    if options.workspace is not None:  # says whose it is, should this run be killed between the commit and its end
        plan = {"command": "anonymize", "input": options.input, "release": _placed(places.release)}
        places.workspace.folder.write(MANIFEST, write_json({**manifest, "plan": plan}).encode())
    report = anonymization_report(manifest, plots_of(done.contents.before, done.contents.after, _unit(done.contents)))
    publish_table(done.contents.files, done.contents.schema, places.release, manifest, report)
    return done


def _placed(folder: StorageFolder) -> str:
    return str(folder.path) if isinstance(folder, LocalFolder) else folder.uri


def _algorithm(request: TableRequest) -> str:
    return INVARIANCE if M in request.claim.models else request.algorithm


def _read(spark: SparkSession, place: str | None, options: "AnonymizeOptions") -> Any:
    return None if place is None else read_table(spark, place, delimiter=options.delimiter)


def _by_mondrian(
    tables: InputTables, request: TableRequest, scratch: Path, output: StorageFolder
) -> TableReleaseContents:
    published = request.published(tables.table.columns)
    asked = MondrianRequest(request.claim, published, request.recoding, request.is_relaxed, request.private)
    places = scratch / "mondrian", _path(output), request.secret.key
    if request.fitted is None:
        cut = cut_table(tables.table, asked, *places)
    else:
        cut = apply_fitted(tables.table, request.fitted, asked, *places)
    told = {
        "rows": cut.rows,
        "suppressed_rows": sum(cut.suppressed.values()),
        **({"suppressed_rows_by_reason": cut.suppressed} if cut.suppressed else {}),
        "loss": {"ncp": sum(cut.ncp.values()) / len(cut.ncp), "ncp_by_column": cut.ncp},
        "cuts": cut.splits,
        "cuts_of_whole_table": cut.top,
    }
    return TableReleaseContents(cut.files, cut.schema, request.claim, cut.before, cut.sizes, told)


def _by_incognito(
    tables: InputTables, request: TableRequest, scratch: Path, output: StorageFolder
) -> TableReleaseContents:
    chosen = _chosen(tables.table, request)
    private, quasi = request.private, request.claim.quasi
    copies = {f"{name}{_BEFORE}": _named(name).cast("string") for name in (quasi if private is not None else ())}
    recoded = recode_by_incognito(
        chosen.withColumns(copies),
        request.claim,
        suppression=request.suppression,
        population=tables.population,
        metric=request.metric,
    )
    table = recoded.table.drop(*map(_named, copies))
    if private is not None:
        _store_compared(recoded.table, request.claim, private / COMPARED)
    if request.claim.person is not None:
        table = hash_persons(table, request.claim.person, request.secret.key)
    return _stored(_in_order(table), request.claim, sizes_of(chosen, request.claim), recoded.summary, output)


def _store_compared(table: DataFrame, claim: PrivacyClaim, folder: Path) -> None:
    """Keep quasi-identifiers before and after beside each other."""
    schema = compared_schema(claim.quasi)
    sides = [side for name in claim.quasi for side in (f"{name}{_BEFORE}", name)]
    rows = table.select(*(_named(side).alias(name) for side, name in zip(sides, schema.names, strict=True)))
    folder.mkdir(mode=0o700)
    commit_table(LocalFolder(folder), schema, store_rows(rows, schema, LocalFolder(folder)))


def _by_invariance(
    tables: InputTables, request: TableRequest, scratch: Path, output: StorageFolder
) -> TableReleaseContents:
    claim, key = request.claim, request.secret.key
    chosen = hash_persons(_chosen(tables.table, request), claim.person or "", key)
    recoded = recode_by_invariance(chosen, claim, previous=tables.previous, key=key)
    return _stored(recoded.table, numbered(claim), sizes_of(chosen, claim), recoded.summary, output)


_Maker = Callable[[InputTables, TableRequest, Path, StorageFolder], TableReleaseContents]
_MAKERS: Mapping[str, _Maker] = MappingProxyType(
    {MONDRIAN: _by_mondrian, INCOGNITO: _by_incognito, INVARIANCE: _by_invariance}
)


def _in_order(table: DataFrame) -> DataFrame:
    """Put rows in an order that tells no more than they do: that of the input may tell who is who."""
    return table.orderBy(*(_named(field.name) for field in table.schema if not isinstance(field.dataType, MapType)))


def _chosen(table: DataFrame, request: TableRequest) -> DataFrame:
    names = request.published(table.columns)
    return table.select(*map(_named, names))


def _named(name: str) -> Column:
    return F.col(f"`{name.replace('`', '``')}`")


def _stored(
    table: DataFrame, claim: PrivacyClaim, before: Counter[int], summary: Mapping[str, Any], output: StorageFolder
) -> TableReleaseContents:
    schema = schema_of(table)
    files = store_rows(table, schema, output)
    after = sizes_of(read_parts(table.sparkSession, files, schema), claim)
    return TableReleaseContents(
        files, schema, claim, before, after, {"rows": sum(file.rows for file in files), **summary}
    )


def _path(folder: StorageFolder) -> Path:
    if not isinstance(folder, LocalFolder):
        raise UsageError(f"{folder.uri}: expected a folder that workers see as a local path")
    return folder.path


def _summary(contents: TableReleaseContents, request: TableRequest) -> dict[str, Any]:
    """Return what may be said in public: counts, levels and shares."""
    (k,) = contents.claim.models.numbers(K, 1)
    classes, units = contents.after.total(), sum(size * number for size, number in contents.after.items())
    own: dict[str, float] = {"discernibility": sum(size * size * number for size, number in contents.after.items())}
    own |= {"average_class_size": units / max(classes, 1) / float(k)}
    risks = {
        when: vars(risk_of({(size, 0): n for size, n in sizes.items()})) for when, sizes in _sizes(contents).items()
    }
    return {
        "algorithm": _algorithm(request),
        "model": str(contents.claim.models),
        "unit": _unit(contents),
        "classes": classes,
        unit_name(contents): units,
        **contents.summary,
        "loss": own | dict(contents.summary.get("loss", {})),
        "risk": risks,
    }


def _unit(contents: TableReleaseContents) -> str:
    """Return what classes have members of."""
    return "rows" if contents.claim.person is None else "persons"


def unit_name(contents: TableReleaseContents) -> str:
    """Return under which name the members of classes are counted."""
    return "members" if contents.claim.person is None else "persons"


def _sizes(contents: TableReleaseContents) -> dict[str, Counter[int]]:
    return {"before": contents.before, "after": contents.after}


def _manifest(done: RecountedTable, request: TableRequest, began: datetime) -> dict[str, object]:
    """Return counts, settings and versions; no values, paths or keys."""
    claim = done.contents.claim
    shown = {name: mode.value for name, mode in request.recoding.items()}
    return {
        "kind": "table",
        "columns": {
            "quasi": list(claim.quasi),
            "sensitive": list(claim.sensitive),
            "person": claim.person,
            "kept": list(request.keep),
            "with_hierarchy": sorted(claim.hierarchies),
        },
        "settings": {
            "recoding": shown if request.algorithm == MONDRIAN else None,
            "relaxed": request.is_relaxed,
            "suppression": request.suppression,
            "distance": claim.distance.value,
        },
        **done.summary,
        "class_sizes": {
            when: {str(size): each[size] for size in sorted(each)} for when, each in _sizes(done.contents).items()
        },
        "assessments": [each.assessment._asdict() for each in done.assessed],
        "versions": {"spark_deid": spark_deid.__version__},
        "times": {"started": began.isoformat(), "finished": datetime.now(UTC).isoformat()},
    }
