"""Lists of terms as functions travel with them to workers."""

from dataclasses import dataclass

from spark_deid.core.hashing import fingerprint
from spark_deid.text.terms.term_list import WordList


@dataclass(frozen=True, eq=False)
class PreparedTerms:
    """A list as finders travel with it; two are equal by their digest, since lists are long and texts many."""

    terms: tuple[str, ...]
    expressions: tuple[str, ...]
    label: str
    match_case: bool
    digest: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PreparedTerms) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def prepared_terms(given: WordList, expressions: tuple[str, ...], label: str) -> PreparedTerms:
    """Read a list, its files too. Raises UsageError for a file that can't be read."""
    content = [list(given.terms), list(expressions), label, given.match_case]
    return PreparedTerms(given.terms, expressions, label, given.match_case, fingerprint(content))
