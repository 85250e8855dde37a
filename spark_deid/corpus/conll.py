"""CoNLL columns: a token a line with its tag (IOB1, IOB2, BIOES), a blank line between sentences."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, checked_id, checked_label, checked_record, checked_text
from spark_deid.corpus.checks import decode_records as decode
from spark_deid.corpus.conll_writer import is_tag, read_chunks, render_file
from spark_deid.corpus.format import CorpusFormat, ParserUnit

_COMMENT = re.compile(r"#\s*(?:text|sent_id|newdoc|newpar|global\.columns)\b|#(?:begin|end) document\b")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*?))?\s*")
_RAW_TEXT = re.compile(r"#\s*text\s*=\s?(.*)", re.DOTALL)
_SPACES = re.compile(" +")
_DOCSTART = "-DOCSTART-"


class ConllLayout(NamedTuple):
    """Where the columns of a file are: how they are kept separately, how many, and the places of token and tag."""

    tabs: bool
    width: int
    token: int
    tag: int

    def cells(self, line: str) -> list[str]:
        """Cut a line into its columns."""
        return line.split("\t") if self.tabs else _SPACES.split(line.strip(" "))

    def used(self, cells: Sequence[str]) -> tuple[str, str] | None:
        """Return token and tag of a line in columns; None where it has too few."""
        places = [place % len(cells) for place in (self.token, self.tag) if -len(cells) <= place < len(cells)]
        if len(places) < 2 or places[0] == places[1]:
            return None
        return cells[places[0]], cells[places[1]]


class ConllSentence(NamedTuple):
    """Tokens, their tags, and the raw text where the file gives it."""

    tokens: list[str]
    tags: list[str]
    raw: str | None


class _Part(NamedTuple):
    """The lines of one document, with their numbers in the file; ``mark`` is the line that begins it."""

    doc_id: str | None
    lines: list[tuple[int, str]]
    mark: str = ""


def parse_file(data: bytes, source: str, *, columns: tuple[int, int] | None = None) -> Iterator[Document | FormatError]:
    """Read the documents of a file, which ``# newdoc`` and ``-DOCSTART-`` begin; without them it is one document.

    Sentences are joined by a line break; a sentence is its ``# text``, or its tokens with a space between them.
    ``columns`` are the places of token and tag, from 0, negative from the end; else a first column that counts the
    tokens of every sentence, of three or more, puts the token second and the tag third, and without one the token is
    first and the tag last. Tabs keep columns apart where the file has any, else spaces.
    """
    lines = _lines(decode(data))
    layout = _layout(lines, columns)
    for number, part in enumerate(_parts(lines, layout), start=1):
        try:
            yield _document(part, layout, f"{source}#{number}")
        except FormatError as error:
            yield error


def _lines(text: str) -> list[str]:
    """Cut at line feeds; a carriage return belongs to the line end only where every line has one."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if all(line.endswith("\r") for line in lines):
        return [line[:-1] for line in lines]
    return lines


def _layout(lines: Sequence[str], columns: tuple[int, int] | None) -> ConllLayout:
    rows = [line for line in lines if line.strip() and not _COMMENT.match(line) and not line.startswith(_DOCSTART)]
    rows = [line for line in rows if line[0] != "#"] or rows
    tabs = any("\t" in line for line in rows)
    draft = ConllLayout(tabs, 0, 0, -1)
    widths = Counter(len(draft.cells(line)) for line in rows)
    width = max(widths, key=widths.__getitem__, default=2)
    if columns is not None:
        return ConllLayout(tabs, width, *columns)
    if width >= 3 and _counts_tokens(lines, draft):
        return ConllLayout(tabs, width, 1, 2)
    return ConllLayout(tabs, width, 0, -1)


def _counts_tokens(lines: Iterable[str], layout: ConllLayout) -> bool:
    expected = 1
    for line in lines:
        if not line.strip() or line.startswith(_DOCSTART):
            expected = 1
        elif line[0] != "#" or layout.cells(line)[0].isdigit():
            if layout.cells(line)[0] != str(expected):
                return False
            expected += 1
    return True


