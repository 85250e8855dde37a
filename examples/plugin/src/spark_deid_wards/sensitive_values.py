"""A privacy model: p-sensitive k-anonymity (Truta and Vinay, 2006). In a command: ``--model k=5,p-sensitive=3``.

Every class has at least p different values of each sensitive attribute.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from spark_deid.extending import ClassConstraint, ModelKind, ModelNeeds, ModelParameter, Numbers

if TYPE_CHECKING:
    from spark_deid.extending import ClassTable, ModelDemand, ModelFigure


def _tighten(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    """Let algorithms keep that many values in a class; what other models ask for remains."""
    return constraint._replace(distinct=max(constraint.distinct, int(numbers[0])))


def _count(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    """Count the values of each class in what was written, by Spark: nothing of it follows the constraint."""
    from pyspark.sql import functions as F

    from spark_deid.extending import CLASS, ModelFigure

    p = int(demand.numbers[0])
    values = F.count(F.lit(1))
    return tuple(
        ModelFigure(
            demand,
            table.holders(at).groupBy(CLASS).agg(values.alias("figure"), (values >= p).alias("holds")),
            threshold=p,
            least=True,
            sensitive=name,
        )
        for at, name in enumerate(table.claim.sensitive)
    )


KIND = ModelKind(
    guarantee="p-sensitive",
    numbers=(ModelParameter(Fraction(2), whole=True),),
    example="p-sensitive=3",
    describe="a class has at least p different sensitive values",
    tighten=_tighten,
    count=_count,
    needs=(ModelNeeds.SENSITIVE,),
    required_models=("k",),
    absorbing=True,
)
