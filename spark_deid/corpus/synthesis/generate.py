"""Documents: one call makes one, from a seed and its number only."""

from collections.abc import Mapping
from datetime import timedelta
from math import sqrt
from typing import Final

from spark_deid.core.document import Document
from spark_deid.corpus.synthesis.draws import draw_between, draw_item, draw_stream, pick_several
from spark_deid.corpus.synthesis.grammar import GrammarRule, NumberStep, RepeatStep, Step, load_grammar
from spark_deid.corpus.synthesis.people import make_person
from spark_deid.corpus.synthesis.pools import ValuePools
from spark_deid.corpus.synthesis.scene import DocumentScene, LabelledPage, make_scene
from spark_deid.corpus.synthesis.slots import SceneSlot

DOCUMENTS_PER_PERSON: Final = 4

_LONG: Final = 1 / 2000
_LONG_LEAST: Final = 300_000
_LONG_MOST: Final = 1_000_000
_SHOUT: Final = 0.03
_WINDOWS_LINES: Final = 0.03
_SLOPPY: Final = 0.15
_TYPOS: Final = 0.04


def make_document(
    seed: int, index: int, pools: ValuePools, *, grammar: Mapping[str, GrammarRule] | None = None
) -> Document:
    """Make document ``index`` of a seed: about 2.5 kB, one in 2,000 between 300 kB and 1 MB.

    Every gold span marks exactly what was put into the text for it. ``meta`` has the kind of document and its
    language. The same seed, index and language give the same document anywhere. ``grammar`` is another than the
    language's own, such as a part of it.
    """
    rules = load_grammar(pools.language.code) if grammar is None else grammar
    draws = draw_stream(seed, f"document/{pools.language.code}", index)
    scene = make_scene(draws, pools, make_person(seed, person_number(draws.random(), index), pools))
    page = LabelledPage(
        draws,
        shout=draws.random() < _SHOUT,
        line_break="\r\n" if draws.random() < _WINDOWS_LINES else "\n",
        typos=_TYPOS if draws.random() < _SLOPPY else 0.0,
    )
    if is_long(seed, index):
        kind = _write_chart(page, scene, rules, draw_between(draws, _LONG_LEAST, _LONG_MOST))
    else:
        kind = _write_note(page, scene, rules)
    meta = {"kind": kind, "language": pools.language.code}
    return Document(f"note-{index:09d}", page.text(), scene.person.subject_id, tuple(page.spans), meta)


def is_long(seed: int, index: int) -> bool:
    """Return whether a document is one of the few very long ones."""
    return draw_stream(seed, "length", index).random() < _LONG


def person_number(chance: float, index: int) -> int:
    """Choose the person of a document among those that documents up to it can be about.

    The choice needs no more than the document's own number and chance, so early people have more documents.

    >>> person_number(0.0, 4000), person_number(0.25, 4000), person_number(0.999999, 4000)
    (0, 500, 1000)
    """
    return int((index + 1) / DOCUMENTS_PER_PERSON * sqrt(chance))


def person_count(documents: int) -> int:
    """Return how many people that many documents can be about."""
    return documents // DOCUMENTS_PER_PERSON + 1 if documents else 0


def _write_note(page: LabelledPage, scene: DocumentScene, rules: Mapping[str, GrammarRule]) -> str:
    alternative = draw_item(scene.draws, rules["document"].alternatives)
    _write(page, scene, alternative)
    return next(step.name for step in alternative if isinstance(step, GrammarRule))


def _write_chart(page: LabelledPage, scene: DocumentScene, rules: Mapping[str, GrammarRule], length: int) -> str:
    _write(page, scene, (rules["chart_opening"],))
    while page.length < length:
        scene.today += timedelta(days=draw_between(scene.draws, 0, 3))
        _write(page, scene, (rules["chart_entry"],))
    return "chart"


def _write(page: LabelledPage, scene: DocumentScene, steps: tuple[Step, ...]) -> None:
    for step in steps:
        if isinstance(step, str):
            page.put(step)
        elif isinstance(step, GrammarRule):
            _write(page, scene, draw_item(scene.draws, step.alternatives))
        elif isinstance(step, SceneSlot):
            _fill(page, scene, step)
        elif isinstance(step, NumberStep):
            page.put(f"{step.least + scene.draws.random() * (step.most - step.least):.{step.decimals}f}")
        elif isinstance(step, RepeatStep):
            _repeat(page, scene, step)
        elif scene.draws.random() < 0.5:
            _write(page, scene, (step.step,))


def _repeat(page: LabelledPage, scene: DocumentScene, step: RepeatStep) -> None:
    chosen = pick_several(scene.draws, step.rule.alternatives, draw_between(scene.draws, step.least, step.most))
    for place, alternative in enumerate(chosen):
        if place:
            page.put(step.joint)
        _write(page, scene, alternative)


def _fill(page: LabelledPage, scene: DocumentScene, slot: SceneSlot) -> None:
    if slot.label:
        page.mark(slot.value(scene), slot.label)
    else:
        page.put(slot.value(scene))
