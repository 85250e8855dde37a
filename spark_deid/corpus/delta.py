"""Delta tables: the columns of Parquet, read and written by Spark only."""

from spark_deid.corpus.columns import OPTIONS
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.records import DEFAULT, configure_records, parse_row

FORMAT = CorpusFormat(
    name="delta",
    suffixes=(),
    unit=ParserUnit.TABLE,
    parse_row=parse_row,
    options=(*OPTIONS, "version", "content"),
    configure=configure_records,
    columns=DEFAULT,
    spark_source="delta",
)
