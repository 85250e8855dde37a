"""What commands on tables of people are told of their columns, and the claim that it makes."""

from collections.abc import Iterable
from pathlib import Path

from spark_deid.anonymity.claim import PrivacyClaim, check_claim
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.models import models_that_look_at, read_models
from spark_deid.app.options.tables import ColumnOptions
from spark_deid.core.errors import UsageError
from spark_deid.ontology.hierarchy import read_hierarchies
from spark_deid.values.locale import is_day_first


def claim_of(options: ColumnOptions) -> PrivacyClaim:
    """Return what a table is said to satisfy; raises UsageError with all that is wrong, before the table is read."""
    columns = (*options.quasi, *options.sensitive)
    folder = options.hierarchies
    read = {} if folder is None else read_hierarchies(Path(folder), columns)
    try:
        is_day_first(options.locale)
    except ValueError as error:
        raise UsageError(f"--locale: {error}") from None
    claim = PrivacyClaim(
        quasi=options.quasi,
        models=read_models(options.model),
        sensitive=options.sensitive,
        person=options.person,
        distance=options.distance,
        hierarchies={name: hierarchy.rows for name, hierarchy in read.items()},
    )
    check_claim(claim, _given(options))
    idle = [
        f"{need.value}: expected {' or '.join(models_that_look_at(need))} in --model"
        for need, place in options.references.items()
        if place and not any(need in demand.kind.looked_at for demand in claim.models.demands)
    ]
    if idle:
        raise UsageError("\n".join(idle))
    return claim


def _given(options: ColumnOptions) -> Iterable[ModelNeeds]:
    places = {**options.references, ModelNeeds.WORKSPACE: options.workspace}
    return (need for need, place in places.items() if place is not None)
