"""The page a document is written on: text and its gold spans grow together."""

from random import Random

from spark_deid.core.span import Span

_SWAP_LEAST = 4


class LabelledPage:
    """Collect pieces of text; a labelled piece becomes a span of exactly what was put down.

    ``shout`` writes capitals only, ``line_break`` replaces every line break, and ``typos`` is the chance that a piece
    without a label gets two of its letters swapped.
    """

    def __init__(self, draws: Random, *, shout: bool, line_break: str, typos: float) -> None:
        self.length = 0
        self.spans: list[Span] = []
        self._pieces: list[str] = []
        self._draws = draws
        self._shout = shout
        self._line_break = line_break
        self._typos = typos
        self._is_plain = not shout and line_break == "\n"

    def put(self, piece: str) -> None:
        """Add text that tells nothing about anyone."""
        if self._typos and len(piece) > _SWAP_LEAST and self._draws.random() < self._typos:
            piece = _misspell(piece, self._draws)
        if not self._is_plain:
            piece = self._changed(piece)
        self._pieces.append(piece)
        self.length += len(piece)

    def mark(self, piece: str, label: str) -> None:
        """Add text that is one gold span."""
        if not self._is_plain:
            piece = self._changed(piece)
        start = self.length
        self._pieces.append(piece)
        self.length += len(piece)
        self.spans.append(Span(start, self.length, label, source="gold"))

    def text(self) -> str:
        """Return all that was put down."""
        return "".join(self._pieces)

    def _changed(self, piece: str) -> str:
        piece = piece.upper() if self._shout else piece
        return piece.replace("\n", self._line_break)


def _misspell(piece: str, draws: Random) -> str:
    place = int(draws.random() * (len(piece) - 1))
    if piece[place : place + 2].isalpha():
        return piece[:place] + piece[place + 1] + piece[place] + piece[place + 2 :]
    return piece
