"""How messages name the columns of a table, whose first row may hold values where it should name them."""

import re
from collections.abc import Iterable

_MOST_NAMES = 40
_NAME = re.compile(r"(?!.*\d{5})[^\W\d][\w.:/()#-]{0,39}")
_WORDS = re.compile(r"(?=.{1,40}\Z)(?!.*\d{5})[^\W\d][\w.:/()#-]*(?: [\w.:/()#-]+){1,2}")
"""Two or three words: a header's (Date of Birth) or a value's (Ann of Boston), which nothing tells apart."""
_PART = re.compile(r"[^\W\d_]+?(?=[A-Z](?<=[a-z].)|[\W\d_]|\Z)")
"""A word of a name such as ``patient_id`` or ``birthDate``."""
_WORDS_OF_HEADERS = """
address admission age anrede author befund bericht birth birthdate bmi body category city class code comment comments
content copied correo country county data date datum department description details diagnose diagnosis diagnostico
direccion disease doc document domicilio dose drug edad education email encounter event fecha file format freitext
geburtsdatum gender geschlecht group hospital html id idx income index informe label labels language letter location
mail message meta metadata mrn nachname name names nationality nombre note notes notiz num number occupation paciente
patient person phone pid plz postcode question reason recipients record references region reply report response salary
sample sender sent service sex sexe sexo source ssn state status subject summary tag tags tel telefon text texte texto
thread ticket time timestamp title transcript tweet type url user value version visit vorname ward weight year zip
zipcode
"""
_USUAL = frozenset(_WORDS_OF_HEADERS.split())
"""Words of which names of columns are made, and few surnames."""

_NO_NAMES = "the header does not look like column names, so it is not shown"


def columns_text(names: Iterable[str]) -> str:
    """Name the columns of a table, as far as their names are no values: a first row without a header may hold these.

    Those are shown that have a usual word of headers, since a row of single words (Ann, Lee, flu) looks like one, too;
    the rest is counted; further see ``named_columns``.

    >>> columns_text(["note", "patient"])
    "its columns are 'note', 'patient'"
    >>> columns_text(["Ann", "Lee", "flu"])
    'it is unknown whether the first row has column names or values, so it is not shown. Check it: 3 cells'
    >>> columns_text(["Ann", "Lee", "visit"])
    "its columns are 'visit' and 2 that may be values and are not shown"
    >>> columns_text(["note", "Ann Lee was seen again"])
    'the header does not look like column names, so it is not shown'
    """
    given = tuple(names)
    result = named_columns(given)
    if result == _NO_NAMES or not any(map(_NAME.fullmatch, given)):
        return result
    usual = [name for name in given if _is_usual(name) or _WORDS.fullmatch(name)]
    if not any(map(_is_usual, given)):
        cells = f"{len(given)} cell{'' if len(given) == 1 else 's'}"
        return f"it is unknown whether the first row has column names or values, so it is not shown. Check it: {cells}"
    rest = len(given) - len(usual)
    return named_columns(usual) + (f" and {rest} that may be values and are not shown" if rest else "")


def _is_usual(name: str) -> bool:
    """Tell whether a name is one of a column by a word of it."""
    return _NAME.fullmatch(name) is not None and any(part.casefold() in _USUAL for part in _PART.findall(name))


def named_columns(names: Iterable[str]) -> str:
    """Name columns that are no first row of a file, such as those of a DataFrame.

    A name is a letter or ``_`` and up to 39 letters, digits and signs of names, no five digits in a row. One of two or
    three such words may be a person's, and is counted; where anything else stands, none is shown.

    >>> named_columns(["note", "Ann Lee", "Date of Birth"])
    "its columns are 'note' and 2 names with spaces, which are not shown"
    """
    given = tuple(names)
    shown = [name for name in given if _NAME.fullmatch(name)]
    spaced = sum(1 for name in given if _WORDS.fullmatch(name))
    if not given or len(shown) + spaced < len(given):
        return _NO_NAMES
    if not shown:
        return f"its {spaced} column names contain spaces and are not shown"
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    hidden = f" and {spaced} names with spaces, which are not shown" if spaced else ""
    return f"its columns are {', '.join(map(repr, shown[:_MOST_NAMES]))}{more}{hidden}"
