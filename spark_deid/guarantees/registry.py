"""Guarantees by name: what must hold before a release.

A package provides a guarantee with an entry point of the group ``spark_deid.guarantees`` whose value is a
``GuaranteeKind``::

    [project.entry-points."spark_deid.guarantees"]
    short = "my_package.short:KIND"

The name is the guarantee's key in a plan's ``guarantees``.
"""

from types import MappingProxyType
from typing import Any

from spark_deid.core.kinds import GuaranteeKind
from spark_deid.core.registry import MethodRegistry

GUARANTEES: MethodRegistry[GuaranteeKind[Any]] = MethodRegistry(
    noun="guarantees",
    group="spark_deid.guarantees",
    built_in=MappingProxyType(
        {
            "coverage": "spark_deid.guarantees.every_character:KIND",
            "k_repeating": "spark_deid.repeats.guarantee:KIND",
            "t_plausible": "spark_deid.plausibility.guarantee:KIND",
            "k_shared_records": "spark_deid.plausibility.k_safety.guarantee:KIND",
            "shown_by_the_mode": "spark_deid.identity.mode_guarantee:KIND",
            "k_anonymous_persons": "spark_deid.identity.guarantee:KIND",
            "pseudonymized_words": "spark_deid.private_training.guarantee:KIND",
            "consistent_surrogates": "spark_deid.surrogates.guarantee:KIND",
            "residual_risk": "spark_deid.greedy.guarantee:KIND",
        }
    ),
    kind=GuaranteeKind,
)
