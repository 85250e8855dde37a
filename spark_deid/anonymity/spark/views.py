"""Identifier views by the algorithms that recode tables: a person a row, who stays where nothing may be shown of them.

Sensitive columns have lists: a person holds several values, or none.
"""

from dataclasses import replace

import numpy as np
from pyspark.sql import DataFrame

from spark_deid.anonymity.choice import NodeChoice
from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.metric import LossMetric
from spark_deid.anonymity.recoding_kind import RecodingFolders, RecodingRequest
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.incognito import FullDomain, chosen_full_domain, recode_or_hide, search_full_domain
from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
from spark_deid.core.numerics.arrays import Bools
from spark_deid.engine.tasks import read_parts


def view_by_mondrian(view: DataFrame, request: RecodingRequest, folders: RecodingFolders) -> DataFrame:
    """Cut the persons of a view into classes; see ``cut_table``. Nobody is hidden."""
    published = request.published(view.columns)
    asked = MondrianRequest(request.claim, published, request.recoding, release_key=request.release_key)
    cut = cut_table(view, asked, folders.scratch, folders.output, request.key)
    return read_parts(view.sparkSession, cut.files, cut.schema)


def view_by_incognito(view: DataFrame, request: RecodingRequest, _: RecodingFolders) -> DataFrame:
    """Generalize every quasi-identifier of a view to one level; see ``search_full_domain``.

    Persons of classes that fail, at most the share ``request.suppression``, show nothing. They are a class too: where
    they do not satisfy the models together, the smallest other classes join them; where that is more than may be
    hidden, nobody is.
    """
    claim, published = request.claim, request.published(view.columns)
    found = search_full_domain(view, claim, suppression=request.suppression or 0.0, metric=request.metric)
    return recode_or_hide(view, with_hidden_class(found, request.metric)).select(*map(column, published))


def with_hidden_class(found: FullDomain, metric: LossMetric) -> FullDomain:
    """Return a search of which those who show nothing satisfy the models together, or that hides nobody.

    Raises GateRefused where no generalization satisfies the models of all.
    """
    kept = find_satisfying(found.choice, found.lattice.constraint)
    if found.choice.frequencies.persons[~kept].sum() > found.lattice.most:
        whole = replace(found.lattice, most=0, monotone=found.claim.models.monotone)
        return chosen_full_domain(found.claim, found.attributes, whole, metric)
    return replace(found, choice=replace(found.choice, outcome=replace(found.choice.outcome, kept=kept)))


def find_satisfying(found: NodeChoice, constraint: ClassConstraint) -> Bools:
    """Tell which classes are shown, so that all others together satisfy the models, or are none."""
    kept, frequencies = found.outcome.kept.copy(), found.frequencies
    held = frequencies.held
    for smallest in np.argsort(np.where(kept, frequencies.persons, np.iinfo(np.int64).max), kind="stable"):
        left = ~kept & (frequencies.persons > 0)
        inside = left[held.owners]
        counts = np.bincount(held.values[inside], weights=held.counts[inside], minlength=int(constraint.offsets[-1]))
        if not left.any() or satisfies(constraint, int(frequencies.persons[left].sum()), 0, counts.astype(np.int64)):
            break
        kept[smallest] = False
    return kept
