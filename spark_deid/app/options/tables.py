"""Options of commands for tables of people."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from spark_deid.anonymity.model_options import ModelNeeds, SensitiveDistance
from spark_deid.anonymity.models import examples
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.recodings import MONDRIAN, describe_algorithms, offered_names
from spark_deid.app.options.fields import Engine, Master, new_private_file, private_folder_of
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.options import CommandOptions, OptionFlag, TextList, loosen_option, one_of, option

TableOptions = Annotated[
    dict[str, str],
    OptionFlag("--option"),
    Field(description="Option of the table's files: missing_columns=null accepts files that lack some columns."),
]


class ColumnOptions(CommandOptions):
    """Which columns of a table are which, and what its classes must satisfy."""

    quasi: tuple[str, ...] = Field(description="Quasi-identifiers: columns, separated by commas.", min_length=1)
    model: Annotated[str, TextList()] = Field(description=f"Some of {', '.join(examples())}.")
    sensitive: tuple[str, ...] = option((), "Sensitive columns, separated by commas.")
    person: str | None = option(None, "Column with the person of each row. By default, each row is one person.")
    hierarchies: str | None = option(None, "A folder of hierarchies, named <column>.csv, in ARX's format.")
    distance: SensitiveDistance = option(
        SensitiveDistance.AUTO, "Distance between sensitive values for t. auto decides by the column."
    )
    population: str | None = option(None, "Table of the population, for delta.")
    locale: str = option("en_US", "Locale whose order of day and month applies to ambiguous dates, such as en_GB.")
    delimiter: str = option(",", "Separator of CSV cells. A tab can be written as tab.")
    quote: str = option('"', "Quote character of CSV cells.")
    escape: str | None = option(
        None, "Escape character before a quote in a quoted cell of CSV. By default, quotes are doubled."
    )
    master: Master = None
    engine: Engine = "auto"
    options: TableOptions = Field(default_factory=dict)
    workspace: str | None = option(
        None,
        "Workspace of the run that wrote the table. It has the people, for m, and the types of columns, for delta.",
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
    """How a table is recoded, everywhere it is."""

    algorithm: Annotated[str, one_of(offered_names)] = option(MONDRIAN, describe_algorithms())
    recoding: Annotated[str, TextList()] = option(
        "bands",
        "Ranges that mondrian and m publish: bands, region or tight, or column=mode separated by commas.",
    )
    relaxed: Annotated[bool, OptionFlag("--relaxed")] = option(False, "Allow mondrian to split rows of equal values.")
    suppression: float | None = option(
        None,
        "Maximum fraction of omitted rows. The default is 0 for incognito and no limit for --fitted.",
        ge=0,
        lt=1,
    )
    loss: LossMetric = option(LossMetric.NCP, "Loss that incognito minimizes.")
    keep: tuple[str, ...] = option((), "Further columns to publish. Other columns are not written.")
    keep_identifying: tuple[str, ...] = option(
        (), "Columns of --keep that are published although they may identify people."
    )
    fitted: str | None = option(None, "Workspace of an earlier run whose recoding is applied to this table.")
    previous: str | None = option(None, "Workspace of the previous release, for m.")
    workspace: str | None = option(
        None, "A private folder for the people, the rows before and after, and the recoding."
    )
    fail_on: Literal["bad", "fair"] | None = option(
        None, "Write no table and exit with 3 if the verdict is bad, or with fair also if it is fair."
    )
    key_file: Path | None = option(
        None, "Key file for random choices, such as ties of --relaxed. The default is a random key."
    )

    @property
    def references(self) -> Mapping[ModelNeeds, str | None]:
        """Return what only models look at, by what they need."""
        return {ModelNeeds.POPULATION: self.population, ModelNeeds.PREVIOUS: self.previous}


class AnonymizeOptions(RecodingOptions):
    """A table of people, and where it is written so that models hold."""

    input: str = Field(description="A table in Delta, Parquet or CSV.")
    output: str = Field(description="A new folder for the table, manifest.json and report.html.")

    @property
    def private(self) -> str:
        """Return the place of everything that holds originals."""
        return self.workspace or private_folder_of(self.output)


class TableCommandOptions(RecodingOptions):
    """The options of ``spark-deid anonymize``: a table of people that is recoded, or whose settings are compared."""

    input: str = Field(description="A table in Delta, Parquet or CSV.")
    output: str | None = loosen_option(AnonymizeOptions, "output")
    model: Annotated[str, TextList()] = option(
        "", f"Some of {', '.join(examples())}. With --compare, further models of every setting."
    )
    algorithm: Annotated[str, TextList()] = option(
        MONDRIAN, f"{describe_algorithms()} With --compare, several separated by commas."
    )
    compare: Annotated[str | None, TextList()] = option(
        None, "Compare settings, such as k=5,10,20: loss, risk and omitted rows of each. No table is written."
    )
    page: str | None = option(None, "New private file (mode 0600) for the page of --compare.")
    scratch: Path | None = option(None, "A folder that every worker of the cluster sees. Needs --compare.")

    _is_new = field_validator("page")(new_private_file)
