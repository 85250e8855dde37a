"""Generalize the terms of a document that stand in one ontology."""

from collections.abc import Collection, Sequence

from spark_deid.core.edit import Edit
from spark_deid.core.kinds import Left
from spark_deid.core.span import Span
from spark_deid.plausibility.text.crossing import Written, crossing
from spark_deid.plausibility.text.groups import groups_of
from spark_deid.plausibility.text.mentions import Place, further_mentions, marked_mentions
from spark_deid.plausibility.text.senses import Senses
from spark_deid.plausibility.text.settings import GENERALIZE, Rules
from spark_deid.plausibility.text.settling import CROSSING, Settling
from spark_deid.plausibility.text.writing import OUTSIDE, articles_of, written


def generalize(
    text: str,
    places: Sequence[Place],
    taken: Sequence[tuple[int, int]],
    rules: Rules,
    senses: Senses,
    said: Collection[str],
) -> tuple[list[Edit | Left], list[Span]]:
    """Return what becomes of marked terms and of what tells of them, and the spans of what nobody marked.

    ``taken`` are all marked places; ``said`` the terms of other ontologies, which no name may hold.
    """
    context = senses.context_of(text)
    marked = marked_mentions(text, places, senses, context)
    looked_up = {mention.start for mention in marked}
    rows: list[Edit | Left] = [Left(*place[:2], OUTSIDE) for place in places if place.start not in looked_up]
    if not marked:
        return rows, []
    further = further_mentions(text, marked, taken, senses, context)
    mentions = sorted((*marked, *further))
    groups = groups_of((mention.concept for mention in mentions), senses, said)
    settling = Settling(mentions, groups, rules, senses, context)
    settling.settle(text)
    edits = {
        m.start: Edit(m.start, m.end, GENERALIZE, written(text, m, settling.steps[m.concept], senses))
        for m in settling.alive
    }
    everywhere = [*taken, *((mention.start, mention.end) for mention in further)]
    labels = {mention.start: mention.label for mention in mentions}
    articles, spans = articles_of(text, edits, labels, everywhere)
    writings = [
        *(Written(*place, edits[place[0]].replacement if place[0] in edits else None) for place in everywhere),
        *(Written(edit.start, edit.end, None) for edit in articles),
    ]
    surfaces = {text[mention.start : mention.end] for mention in marked}
    lost = crossing(text, writings, groups, senses, context, surfaces) & edits.keys()
    if lost:
        settling.suppress(lost, CROSSING)
        edits = {start: edit for start, edit in edits.items() if start not in settling.reasons}
        articles, spans = articles_of(text, edits, labels, everywhere)
    rows += (*edits.values(), *articles)
    rows += (Left(m.start, m.end, settling.reasons[m.start]) for m in mentions if m.start in settling.reasons)
    return rows, [*(Span(m.start, m.end, m.label) for m in further), *spans]
