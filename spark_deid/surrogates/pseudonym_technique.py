"""The technique ``pseudonym``: numbered placeholders, which the workspace can turn back."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.hashing import keyed_number
from spark_deid.core.kinds import Gatherer, MethodContext, PlanView, Reader, TechniqueKind
from spark_deid.core.span import Span
from spark_deid.surrogates.scoped import UNREAD, AssignedText, MentionWriter, infers_persons, read_alone, read_assigned
from spark_deid.surrogates.settings import PSEUDONYM, PseudonymSettings
from spark_deid.surrogates.spark.assigning import ScopeGatherer
from spark_deid.values.plain import plain_form

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


# Pseudonyms of a scope: numbered placeholders, in an order that the secret key only shows.


_FORM = re.compile(r"\[([A-Z0-9_ -]+) (\d{1,9})\]", re.IGNORECASE)
REMOVED = "removed"
"""The pool of texts that no pseudonym may be."""
_POSSESSIVE = re.compile(r"['’]s\Z")


@dataclass(frozen=True)
class PseudonymWork:
    """Which labels have pseudonyms, all but ``others`` where ``*`` is among them, and the secret of their order."""

    labels: frozenset[str]
    others: frozenset[str]
    by_subject: bool
    key: bytes = field(default=b"", repr=False)
    technique: str = PSEUDONYM

    def takes(self, label: str) -> bool:
        """Return whether a label's spans are given pseudonyms."""
        return label in self.labels or ("*" in self.labels and label not in self.others)

    def values(self, document: Document, pieces: Sequence[Span]) -> Iterator[tuple[str, str]]:
        """Yield labels and values of mentions, and what looks like a pseudonym in the text already."""
        yield from ((REMOVED, match[0]) for match in _FORM.finditer(document.text))
        for piece in pieces:
            if self.takes(piece.label) and (value := value_of(document.text[piece.start : piece.end])):
                yield piece.label, value

    def assign(
        self, scope: str, values: Iterable[tuple[str, str]], earlier: Sequence[AssignedText]
    ) -> Iterator[AssignedText]:
        """Yield the pseudonym of each value: the next number of its label that the texts do not have."""
        rows = set(values)
        taken = {value.upper() for pool, value in rows if pool == REMOVED}
        numbers: dict[str, int] = {}
        wanted = (row for row in rows if row[0] != REMOVED)
        for label, value in sorted(wanted, key=lambda row: (keyed_number(self.key, PSEUDONYM, scope, *row), row)):
            numbers[label] = numbers.get(label, 0) + 1
            while pseudonym_of(label, numbers[label]).upper() in taken:
                numbers[label] += 1
            yield AssignedText(label, value, pseudonym_of(label, numbers[label]))

    def writer(
        self, assigned: Mapping[tuple[str, str], AssignedText], values: Collection[tuple[str, str]]
    ) -> MentionWriter:
        """Return the function that writes the pseudonym of each mention; a mention without words gets no pseudonym."""
        return partial(self._mentions, assigned=assigned)

    def _mentions(
        self, document: Document, pieces: Sequence[Span], *, assigned: Mapping[tuple[str, str], AssignedText]
    ) -> Iterator[LinkedMention]:
        for piece in pieces:
            if self.takes(piece.label):
                found = assigned.get((piece.label, value_of(document.text[piece.start : piece.end])))
                place = (piece.start, piece.end, piece.label)
                yield (LinkedMention(*place, None, UNREAD) if found is None else LinkedMention(*place, found.text))


def value_of(surface: str) -> str:
    """Return what a mention states, the same for its spellings.

    >>> value_of("SMITH's") == value_of("Smith")
    True
    """
    return plain_form(_POSSESSIVE.sub("", surface.strip()))


def pseudonym_of(label: str, number: int) -> str:
    """Write a pseudonym.

    >>> pseudonym_of("NAME", 1)
    '[NAME 1]'
    """
    return f"[{label} {number}]"


def _work(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> PseudonymWork:
    labels = frozenset(settings)
    by_subject = next(iter(settings.values())).scope == "subject"
    return PseudonymWork(labels, frozenset(run.plan.rules_by_label) - labels, by_subject, run.secret)


def _gathers(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> bool:
    several = run.subjects > 0 or infers_persons(run.plan)
    return run.spark is not None and several and next(iter(settings.values())).scope == "subject"


def _read(settings: Mapping[str, PseudonymSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    return partial(read_assigned if _gathers(settings, run) else read_alone, work=_work(settings, run))


def _gather(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> Gatherer | None:
    if not _gathers(settings, run):
        return None
    return ScopeGatherer((_work(settings, run),), run, {})


def _sees_one(settings: PseudonymSettings) -> bool:
    return settings.scope == "document"


def _describe(settings: PseudonymSettings) -> str:
    scope = "all documents of a person" if settings.scope == "subject" else "a document"
    return f"a numbered placeholder such as [NAME 1], one per value in {scope}"


def _refuse(label: str, settings: PseudonymSettings, plan: PlanView) -> str | None:
    others = [rule.settings for rule in plan.rules_by_label.values() if rule.technique == PSEUDONYM]
    if any(other != settings for other in others):
        return "pseudonyms go together: expected the same scope in every rule with pseudonym"
    return None


def _no_labels(*_: object) -> frozenset[str]:
    return frozenset()


KIND = TechniqueKind(
    describe=_describe,
    settings=PseudonymSettings,
    read=_read,
    sees_one=_sees_one,
    gather=_gather,
    reasons=(UNREAD,),
    refuse=_refuse,
    invents=True,
    recounted_by=("consistent_surrogates",),
    unspared=_no_labels,
)
