"""Technique ``recode``: a mention shows what the identifier view shows of its person."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import MethodContext, NoSettings, PlanView, SuppressedSpan, Technique, TechniqueKind
from spark_deid.core.span import Span
from spark_deid.identity.generalized_values import write_value
from spark_deid.identity.modes import STATISTICAL, rule_for
from spark_deid.values.wording import article_before, like_article

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus
    from spark_deid.identity.settings import IdentityKeys


RECODE = "recode"
NO_VALUE, NOT_COVERED, NOT_SHOWN, NOT_QUASI, UNLINKED = "no-value", "not-covered", "not-shown", "not-quasi", "unlinked"
REASONS = (NO_VALUE, NOT_COVERED, NOT_SHOWN, NOT_QUASI, UNLINKED)
"""Why a mention is suppressed: no value could be read; the view's value does not cover it; its class shows nothing of
the attribute; the attribute is not generalized; its span is not one that was linked."""


def recode(document: Document, spans: Sequence[Span]) -> Iterator[Edit | SuppressedSpan]:
    """Replace mentions by what they are to show; others remain, with the reason.

    >>> from spark_deid.core.document import LinkedMention
    >>> document = Document("d", "Aged 77.", mentions=(LinkedMention(5, 7, "AGE", "[70-79]"),))
    >>> list(recode(document, [Span(5, 7, "AGE")]))
    [Edit(start=5, end=7, technique='recode', replacement='[70-79]')]
    """
    shown = {(each.start, each.end, each.label): each for each in document.mentions}
    for span in spans:
        there = shown.get((span.start, span.end, span.label))
        if there is None:
            yield SuppressedSpan(span.start, span.end, UNLINKED)
        elif there.replacement is None:
            yield SuppressedSpan(span.start, span.end, there.reason)
        else:
            yield Edit(span.start, span.end, RECODE, there.replacement)


def _describe(_: NoSettings) -> str:
    return "a value that fits all people of the equivalence class or that the mode allows, such as [70-79] or [2001]"


def _written(label: str, _: NoSettings, plan: PlanView) -> str:
    """Describe the replacements of a label by examples of its kind."""
    if label == ARTICLE:
        return "the article that agrees with the replacement"
    keys = plan.sections.get("identity")
    attribute = None if keys is None else keys.identity.attributes.get(label)
    return _describe(_) if keys is None or attribute is None else written_for(attribute, keys)


def _prepare(_: NoSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return recode


def _refuse(label: str, _: NoSettings, plan: PlanView) -> str | None:
    """Return why a label can't be recoded; articles belong to recoded labels."""
    if label == ARTICLE:
        return None
    keys = plan.sections.get("identity")
    if keys is None:
        return "recode writes values of the identifier view. Add identity and anonymity to the plan"
    if label not in keys.identity.attributes:
        return "recode needs the attribute of the label: add the label to identity.attributes"
    return None


KIND = TechniqueKind(
    describe=_describe,
    prepare=_prepare,
    reasons=REASONS,
    refuse=_refuse,
    written=_written,
    recounted_by=("k_anonymous_persons", "shown_by_the_mode"),
)


# Examples of the text that replaces an attribute: a value of an equivalence class, or a value that a mode allows.


PLACEHOLDER = "a placeholder"
_SHARED = {
    "mondrian": {
        "age": "[70-79]",
        "date": "[1940-01-01..1949-12-31]",
        "postcode": "[53710-53719]",
        "gender": "[female] or {female, male}",
    },
    "incognito": {"age": "[70-79]", "date": "[1940-1949]", "postcode": "[5371*]"},
}
"""Examples of values of equivalence classes, by algorithm and kind of value."""
_OTHERS = {"mondrian": "a set of values {a, b}", "incognito": "the original value"}
_PLACES = {"city": "[Wisconsin]", "state": "[East North Central]"}
_VALUES = {
    "age": ("77", "93"),
    "date": ("2001-06-22",),
    "postcode": ("53710", "03601"),
    "gender": ("female",),
    "state": ("wisconsin",),
    "city": ("madison",),
}
"""Original values whose published form the examples of modes show, by kind."""


def written_for(attribute: str, keys: "IdentityKeys") -> str:
    """Describe the text that replaces mentions of an attribute. ``keys`` has the plan's identity and anonymity."""
    identity = keys.identity
    if attribute not in identity.roles.quasi:
        return f"{PLACEHOLDER}, because {attribute} is not a quasi-identifier"
    kind = identity.kind(attribute)
    if identity.mode != STATISTICAL:
        return _by_mode(attribute, kind, keys)
    algorithm, folder = keys.classes.algorithm, keys.classes.hierarchies
    shared = _SHARED.get(algorithm, {}).get(kind, _OTHERS.get(algorithm, "a common ancestor"))
    if folder is not None and (folder / f"{attribute}.csv").is_file():
        shared = f"a label of {attribute}.csv"
    elif attribute in keys.places:
        shared = _PLACES[kind]
    return f"a value that fits all people of the equivalence class, such as {shared}"


def _by_mode(attribute: str, kind: str, keys: "IdentityKeys") -> str:
    identity = keys.identity
    rule = rule_for(identity.mode, attribute, kind, identity.sparse)
    values = [] if rule is None else [rule.published(value, identity.last_year) for value in _VALUES.get(kind, ())]
    shown = [write_value("", kind, value) for value in values if value is not None]
    if not shown:
        return f"{PLACEHOLDER}, because mode {identity.mode} does not allow {attribute}"
    return f"the {attribute.replace('_', ' ')} that mode {identity.mode} allows, such as {' or '.join(shown)}"


# Indefinite articles before replacements: "an 80 year old" would disclose 80 of [78-80]. This is only for English.


ARTICLE = "ARTICLE"
SOURCE = "identity/article"
_BRACKETS = "[{"


def article_for(written: str, replacement: str) -> str:
    """Return the article of a replacement, in the case in which one was written.

    >>> article_for("an", "[78-80] year old"), article_for("A", "[80-89]"), article_for("AN", "{female, male}")
    ('a', 'An', 'A')
    """
    return like_article(written, "", replacement.lstrip(_BRACKETS))


def articles_of(
    text: str, replacements: Iterable[LinkedMention], spans: Iterable[Span]
) -> tuple[Sequence[Span], Sequence[LinkedMention]]:
    """Return the articles before mentions that don't agree with what these are to show, and what they become.

    A mention that shows nothing has its label there. ``spans`` are the places that are edited otherwise.

    >>> articles_of("An 80 year old.", [LinkedMention(3, 14, "AGE", "[78-80] year old")], [])[1][0][:4]
    (0, 2, 'ARTICLE', 'A')
    """
    taken = [(span.start, span.end) for span in spans]
    found: dict[tuple[int, int], LinkedMention] = {}
    for each in replacements:
        place = article_before(text, each.start)
        if place is None or any(start < place[1] and place[0] < end for start, end in taken):
            continue
        written = text[slice(*place)]
        article = article_for(written, each.label if each.replacement is None else each.replacement)
        if article != written:
            found[place] = LinkedMention(*place, ARTICLE, article)
    return tuple(Span(*place, ARTICLE, source=SOURCE) for place in found), tuple(found.values())
