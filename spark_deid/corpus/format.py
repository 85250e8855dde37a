"""What a file format is: which files it reads, in which unit, and the functions that parse and render."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import BinaryIO

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.columns import CorpusColumns


class ParserUnit(Enum):
    """What one call of a format's parser gets."""

    DOCUMENT = "document"  # one file is one document
    BLOCK = "block"  # some lines are one record, which begins at a line that is known; cut as files of lines are
    LINE = "line"  # one line is one record; large files are cut at line ends
    FILE = "file"  # one file holds many records and is parsed whole
    TABLE = "table"  # rows with named columns


ParseDocument = Callable[[bytes, bytes | None, str, str], Document]
RenderDocument = Callable[[Document], Mapping[str, bytes]]
ParseLine = Callable[[bytes, str, str], Document | None]
RenderLine = Callable[[Document], str]
ParseFile = Callable[[bytes, str], Iterator[Document | FormatError]]
RenderFile = Callable[[Iterable[Document]], bytes]
ReadHeader = Callable[[BinaryIO, str], tuple[str, ...] | None]
BeginsRecord = Callable[[bytes, bytes | None, bytes | None, bytes], bool]
ParseRow = Callable[[Mapping[str, object], str, str], Document]


@dataclass(frozen=True)
class CorpusFormat:
    """Bind a format's name and suffixes to its parser and renderer.

    Only the pair of functions of ``unit`` is set. ``source`` is where the input stands (a relative path, with
    ``#number`` for a record) and is used in errors only.

    - ``parse_document(data, companion, source, doc_id)``: the bytes of a file, and of its companion or None.
      Raises FormatError.
    - ``render_document(document)``: the bytes of every file of a document, by suffix.
    - ``parse_line(line, source, default_id)``: one line without its line feed; None for a blank one. Raises
      FormatError. Of a BLOCK, all lines of a record.
    - ``begins(line, before, after, first)``: whether a record of a BLOCK begins at a line, by the lines before and
      after it (None at an end of the file) and the first line of the file.
    - ``render_line(document)``: one line, without its line feed.
    - ``parse_file(data, source)``: one value per record, in order; the n-th is named ``source#n``, which is also
      the ``doc_id`` of a record that has none. A FormatError that is raised instead rejects the whole file.
    - ``render_file(documents)``: the bytes of one file.
    - ``parse_row(row, source, default_id)``: one row by column name; strings come as bytes. Raises FormatError.

    ``holds_spans`` is False where documents bring no annotations, and those that they have are lost in writing.
    ``options`` names what ``configure(format, options)`` understands; it returns the format that obeys them and
    raises UsageError for a wrong value. ``labels`` are other names for labels of annotations, as they are read.

    Of a format with columns, ``columns`` are those that are read, and ``header(stream, source)`` shows the names that
    a file has from its beginning, or None. Files are in ``encoding``, UTF-8 where no option states another; where a
    format ``declares_encoding``, the option is for what does not state its own, and the format's only to obey.
    ``reads_any`` is whether a text may begin as RTF or another format (option ``content``).
    ``metadata`` names all that documents of the format may have, where that is known beforehand.
    Rows of a TABLE are read from Parquet files, or by Spark; ``spark_source`` names what Spark writes them with.
    ``left_out(document)`` counts what of a document is not text, and was not read; ``formulas(document)`` the cells of
    one that is written which spreadsheets would carry out.
    """

    name: str
    suffixes: tuple[str, ...]
    unit: ParserUnit
    companions: tuple[str, ...] = ()
    parse_document: ParseDocument | None = None
    render_document: RenderDocument | None = None
    parse_line: ParseLine | None = None
    render_line: RenderLine | None = None
    parse_file: ParseFile | None = None
    render_file: RenderFile | None = None
    parse_row: ParseRow | None = None
    options: tuple[str, ...] = ()
    holds_spans: bool = True
    configure: "Callable[[CorpusFormat, Mapping[str, str]], CorpusFormat] | None" = None
    labels: Mapping[str, str] = field(default_factory=dict)
    columns: CorpusColumns | None = None
    header: ReadHeader | None = None
    encoding: str = "utf-8"
    reads_any: bool = False
    declares_encoding: bool = False
    begins: BeginsRecord | None = None
    left_out: Callable[[Document], int] | None = None
    formulas: Callable[[Document], int] | None = None
    metadata: tuple[str, ...] = ()
    spark_source: str = ""

    @property
    def is_read(self) -> bool:
        """Tell whether the function is there that parses the format's unit, and files can be told by their names."""
        parsers = {
            ParserUnit.DOCUMENT: self.parse_document,
            ParserUnit.BLOCK: self.parse_line if self.begins else None,
            ParserUnit.LINE: self.parse_line,
            ParserUnit.FILE: self.parse_file,
            ParserUnit.TABLE: self.parse_row,
        }
        return parsers[self.unit] is not None and (bool(self.suffixes) or self.spark_source == "delta")

    @property
    def is_written(self) -> bool:
        """Return whether documents can be written in the format; Spark writes tables."""
        return any((self.spark_source, self.render_document, self.render_line, self.render_file))
