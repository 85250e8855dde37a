"""What commands on tables of people are told of their columns, and the claim that it makes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from spark_deid.anonymity.claim import PrivacyClaim, check_claim
from spark_deid.anonymity.demands import read_models
from spark_deid.anonymity.model_kind import ModelNeeds, SensitiveDistance
from spark_deid.anonymity.models import examples, models_that_look_at
from spark_deid.app.inputs import Master
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.errors import UsageError
from spark_deid.core.options import CommandOptions, OptionFlag, TextList, option
from spark_deid.ontology.hierarchy import read_hierarchies
from spark_deid.values.locale import is_day_first

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


def claim_of(options: ColumnOptions) -> PrivacyClaim:
    """Return what a table is said to satisfy; raises UsageError with all that is wrong, before the table is read."""
    columns = (*options.quasi, *options.sensitive)
    folder = options.hierarchies
    read = {} if folder is None else read_hierarchies(Path(folder), columns)
    try:
        is_day_first(options.locale)
    except ValueError as error:
        raise UsageError(f"--locale: {error}") from None
    claim = PrivacyClaim(
        quasi=options.quasi,
        models=read_models(options.model),
        sensitive=options.sensitive,
        person=options.person,
        distance=options.distance,
        hierarchies={name: hierarchy.rows for name, hierarchy in read.items()},
    )
    check_claim(claim, _given(options))
    idle = [
        f"{need.value}: expected --model to have {' or '.join(models_that_look_at(need))}"
        for need, place in options.references.items()
        if place and not any(need in demand.kind.looked_at for demand in claim.models.demands)
    ]
    if idle:
        raise UsageError("\n".join(idle))
    return claim


def _given(options: ColumnOptions) -> Iterable[ModelNeeds]:
    places = {**options.references, ModelNeeds.WORKSPACE: options.workspace}
    return (need for need, place in places.items() if place is not None)
