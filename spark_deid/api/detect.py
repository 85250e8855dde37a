"""Detectors on a string, in this process."""

import logging
from functools import cache
from pathlib import Path

from spark_deid.api.plan import Plan, PlanLike, Terms, methods_of, with_terms
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.compilation import report_compiling
from spark_deid.core.numerics.notices import COMPILING
from spark_deid.core.span import Span

NAMES = "names"
"""The plan that is used if no plan is named."""
_LOG = logging.getLogger(__name__)


def detect(
    text: str,
    *,
    plan: PlanLike | None = None,
    model: str | Path | None = None,
    allow: Terms | None = None,
    deny: Terms | None = None,
) -> tuple[Span, ...]:
    """Return the spans that the detectors of a plan or a model find in a text.

    No Spark is started. Spans may overlap: the rules of a plan decide between them. A ``Plan`` reads its model once, so
    create one for many texts. The first call after an install compiles code for about a minute, unless set-up did
    (``python -m spark_deid.app.compiling``), and logs a warning.

    Args:
        text: The text.
        plan: A plan, by default ``names``.
        model: A model to use instead of a plan.
        allow: Further terms to keep. Their spans have the source ``<detector>/allowed``.
        deny: Further terms to find.

    Returns:
        The spans in order of their starts.

    Raises:
        UsageError: The plan has a detector that reads a whole corpus, or ``text`` is not a string.

    >>> [span[:3] for span in detect("Write to ann@example.org", plan={"patterns": {"kinds": ["email"]}})]
    [(9, 24, 'EMAIL')]
    """
    if plan is not None and model is not None:
        raise UsageError("detect: expected either a plan or a model, got both")
    if not isinstance(text, str):
        raise UsageError(f"detect: expected a string, got {type(text).__name__}. For a DataFrame, use sanitize")
    chosen = _plan(model, allow, deny) if plan is None else with_terms(plan, allow, deny)
    with report_compiling(warn_of_compiling):
        found = {span for find in chosen.finders for span in find(text)} if text else set()
    return tuple(sorted(found, key=lambda span: (span.start, span.end, span.label, span.source)))


def _plan(model: str | Path | None, allow: Terms | None, deny: Terms | None) -> Plan:
    if model is not None:
        return with_terms(Plan(model=model), allow, deny)
    if allow is None and deny is None:
        return _default_plan()
    return with_terms(_default_plan(), allow, deny)


@cache
def _default_plan() -> Plan:
    return methods_of(NAMES)


def warn_of_compiling() -> None:
    """Log that code is being compiled, once after an install, and how to have that done before."""
    _LOG.warning(COMPILING)
