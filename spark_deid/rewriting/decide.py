"""Decide what becomes of one document: spans in, disjoint edits out that cover every marked character."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, repeat
from operator import itemgetter
from typing import NamedTuple, cast

from spark_deid.core.arrow import rows_of
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import STAR, Edit, LabelledEdit
from spark_deid.core.kinds import SuppressedSpan, Technique
from spark_deid.core.overlaps import is_gap, resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.rewriting.hiding import hides
from spark_deid.rewriting.neutral_form import neutral_edits
from spark_deid.rewriting.rules import PreparedRule, PreparedRules, leave_all
from spark_deid.rewriting.suppress import REMOVED, SUPPRESS, suppress
from spark_deid.rewriting.valid_syntax import quoting_edits, valid_edits

RAISED, MALFORMED, UNCHANGED, LEFT_OUT, CROSSED = "raised", "malformed", "unchanged", "left-out", "crossed"
TELLING, SYNTAX = "telling", "syntax"
"""Why a technique's span is suppressed: it raised an error, gave edits that can't stand, would put back what stood
there, left the span out, joined it with a neighbour over a piece of another technique, tells what stood there
(``rewriting.hiding``), or would break the syntax of JSON, HL7 or CSV."""


class TechniqueEdit(NamedTuple):
    """An edit that a technique made, and the pieces that it takes."""

    edit: LabelledEdit
    pieces: tuple[Span, ...]


class DocumentEdits(NamedTuple):
    """The edits of a document, and how many spans were suppressed in place of what their rule asked for.

    ``handed_back`` has rows of technique, reason and number of spans; or of technique, note and number.
    """

    edits: tuple[LabelledEdit, ...]
    handed_back: tuple[tuple[str, str, int], ...] = ()


def decide(document: Document, spans: Iterable[Span], rules: PreparedRules) -> DocumentEdits:
    """Turn spans into disjoint edits that cover every marked character (contract, laws 1, 3 and 5).

    Each piece of text goes by the rule of the label that wins it. What a technique hands back, replaces by what stood
    there or tells it, or answers with anything else than edits of its own spans, is suppressed and counted. An edit of
    nothing but spaces between pieces that become one goes with them. Text that is the placeholder of its label becomes
    ``[REMOVED]``, unless the rules list it. Spans of labels that stay mark nothing: an edited
    one wins every overlap. If rules are ``neutral``, articles before placeholders and apostrophes after placeholders
    get edits (``rewriting.neutral_form``). JSON, HL7 and CSV remain valid (``rewriting.valid_syntax``).
    """
    decided = _decided(document, spans, rules)
    if rules.keeps_syntax:
        decided = _valid(document.text, decided)
    quotes = quoting_edits(document.text, decided.edits)
    return decided._replace(edits=tuple(sorted((*decided.edits, *quotes)))) if quotes else decided


def _valid(text: str, decided: DocumentEdits) -> DocumentEdits:
    """Return edits that break no syntax, and count the replacements of techniques that are hidden instead."""
    edits = valid_edits(text, decided.edits)
    if edits is decided.edits:
        return decided
    lost = [edit.technique for edit in set(decided.edits) - set(edits) if edit.technique != SUPPRESS]
    rows = tuple((technique, SYNTAX, count) for technique, count in sorted(Counter(lost).items()))
    return DocumentEdits(tuple(edits), (*decided.handed_back, *rows))


def _decided(document: Document, spans: Iterable[Span], rules: PreparedRules) -> DocumentEdits:
    given = rules.to_edit(spans)
    pieces = resolve_overlaps(document.text, given)
    suppressed: list[Span] = []
    replaced: list[TechniqueEdit] = []
    handed_back: Counter[tuple[str, str]] = Counter()
    groups = _grouped(pieces, document.mentions, rules)
    for rule, own in groups:
        if rule.technique == SUPPRESS:
            suppressed += own
            continue
        apply, own, pieces, noted = _read(rule, document, given, own, pieces)
        handed_back.update({(rule.technique, note): number for note, number in noted if number})
        made, left = _applied(rule, apply, document, own, rules.listed)
        replaced += made
        suppressed += (span for _, span in left)
        handed_back.update((rule.technique, reason) for reason, _ in left)
    if not suppressed and len(groups) == 1 and not handed_back:
        return DocumentEdits(tuple(each.edit for each in replaced))
    edits = _suppressed(document, suppressed, rules.listed)
    are_joined = len(edits) < len(suppressed) or any(len(each.pieces) > 1 for each in replaced)
    while are_joined and (crossing := _crossing(edits, replaced)):
        replaced = [each for each in replaced if each not in crossing]
        for each in crossing:
            suppressed += each.pieces
            handed_back[each.edit.technique, CROSSED] += len(each.pieces)
        edits = _suppressed(document, suppressed, rules.listed)
    rows = tuple((technique, reason, count) for (technique, reason), count in sorted(handed_back.items()))
    ordered = _together(edits, replaced) if are_joined else _in_order(edits, replaced)
    if rules.neutral and suppressed and (extra := neutral_edits(document.text, ordered)):
        ordered = tuple(sorted((*ordered, *extra)))
    return DocumentEdits(ordered, rows)


def _grouped(
    pieces: Sequence[Span], mentions: Sequence[LinkedMention], rules: PreparedRules
) -> list[tuple[PreparedRule, list[Span]]]:
    """Return the pieces of each rule; of none, too, where its technique found text of its own in the whole corpus."""
    of_labels = {label: rules.of(label) for label in {piece[2] for piece in pieces}}
    if not mentions and not rules.reading_unmarked and len({*map(id, of_labels.values())}) == 1:
        return [(next(iter(of_labels.values())), [*pieces])]
    groups: dict[int, tuple[PreparedRule, list[Span]]] = {}
    for piece in pieces:
        rule = of_labels[piece[2]]
        groups.setdefault(id(rule), (rule, []))[1].append(piece)
    for mention in mentions:
        if mention.entity is not None and (rule := rules.of(mention.label)).technique == mention.entity:
            groups.setdefault(id(rule), (rule, []))
    for rule in rules.reading_unmarked:
        groups.setdefault(id(rule), (rule, []))
    return list(groups.values())


def _read(
    rule: PreparedRule, document: Document, given: tuple[Span, ...], own: list[Span], pieces: tuple[Span, ...]
) -> tuple[Technique, list[Span], tuple[Span, ...], tuple[tuple[str, int], ...]]:
    """Let a technique read the document, if it wants to; return what to apply, to which pieces, all pieces, and notes.

    What fails, or asks for text that is not free, replaces nothing.
    """
    if rule.read is None:
        return rule.apply, own, pieces, ()
    try:
        further, apply, noted = rule.read(document._replace(spans=given), pieces)
        extended = sorted((*pieces, *further))
        reach = [0, *(piece.end for piece in extended)]
        if all(r <= p.start < p.end for r, p in zip(reach, extended, strict=False)) and reach[-1] <= len(document.text):
            return apply, sorted((*own, *further)), tuple(extended), noted
    except Exception:  # as any technique may, at any text
        return _raise, own, pieces, ()
    return leave_all, own, pieces, ()


def _raise(document: Document, spans: Sequence[Span]) -> None:
    raise ValueError("a technique could not read a document")


def _suppressed(document: Document, spans: list[Span], listed: frozenset[str]) -> list[LabelledEdit]:
    """Suppress spans; the label of a placeholder is that of the span it begins with."""
    if not spans:
        return []
    spans.sort()
    labels = {span.start: span.label for span in spans}
    return [
        LabelledEdit(start, end, name, REMOVED if _stays(document.text[start:end], new, listed) else new, labels[start])
        for start, end, name, new in suppress(document, spans)
    ]


def _stays(text: str, replacement: str, listed: frozenset[str]) -> bool:
    """Tell whether a placeholder would put back what stood there; what is listed, and stars, may be put back."""
    return text == replacement and text not in listed and bool(text.strip(STAR))


def _crossing(suppressed: Sequence[LabelledEdit], replaced: Sequence[TechniqueEdit]) -> list[TechniqueEdit]:
    """Return what overlaps another edit in part: both join neighbours, each over a piece of the other."""
    if not replaced:
        return []
    owners = {id(each.edit): each for each in replaced}
    crossing: dict[int, TechniqueEdit] = {}
    reach: LabelledEdit | None = None
    for edit in sorted((*suppressed, *(each.edit for each in replaced)), key=lambda edit: (edit.start, -edit.end)):
        if reach is not None and edit.start < reach.end < edit.end:
            crossing |= {id(each): owners[id(each)] for each in (reach, edit) if id(each) in owners}
        if reach is None or edit.end > reach.end:
            reach = edit
    return list(crossing.values())


def _in_order(suppressed: list[LabelledEdit], replaced: list[TechniqueEdit]) -> tuple[LabelledEdit, ...]:
    """Put disjoint edits in order."""
    return tuple(sorted((*suppressed, *(each.edit for each in replaced)))) if replaced else tuple(suppressed)


def _together(suppressed: list[LabelledEdit], replaced: list[TechniqueEdit]) -> tuple[LabelledEdit, ...]:
    """Put edits in order; one that lies within another goes with it."""
    kept: list[LabelledEdit] = []
    for edit in sorted((*suppressed, *(each.edit for each in replaced)), key=lambda edit: (edit.start, -edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def _applied(
    rule: PreparedRule, apply: Technique, document: Document, pieces: Sequence[Span], listed: frozenset[str]
) -> tuple[list[TechniqueEdit], list[tuple[str, Span]]]:
    """Apply a technique to disjoint spans in order; return the edits that can stand, and the other spans with why."""
    try:
        rows = tuple(apply(document, pieces) or ())
        entry, reasons = cast("tuple[Edit, ...]", rows), dict[int, str]()
        if any(issubclass(kind, SuppressedSpan) for kind in {*map(type, rows)}):
            entry = tuple(row for row in rows if not isinstance(row, SuppressedSpan))
            given_up = (row for row in rows if isinstance(row, SuppressedSpan))
            reasons = {row.start: row.reason for row in given_up if row.reason in rule.reasons}
        if _is_plain(rule, pieces, entry) and not _any_stays(document.text, entry, listed):
            labelled = rows_of(LabelledEdit, *zip(*entry, strict=True), [piece[2] for piece in pieces])
            return rows_of(TechniqueEdit, labelled, zip(pieces)), []
        if present := _each_by_itself(rule, document.text, pieces, entry):
            return present[0], [(reasons.get(piece.start, LEFT_OUT), piece) for piece in present[1]]
        given = sorted((int(start), int(end), new) for start, end, _, new in entry)
    except Exception:  # a technique may fail at any text, and what it raises may quote it
        return [], [(RAISED, piece) for piece in pieces]
    edits = [Edit(start, end, rule.technique, new) for start, end, new in given]
    made, left = _part_edits(rule, document.text, pieces, edits, listed)
    return made, [(reasons.get(piece.start, why) if why == LEFT_OUT else why, piece) for why, piece in left]


def _is_plain(rule: PreparedRule, pieces: Sequence[Span], edits: Sequence[Edit]) -> bool:
    """Tell whether a technique wrote a placeholder for each span, as nearly all do: there is nothing to sort out."""
    if rule.placeholder is None or len(edits) != len(pieces):
        return False
    starts, ends, techniques, replacements = zip(*edits, strict=True)
    firsts, stops, labels, *_ = zip(*pieces, strict=True)
    written = set(zip(labels, techniques, replacements, strict=True))
    return (starts, ends) == (firsts, stops) and all(
        technique == rule.technique and _consists_of(replacement, rule.placeholder(label))
        for label, technique, replacement in written
    )


def _any_stays(text: str, edits: Sequence[Edit], listed: frozenset[str]) -> bool:
    return any(_stays(new, new, listed) for new in {new for start, end, _, new in edits if text[start:end] == new})


def _each_by_itself(
    rule: PreparedRule, text: str, pieces: Sequence[Span], edits: Sequence[Edit]
) -> tuple[list[TechniqueEdit], list[Span]] | None:
    """Return the edits, and the spans without one, where all can stand as each replaces a span; None where not."""
    if rule.placeholder is not None:
        return None
    technique = rule.technique
    free = {piece[:2]: piece for piece in pieces}
    if [*free] == [edit[:2] for edit in edits] and _are_news(rule, text, edits):
        starts, ends, labels, *_ = zip(*free.values(), strict=True)
        labelled = rows_of(LabelledEdit, starts, ends, repeat(technique), [edit[3] for edit in edits], labels)
        return rows_of(TechniqueEdit, labelled, zip(free.values())), []
    made = []
    for start, end, _, new in sorted(edits, key=itemgetter(0)):
        piece = free.pop((start, end), None)
        if piece is None or not isinstance(new, str) or not _is_writable(new) or _tells(rule, text[start:end], new):
            return None
        made.append(TechniqueEdit(LabelledEdit(piece.start, piece.end, technique, new, piece.label), (piece,)))
    return made, list(free.values())


def _are_news(rule: PreparedRule, text: str, edits: Sequence[Edit]) -> bool:
    """Tell whether every edit, of which there is one, writes a string that can stand there."""
    if not edits or not all(isinstance(edit[3], str) for edit in edits):
        return False
    return _is_writable("".join([edit[3] for edit in edits])) and not any(
        _tells(rule, text[start:end], new) for start, end, _, new in edits
    )


def _part_edits(
    rule: PreparedRule, text: str, pieces: Sequence[Span], edits: Sequence[Edit], listed: frozenset[str]
) -> tuple[list[TechniqueEdit], list[tuple[str, Span]]]:
    """Part edits that replace whole spans from others; of overlapping edits none stands."""
    begins = {piece.start: number for number, piece in enumerate(pieces)}
    ends = {piece.end: number for number, piece in enumerate(pieces)}
    reasons: dict[int, str] = {}
    made: list[tuple[int, int, Edit]] = []
    for edit, overlaps in zip(edits, _overlapping(edits), strict=True):
        first, last = begins.get(edit.start), ends.get(edit.end)
        if first is None or last is None or overlaps or not _fits(rule, text, pieces[first : last + 1], edit):
            touched = (n for n, piece in enumerate(pieces) if piece.start < edit.end and edit.start < piece.end)
            reasons |= dict.fromkeys(touched, MALFORMED)
        elif _puts_back(rule, text[edit.start : edit.end], edit.replacement, listed):
            why = UNCHANGED if text[edit.start : edit.end] == edit.replacement else TELLING
            reasons |= dict.fromkeys(range(first, last + 1), why)
        else:
            made.append((first, last + 1, edit))
    present = [
        TechniqueEdit(LabelledEdit(*edit, pieces[first].label), tuple(pieces[first:last]))
        for first, last, edit in made
        if reasons.keys().isdisjoint(range(first, last))
    ]
    kept = {piece.start for each in present for piece in each.pieces}
    left = [(reasons.get(n, LEFT_OUT), piece) for n, piece in enumerate(pieces) if piece.start not in kept]
    return present, left


def _puts_back(rule: PreparedRule, text: str, replacement: str, listed: frozenset[str]) -> bool:
    return _tells(rule, text, replacement) if rule.placeholder is None else _stays(text, replacement, listed)


def _tells(rule: PreparedRule, text: str, replacement: str) -> bool:
    """Tell whether a replacement made of the original is it, or, where no guarantee recounts it, tells it."""
    return text == replacement or not (rule.recounted or hides(text, replacement))


def _overlapping(edits: Sequence[Edit]) -> list[bool]:
    """Tell of each edit, in order of start, whether it overlaps another."""
    found = [False] * len(edits)
    furthest = -1
    for number, edit in enumerate(edits):
        if furthest >= 0 and edit.start < edits[furthest].end:
            found[furthest] = found[number] = True
        if furthest < 0 or edit.end > edits[furthest].end:
            furthest = number
    return found


def _consists_of(text: str, word: str) -> bool:
    return bool(text) and not text.replace(word, "")


def _fits(rule: PreparedRule, text: str, pieces: Sequence[Span], edit: Edit) -> bool:
    """Tell whether a replacement can be written, for spans with at most two spaces between them.

    A technique that has placeholders writes the one of the spans' label, once or several times, and nothing else.
    """
    if not pieces or not isinstance(edit.replacement, str):
        return False
    if rule.placeholder is not None and not _consists_of(edit.replacement, rule.placeholder(pieces[0].label)):
        return False
    if not _is_writable(edit.replacement):
        return False
    return all(is_gap(text[one.end : other.start]) for one, other in pairwise(pieces))


def _is_writable(replacement: str) -> bool:
    try:
        return replacement.isascii() or bool(replacement.encode("utf-8"))
    except UnicodeEncodeError:  # a lone surrogate
        return False