def _parts(lines: Sequence[str], layout: ConllLayout) -> Iterator[_Part]:
    """Cut at the marks of documents; a file without marks is one document, and comments before the first are none.

    A ``# newdoc`` right after ``-DOCSTART-`` names the document which that began.
    """
    part = _Part(None, [])
    for number, line in enumerate(lines, start=1):
        match = _NEW_DOCUMENT.fullmatch(line)
        if match is None and not line.startswith(_DOCSTART):
            part.lines.append((number, line))
            continue
        is_named_here = match is not None and part.mark.startswith(_DOCSTART)
        if _has_content(part.lines, layout) or (part.mark and not is_named_here):
            yield part
            part = _Part(None, [])
        part = _Part(match[1] if match else None, part.lines, line)
    if part.mark or part.lines:
        yield part


def _has_content(lines: Iterable[tuple[int, str]], layout: ConllLayout) -> bool:
    return any(line.strip() and (not _is_comment(line, layout) or _RAW_TEXT.fullmatch(line)) for _, line in lines)


def _document(part: _Part, layout: ConllLayout, default_id: str) -> Document:
    pieces: list[str] = []
    spans: list[Span] = []
    tokens: list[tuple[int, int]] = []
    length = 0
    for sentence in _sentences(part, layout):
        text = " ".join(sentence.tokens) if sentence.raw is None else sentence.raw
        starts, ends = _align(text, sentence.tokens)
        marked = _spans(starts, ends, sentence.tags)
        spans.extend(s._replace(start=s.start + length, end=s.end + length) for s in marked)
        tokens.extend((start + length, end + length) for start, end in zip(starts, ends, strict=True))
        pieces.append(text)
        length += len(text) + 1
    text = checked_text(checked_record("\n".join(pieces)))
    return Document(checked_id(part.doc_id or None, default_id), text, spans=tuple(spans), tokens=tuple(tokens))


def _sentences(part: _Part, layout: ConllLayout) -> Iterator[ConllSentence]:
    sentence = ConllSentence([], [], None)
    for number, line in [*part.lines, (0, "")]:
        if not line.strip():
            if sentence.tokens or sentence.raw is not None:
                yield sentence
            sentence = ConllSentence([], [], None)
        elif _is_comment(line, layout):
            match = _RAW_TEXT.fullmatch(line)
            sentence = sentence._replace(raw=match[1]) if match else sentence
        else:
            token, tag = _checked_row(line, layout, number)
            sentence.tokens.append(token)
            sentence.tags.append(tag)


def _is_comment(line: str, layout: ConllLayout) -> bool:
    """Tell a comment from a token that begins with ``#``: that has a tag, and no column too many."""
    if line[0] != "#":
        return False
    cells = layout.cells(line)
    used = layout.used(cells)
    is_token = used is not None and is_tag(used[1]) and (layout.tabs or len(cells) == layout.width)
    return _COMMENT.match(line) is not None or not is_token


def _checked_row(line: str, layout: ConllLayout, number: int) -> tuple[str, str]:
    used = layout.used(layout.cells(line))
    if used is None or not used[0]:
        raise FormatError("malformed", f"line {number}: expected a token and a tag in {layout.width} columns")
    if not is_tag(used[1]):
        raise FormatError("bad-annotation", f"line {number}: expected the tag O, or B, I, E or S with a label")
    return used


def _spans(starts: Sequence[int], ends: Sequence[int], tags: Sequence[str]) -> Iterator[Span]:
    for first, last, label in read_chunks(tags):
        yield Span(starts[first], ends[last], checked_label(label, "tag"), None, GOLD)


def _align(text: str, tokens: Sequence[str]) -> tuple[list[int], list[int]]:
    """Find the tokens one after the other; only whitespace may be between them."""
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for token in tokens:
        while position < len(text) and text[position].isspace() and not text.startswith(token, position):
            position += 1
        if not text.startswith(token, position):
            raise FormatError("bad-annotation", "expected the tokens of every sentence to make up its # text")
        starts.append(position)
        position += len(token)
        ends.append(position)
    if text[position:].strip():
        raise FormatError("bad-annotation", "expected the tokens of every sentence to make up its # text")
    return starts, ends


def _configure(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    if "columns" not in options:
        return format
    return replace(format, parse_file=partial(parse_file, columns=_places(options["columns"])))


def _places(value: str) -> tuple[int, int]:
    try:
        token, tag = (int(place) for place in value.split(","))
    except ValueError:
        token = tag = 0
    if 0 in (token, tag) or token == tag:
        raise UsageError("columns: expected the places of token and tag, from 1 or from -1 backwards, as in 2,-1")
    return token - (token > 0), tag - (tag > 0)


FORMAT = CorpusFormat(
    name="conll",
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".bioes", ".conll.txt", ".txt", ".tsv"),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    options=("columns", "encoding"),
    configure=_configure,
)
