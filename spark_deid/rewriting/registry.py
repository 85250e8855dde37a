"""Techniques by name: what may become of a span.

A package provides a technique with an entry point of the group ``spark_deid.techniques`` whose value is a
``TechniqueKind``::

    [project.entry-points."spark_deid.techniques"]
    initials = "my_package.initials:KIND"
"""

from types import MappingProxyType
from typing import Any

from spark_deid.core.kinds import TechniqueKind
from spark_deid.core.registry import MethodRegistry

TECHNIQUES: MethodRegistry[TechniqueKind[Any]] = MethodRegistry(
    noun="technique",
    group="spark_deid.techniques",
    built_in=MappingProxyType(
        {
            "suppress": "spark_deid.rewriting.suppress:KIND",
            "keep": "spark_deid.rewriting.keep:KIND",
            "mask": "spark_deid.rewriting.mask:KIND",
            "generalize": "spark_deid.plausibility.technique:KIND",
            "recode": "spark_deid.identity.recode:KIND",
            "erase": "spark_deid.plausibility.k_safety.document:KIND",
            "neighbour": "spark_deid.private_training.technique:KIND",
            "surrogate": "spark_deid.surrogates.surrogate_technique:KIND",
            "shift": "spark_deid.surrogates.shift_technique:KIND",
            "pseudonym": "spark_deid.surrogates.pseudonym_technique:KIND",
        }
    ),
    kind=TechniqueKind,
)


def writes_placeholders(technique: str) -> bool:
    """Return whether the output of a technique reveals nothing of the original.

    >>> writes_placeholders("suppress")
    True
    """
    return TECHNIQUES.find(technique).placeholder is not None
