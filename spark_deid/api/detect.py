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
    """Return what the detectors of a plan, or a model, find in a text, in order of start; no Spark is started.

    Without a plan and a model, the plan ``names`` is used. ``allow`` and ``deny`` are further terms, as in
    ``redact``: an allowed span has the source ``<detector>/allowed``.

    Spans may overlap: what becomes of them is the plan's rules'. For many texts give a ``Plan``: it reads its model
    once. The first call after an install compiles what a model needs, about a minute, unless set-up did
    (``python -m spark_deid.app.compiling``), and logs a warning of it. Raises UsageError where the plan has a detector
    that looks at a whole corpus, and for what is no string.

    >>> [span[:3] for span in detect("Write to ann@example.org", plan={"patterns": {"kinds": ["email"]}})]
    [(9, 24, 'EMAIL')]
    """
    if plan is not None and model is not None:
        raise UsageError("detect: expected either a plan or a model, got both")
    if not isinstance(text, str):
        raise UsageError(f"detect: expected a string, got {type(text).__name__}; sanitize takes whole DataFrames")
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
