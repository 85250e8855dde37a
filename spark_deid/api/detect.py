"""Detectors on a string, in this process."""

import logging
from pathlib import Path

from spark_deid.api.plan import Plan, PlanLike, methods_of
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.compilation import report_compiling
from spark_deid.core.numerics.notices import COMPILING
from spark_deid.core.span import Span

_LOG = logging.getLogger(__name__)


def detect(text: str, *, plan: PlanLike | None = None, model: str | Path | None = None) -> tuple[Span, ...]:
    """Return what the detectors of a plan, or a model, find in a text, in order of start; no Spark is started.

    Spans may overlap: what becomes of them is the plan's rules'. For many texts give a ``Plan``: it reads its model
    once. The first call after an install compiles what a model needs, about a minute, unless set-up did
    (``python -m spark_deid.app.compiling``), and logs a warning of it. Raises UsageError where the plan has a detector
    that looks at a whole corpus, and for what is no string.

    >>> [span[:3] for span in detect("Write to ann@example.org", plan={"patterns": {"kinds": ["email"]}})]
    [(9, 24, 'EMAIL')]
    """
    if (plan is None) == (model is None):
        raise UsageError("detect: expected either a plan or a model")
    if not isinstance(text, str):
        raise UsageError(f"detect: expected a string, got {type(text).__name__}; sanitize takes whole DataFrames")
    chosen = Plan(model=model) if plan is None else methods_of(plan)
    with report_compiling(warn_of_compiling):
        found = {span for find in chosen.finders for span in find(text)} if text else set()
    return tuple(sorted(found, key=lambda span: (span.start, span.end, span.label, span.source)))


def warn_of_compiling() -> None:
    """Log that code is being compiled, once after an install, and how to have that done before."""
    _LOG.warning(COMPILING)
