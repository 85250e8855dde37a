"""What one document tells of: a person, those around them, and the days on which it happens."""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from spark_deid.core.span import Span
from spark_deid.corpus.synthesis.draws import draw_between, draw_item, pick_early
from spark_deid.corpus.synthesis.people import InventedPerson
from spark_deid.corpus.synthesis.pools import DoctorName, ValuePools

_FIRST_DAY = date(2004, 1, 1)
_DAYS = 365 * 20
_USUAL_DOCTOR = 0.7


@dataclass(slots=True)
class DocumentScene:
    """Hold what must agree within one document; ``today`` moves on in documents that tell of many days."""

    draws: Random
    pools: ValuePools
    person: InventedPerson
    hospital: str
    doctor: DoctorName
    consultant: DoctorName
    colleague: DoctorName
    relative: str
    nurse: str
    admitted: date
    today: date
    date_form: str

    def write_date(self, day: date) -> str:
        """Write a day in the form of this document, or, seldom, in another one."""
        language = self.pools.language
        form = self.date_form if self.draws.random() < 0.8 else draw_item(self.draws, language.dates)
        return self._fill(form, day)

    def write_short_date(self, day: date) -> str:
        """Write a day without its year."""
        return self._fill(draw_item(self.draws, self.pools.language.short_dates), day)

    def _fill(self, form: str, day: date) -> str:
        language = self.pools.language
        return form.format(
            d=day.day,
            m=day.month,
            y=day.year,
            yy=day.year % 100,
            month=language.months[day.month - 1],
            abbr=language.abbreviations[day.month - 1],
        )

    def age(self) -> int:
        """Return the person's age today."""
        birth = self.person.birth_date
        return self.today.year - birth.year - ((self.today.month, self.today.day) < (birth.month, birth.day))


def make_scene(draws: Random, pools: ValuePools, person: InventedPerson) -> DocumentScene:
    """Draw who is there and when it happens; most documents are by the person's own doctor and hospital."""
    earliest = max(_FIRST_DAY, person.birth_date + timedelta(days=1))
    admitted = earliest + timedelta(days=int(draws.random() * ((_FIRST_DAY - earliest).days + _DAYS)))
    usual = draws.random() < _USUAL_DOCTOR
    given = pools.given_female if draws.random() < 0.5 else pools.given_male
    return DocumentScene(
        draws=draws,
        pools=pools,
        person=person,
        hospital=pools.hospitals[person.hospital] if usual else pick_early(draws, pools.hospitals),
        doctor=pools.doctors[person.doctor] if usual else draw_item(draws, pools.doctors),
        consultant=draw_item(draws, pools.doctors),
        colleague=draw_item(draws, pools.doctors),
        relative=pick_early(draws, given),
        nurse=pick_early(draws, pools.given_female),
        admitted=admitted,
        today=admitted + timedelta(days=draw_between(draws, 0, 12)),
        date_form=draw_item(draws, pools.language.dates),
    )


# The page a document is written on: text and its gold spans grow together.


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
