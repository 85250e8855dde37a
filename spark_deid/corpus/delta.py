"""Delta tables: the columns of Parquet, read and written by Spark alone."""

from spark_deid.corpus.columns import OPTIONS
from spark_deid.corpus.format import Format, Unit
from spark_deid.corpus.records import DEFAULT, configure
from spark_deid.corpus.tables import parse_row

FORMAT = Format(
    name="delta",
    suffixes=(),
    unit=Unit.TABLE,
    parse_row=parse_row,
    options=(*OPTIONS, "version"),
    configure=configure,
    columns=DEFAULT,
)
