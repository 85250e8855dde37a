"""What stands for the values of one scope after the other, as the rows of a sorted table tell them."""

from collections.abc import Iterable, Mapping, Sequence

from spark_deid.surrogates.scoped import AssignedText, ScopedTechnique

AssignedRow = tuple[str, str, str, str | None, bool]
"""A scope with the fields of an ``AssignedText``, but for ``clashes``: it is of one run alone."""


class ScopeAssignments:
    """Take the values of scopes, all of one before those of the next, and tell what stands for them.

    Values are assigned when all of their scope were taken: when something else is asked for, or taken.
    """

    def __init__(self, work: ScopedTechnique) -> None:
        self.work = work
        self._scope: str | None = None
        self._values: dict[tuple[str, str], None] = {}
        self._earlier: list[AssignedText] = []
        self._assigned: Mapping[tuple[str, str], AssignedText] | None = None
        self._rows: list[AssignedRow] = []

    def take(self, scope: str, rows: Iterable[tuple[str, str, str | None]], *, is_earlier: bool) -> None:
        """Take pools, values and what stands for them if it was assigned earlier; ``pool`` is a family then."""
        self._turn_to(scope)
        if is_earlier:
            self._earlier += (AssignedText(*row) for row in rows)
        else:
            self._values.update(dict.fromkeys(row[:2] for row in rows))

    def of_scope(self, scope: str) -> Mapping[tuple[str, str], AssignedText]:
        """Return what stands for the values of a scope, by family and value."""
        self._turn_to(scope)
        return self._assign()

    def rows(self, *, is_end: bool = False) -> Sequence[AssignedRow]:
        """Return what was assigned since this was asked last; at the end, that of the last scope, too."""
        if is_end:
            self._turn_to(None)
        rows, self._rows = self._rows, []
        return rows

    def _turn_to(self, scope: str | None) -> None:
        if scope == self._scope:
            return
        if self._scope is not None:
            self._assign()
        self._scope, self._values, self._earlier, self._assigned = scope, {}, [], None

    def _assign(self) -> Mapping[tuple[str, str], AssignedText]:
        if self._assigned is None and self._scope is not None:
            found = [*self.work.assign(self._scope, self._values, self._earlier)]
            self._assigned = {(each.family, each.value): each for each in found}
            self._rows += ((self._scope, *each[:-1]) for each in found)
        return self._assigned or {}
