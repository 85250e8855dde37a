from spark_deid.core.span import Span
from spark_deid.rewriting.suppress import suppress


def test_neighbouring_names_become_one_placeholder_and_rare_runs_stay_apart() -> None:
    names = suppress("Ann Lee", [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    rare = suppress("Ann Lee", [Span(0, 3, "RARE"), Span(4, 7, "RARE")])
    assert [(e.start, e.end, e.replacement) for e in names] == [(0, 7, "[NAME]")]
    assert [(e.start, e.end, e.replacement) for e in rare] == [(0, 3, "★"), (4, 7, "★")]
