"""Compare a text before and after edits, or settings of a table's recoding."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from spark_deid.api.compared_table import compare_frame
from spark_deid.core.errors import UsageError
from spark_deid.plan.clock import Progress, say_nothing
from spark_deid.report import highlight
from spark_deid.report.render import notebook_table

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from spark_deid.api.option_keywords import RecodingKeywords
    from spark_deid.app.figures import SettingFigures
    from spark_deid.core.edit import Edit, LabelledEdit
    from spark_deid.report.highlight import HighlightedText


@dataclass(frozen=True, repr=False)
class ComparedSettings:
    """Settings of a table's recoding with their loss, risks and omitted rows, and no row of the table.

    Attributes:
        settings: The figures of each setting. ``command`` is the call that returns its table.
    """

    settings: "tuple[SettingFigures, ...]"

    def _repr_html_(self) -> str:
        """Show figures and call of each setting."""
        rows = {f"{each.model} by {each.algorithm}": f"{_figures(each)}: {each.command}" for each in self.settings}
        return notebook_table("Compared settings", rows.items())

    def __repr__(self) -> str:
        lines = (f"{each.model} by {each.algorithm}: {_figures(each)}" for each in self.settings)
        return "\n".join((f"ComparedSettings({len(self.settings)})", *lines))


@overload
def compare(before: str, edits: "Iterable[Edit | LabelledEdit]") -> "HighlightedText": ...


@overload
def compare(
    before: "DataFrame | pd.DataFrame",
    *,
    models: str,
    quasi: Sequence[str],
    model: str = "",
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    population: "DataFrame | pd.DataFrame | None" = None,
    page: str | Path | None = None,
    scratch: str | Path | None = None,
    progress: Progress = say_nothing,
    **options: "Unpack[RecodingKeywords]",
) -> ComparedSettings: ...


def compare(before: Any, edits: Any = None, **given: Any) -> Any:
    """Show a text before and after edits, side by side, or compare settings of a table's recoding.

    ``compare(text, edits)`` shows a text. ``compare(frame, models="k=5,10,20", quasi=["age", "zip"])`` recodes a table
    by every setting and writes no table.

    Args:
        before: The original text, or a DataFrame of people, of Spark or pandas.
        edits: Disjoint edits, with offsets of the original.
        **given: For a DataFrame: ``models`` with their numbers, ``algorithm`` with one or several names, such as
            ``"mondrian,incognito"``, ``model`` with further models of every setting, ``page`` with a new private file
            for the page, and the arguments of ``sd.anonymize``.

    Returns:
        Both texts, highlighted in a notebook, or the figures of each setting.

    Raises:
        EditError: Edits overlap or leave the text.
        UsageError: An argument is wrong or absent.
    """
    if not isinstance(before, str):
        if edits is not None:
            raise UsageError("edits: only a text can have edits. For a table, name the models: models='k=5,10,20'")
        return ComparedSettings(compare_frame(before, **given))
    if edits is None or given:
        raise UsageError("compare: expected a text and its edits, or a DataFrame and models='k=5,10,20'")
    return highlight.compare(before, edits)


def _figures(each: "SettingFigures") -> str:
    """Return loss, risks and omitted rows in words, or the reason of the refusal."""
    if each.refused is not None:
        return f"refused: {each.refused}"
    loss = "unknown" if each.loss is None else f"{each.loss:.4g}"
    return (
        f"loss {loss}, highest risk {each.highest_risk:.4g}, average risk {each.average_risk:.4g}, "
        f"{each.suppressed_rows:,} rows suppressed, verdict {each.verdict}"
    )
