"""Labels: letters of any script, digits, ``_`` and ``-``, so that a placeholder can't hold anything else."""

from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

OTHER_LABELS = "(other labels)"
"""Represents the labels of annotations that are not edited and that no detector writes."""
_ALSO = frozenset("_-")
_LISTED = """
    NAME PERSON PER PATIENT DOCTOR CLINICIAN STAFF HCPNAME RELATIVE GIVEN_NAME SURNAME FIRST_NAME LAST_NAME
    NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO
"""
NAME_LABELS = frozenset(_LISTED.split())
"""Labels of names of people in public corpora and in the models of this package."""


def is_label(value: str) -> bool:
    """Return whether a string is a label.

    >>> is_label("ÜBER-2"), is_label("ID.NUM"), is_label("")
    (True, False, False)
    """
    return bool(value) and all(character.isalnum() or character in _ALSO for character in value)


def checked_label(value: str) -> str:
    """Return a label that a plan names; raise ValueError for what can be none."""
    if not is_label(value):
        raise ValueError(
            "expected a label of letters, digits, _ and -. Other characters in labels of an input become _"
        )
    return value


Label = Annotated[str, AfterValidator(checked_label)]
"""A label in a plan."""


@lru_cache(maxsize=4096)
def plain_label(value: str) -> str:
    r"""Return a label with ``_`` instead of characters that labels can't have; an empty one is ``_``.

    >>> plain_label("ID.NUM"), plain_label("a\nb"), plain_label("")
    ('ID_NUM', 'a_b', '_')
    """
    return "".join(c if c.isalnum() or c in _ALSO else "_" for c in value) or "_"
