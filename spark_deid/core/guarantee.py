"""Assessments: checked instances of a privacy model."""

from typing import NamedTuple


class Assessment(NamedTuple):
    """Say whether a guarantee holds; ``parameters`` and ``evidence`` hold ids and counts, never text."""

    guarantee: str
    parameters: str
    value: float
    threshold: float
    satisfied: bool
    evidence: str
