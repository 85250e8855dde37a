"""What a plan says of an external table whose records must not be told from a document."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from spark_deid.core.kinds import PlanSection
from spark_deid.core.options import option

ERASE, RECORD = "erase", "RECORD"
"""The name of the detector, technique and guarantee, and the label of the terms."""
Sensitive = Literal["shared", "telling"]


class EraseSettings(PlanSection):
    """An external table, and how many of its records must share what a document releases of any one."""

    table: str = Field(description="A table of records: CSV with a header, Parquet, or a Delta folder.", min_length=1)
    hierarchies: str = option("", "A folder with COLUMN.csv of ARX's form, for the columns that have one.")
    k: int = option(5, "Minimum number of records that fit the published terms of a document.", ge=2)
    columns: tuple[str, ...] = option((), "The columns to use. The default is all.")
    terms: Sensitive = option(
        "shared", "Generalize every term of the table (shared), or only terms that identify too few records."
    )

    @model_validator(mode="after")
    def _is_there(self) -> "EraseSettings":
        if not Path(self.table).exists():
            raise ValueError(f"table: {self.table}: no such file or folder")
        if self.hierarchies and not Path(self.hierarchies).is_dir():
            raise ValueError(f"hierarchies: expected a folder, got {self.hierarchies}")
        return self


def columns_in_metadata(columns: Iterable[str], metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Tell which metadata lets out columns of the table, of which k counts what texts tell alone.

    >>> (fault,) = columns_in_metadata(["zip", "ward"], {"Zip": "keep", "ward": "keyed"})
    >>> fault.partition(". ")[0]
    'metadata.Zip: keep would publish values of the records next to the texts'
    """
    known = {name.lower() for name in columns}
    return tuple(
        f"metadata.{name}: {way} would publish values of the records next to the texts. Remove the column, or "
        "list other columns in erase.columns"
        for name, way in metadata.items()
        if name.lower() in known and way != "keyed"
    )
