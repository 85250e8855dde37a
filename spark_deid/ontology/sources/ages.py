"""Ages in years, and bands of 5, 10 and 20 years that they are in; 90 and more are one band, as HIPAA asks."""

import re
from collections.abc import Iterator

from spark_deid.ontology.building import ConceptSource, SourceConcept
from spark_deid.ontology.spelling import TermSpelling

OLDEST = 120
TOP = 90
BANDS = (5, 10, 20)
ANY = "any age"
_PATTERN = re.compile(
    r"(?<![\w.,/-])(?:aged\s+|age\s+)?(?P<years>\d{1,3})"
    r"(?:[\s-]*(?:years?|yrs?|yo|y/o|y\.o\.)(?:[\s-]+olds?|[\s-]+of[\s-]+age)?)?(?![\w/-]|[.,]\d)",
    re.IGNORECASE,
)


def source() -> ConceptSource:
    """Return all ages up to 120 with the bands that they are in."""
    return ConceptSource(tuple(_concepts()))


def _concepts() -> Iterator[SourceConcept]:
    for age in range(OLDEST + 1):
        yield SourceConcept(str(age), (str(age),), (_band(age, BANDS[0]),))
    above: dict[str, str] = {}
    for narrow, wide in zip(BANDS, (*BANDS[1:], None), strict=True):
        for age in range(OLDEST + 1):
            name, up = _band(age, narrow), ANY if wide is None else _band(age, wide)
            if name != up:
                above.setdefault(name, up)
    yield from (SourceConcept(name, (name,), (up,)) for name, up in above.items())
    yield SourceConcept(ANY, (ANY,))


def _band(age: int, width: int) -> str:
    if age >= TOP:
        return f"{TOP // width * width} or older"
    start = age // width * width
    return f"{start} or older" if start + width > TOP else f"{start}-{start + width - 1}"


def _word(found: re.Match[str]) -> str | None:
    years = int(found["years"])
    return str(years) if years <= OLDEST else None


def _replacement(term: str, name: str) -> str:
    """Put a band in the place of the figures, as in "45-49 years old"; what is not a band is separate."""
    return re.sub(r"\d+", name, term, count=1) if name[:1].isdigit() else name


SPELLING = TermSpelling(_PATTERN, _word, _replacement)
