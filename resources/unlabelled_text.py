"""English text without labels: what the neural model labels for the models of English to learn from."""

import html
import io
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq
from labelled_text import Source

VADER = Source(
    "reviews, posts and editorials of vaderSentiment 2.5",
    ("vader/vaderSentiment-2.5.tar.gz",),
    "cjhutto/vaderSentiment",
    "MIT",
)
FORTUNES = Source("fortunes of fortune-mod", ("fortunes",), "Debian's package fortunes", "BSD-3-Clause")
CRAFT = Source(
    "CRAFT, every third of its articles", ("craft/craft_articles.parquet",), "UCDenver-ccp/CRAFT", "CC BY 3.0"
)
UNLABELLED = (VADER, FORTUNES, CRAFT)
_SNIPPETS = ("tweets", "amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets")
_RESOURCES = "vaderSentiment-2.5/additional_resources/hutto_ICWSM_2014.tar.gz"
_LINES, _FORTUNES, _ARTICLES = 10, 6, 3
_CHARACTERS = 1500
"""Characters of one piece of a text, which continues to the end of its line."""


def unlabelled(data: Path) -> Iterator[tuple[str, str]]:
    """Yield texts by the names of their sources and their numbers."""
    for source, texts in ((VADER, _vader(data)), (FORTUNES, _fortunes(data)), (CRAFT, _craft(data))):
        yield from ((f"{source.name} {number}", text) for number, text in enumerate(texts))


def _vader(data: Path) -> Iterator[str]:
    """Yield ten snippets at a time: neighbours are of one review or editorial, as lines in use are."""
    with tarfile.open(data / VADER.files[0]) as outer:
        packed = io.BytesIO(outer.extractfile(_RESOURCES).read())
    with tarfile.open(fileobj=packed) as inner:
        for name in _SNIPPETS:
            content = inner.extractfile(f"hutto_ICWSM_2014/{name}_GroundTruth.txt").read().decode("utf-8", "replace")
            rows = (line.split("\t") for line in content.splitlines())
            snippets = (html.unescape(row[2]).strip().replace("''", '"') for row in rows if len(row) > 2)
            yield from (_lines(block) for block in _blocks(snippets, _LINES))


def _fortunes(data: Path) -> Iterator[str]:
    for path in sorted((data / FORTUNES.files[0]).iterdir()):
        if path.is_file() and not path.suffix:
            parts = path.read_text("utf-8", "replace").replace("\t", "  ").split("\n%\n")
            yield from ("\n\n".join(block) + "\n" for block in _blocks(filter(str.strip, parts), _FORTUNES))


def _craft(data: Path) -> Iterator[str]:
    articles = pq.read_table(data / CRAFT.files[0], columns=["text"])["text"].to_pylist()
    yield from articles[::_ARTICLES]


def _blocks(texts: Iterable[str], count: int) -> Iterator[list[str]]:
    given = iter(texts)
    while block := [*islice(given, count)]:
        yield block


def _lines(block: Sequence[str]) -> str:
    return "\n".join(block) + "\n"


def cut_at_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of pieces of a text, of whole lines each."""
    first = 0
    while first < len(text):
        last = text.find("\n", first + _CHARACTERS) + 1 or len(text)
        yield first, last
        first = last
