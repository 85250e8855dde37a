"""Options of commands for tables of people."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from spark_deid.anonymity.metric import LossMetric
from spark_deid.anonymity.model_options import ModelNeeds, SensitiveDistance
from spark_deid.anonymity.models import examples
from spark_deid.anonymity.recodings import MONDRIAN, describe_algorithms, offered_names
from spark_deid.app.options.fields import Master, private_folder_of
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.options import CommandOptions, OptionFlag, TextList, one_of, option

TableOptions = Annotated[
    dict[str, str],
    OptionFlag("--option"),
    Field(description="How the files of a table are read: missing_columns=null for columns that some files lack."),
]


class ColumnOptions(CommandOptions):
    """Which columns of a table are which, and what its classes must satisfy."""

    quasi: tuple[str, ...] = Field(description="Quasi-identifiers: columns, with commas between.", min_length=1)
    model: Annotated[str, TextList()] = Field(description=f"Some of {', '.join(examples())}.")
    sensitive: tuple[str, ...] = option((), "Sensitive columns, with commas between.")
    person: str | None = option(None, "The column that names the person of a row; else every row is one.")
    hierarchies: str | None = option(None, "A folder of hierarchies, <column>.csv in ARX's form.")
    distance: SensitiveDistance = option(
        SensitiveDistance.AUTO, "How far sensitive values are apart, for t; by the column."
    )
    population: str | None = option(None, "The table of all whom the table may be about, for delta.")
    locale: str = option("en_US", "Whose order of days and months dates have where cells do not tell, such as en_GB.")
    delimiter: str = option(",", "The character between cells of CSV, or tab.")
    quote: str = option('"', "The character around cells of CSV.")
    escape: str | None = option(None, "The character before a quote in a quoted cell of CSV; by default the quote.")
    master: Master = None
    options: TableOptions = Field(default_factory=dict)
    workspace: str | None = option(
        None, "The workspace of the run that made the table: who is who, for m, and the types of columns, for delta."
    )

    @property
    def dialect(self) -> CsvDialect:
        """Return how cells of CSV are written. Raises UsageError for wrong characters."""
        given = {"delimiter": self.delimiter, "quote": self.quote}
        return CsvDialect.of_options(given | ({} if self.escape is None else {"escape": self.escape}))

    @property
    def references(self) -> Mapping[ModelNeeds, str | None]:
        """Return what only models look at, by what they need; a population is read by the types of the workspace."""
        workspace = None if self.population else self.workspace
        return {ModelNeeds.POPULATION: self.population, ModelNeeds.WORKSPACE: workspace}


class RecodingOptions(ColumnOptions):
    """How a table is recoded, wherever it lies."""

    algorithm: Annotated[str, one_of(offered_names)] = option(MONDRIAN, describe_algorithms())
    recoding: Annotated[str, TextList()] = option(
        "bands",
        "What mondrian's classes, and those of m, show: bands, region or tight, or column=mode with commas between.",
    )
    relaxed: Annotated[bool, OptionFlag("--relaxed")] = option(False, "Let mondrian part rows of one value.")
    suppression: float | None = option(
        None,
        "Maximum fraction of rows that incognito (0 by default) or --fitted (no limit by default) may omit.",
        ge=0,
        lt=1,
    )
    loss: LossMetric = option(LossMetric.NCP, "What incognito's generalization loses least of.")
    keep: tuple[str, ...] = option((), "Further columns to be written; what nobody names is not.")
    keep_identifying: tuple[str, ...] = option((), "Those of them that may name persons, or tell what is recoded.")
    fitted: str | None = option(None, "An earlier run's workspace: its recoding is applied to this batch.")
    previous: str | None = option(None, "The workspace of the release before, for m.")
    workspace: str | None = option(
        None, "A private folder that keeps who is who, rows before and after, and the recoding."
    )
    fail_on: Literal["bad", "fair"] | None = option(
        None, "Verdict from which on nothing is written and the exit code is 3: bad, or fair and worse."
    )
    key_file: Path | None = option(None, "A key for what is drawn, such as ties of --relaxed; a random one by default.")

    @property
    def references(self) -> Mapping[ModelNeeds, str | None]:
        """Return what only models look at, by what they need."""
        return {ModelNeeds.POPULATION: self.population, ModelNeeds.PREVIOUS: self.previous}


class AnonymizeOptions(RecodingOptions):
    """A table of people, and where it is written so that models hold."""

    input: str = Field(description="A table: Delta, Parquet or CSV.")
    output: str = Field(description="A new folder for table, manifest.json and report.html.")

    @property
    def private(self) -> str:
        """Return the place of everything that holds originals."""
        return self.workspace or private_folder_of(self.output)
