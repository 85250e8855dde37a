"""The technique ``neighbour``: words of annotations give way to some of their nearest neighbours among vectors."""

import json
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spark_deid.core.kinds import MethodContext, PlanView, Technique, TechniqueKind, TechniqueReport
from spark_deid.core.span import GOLD
from spark_deid.private_training.embeddings.neighbour_index import INSTALL, is_installed
from spark_deid.private_training.embeddings.store import ABSENT, open_store
from spark_deid.private_training.pseudonyms.candidates import TABLE
from spark_deid.private_training.pseudonyms.drawing import PseudonymSource, pseudonymize
from spark_deid.private_training.pseudonyms.guessing import public_names
from spark_deid.private_training.pseudonyms.settings import APPROXIMATE, NEIGHBOUR, NeighbourSettings
from spark_deid.private_training.spark.figures import count_pseudonyms
from spark_deid.private_training.spark.tables import rows_of_annotations, store_table

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

_TABLE, _FIGURES = "neighbours", "figures.json"


def _prepare(settings: NeighbourSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    """Search the candidates of every word of the annotations, and of public names, of which guesses are counted."""
    assert run.spark is not None  # plans only have it: ``sd.detect`` edits nothing
    folder = str(Path(settings.embeddings).absolute())
    store = open_store(folder)
    names = store.resolve(list(public_names()))
    rows = np.union1d(rows_of_annotations(run.spark, corpus.read, folder), names[names != ABSENT])
    began = time.monotonic()
    folder_of_table = Path(run.place(_TABLE))
    table, figures = store_table(run.spark, store, rows, settings, folder_of_table, run.secret)
    seconds = round(time.monotonic() - began, 3)
    (folder_of_table / _FIGURES).write_text(json.dumps({**figures._asdict(), "seconds": seconds}), encoding="utf-8")
    source = PseudonymSource(folder, str(table.folder), settings.scope, settings.include_self, run.secret)
    return partial(pseudonymize, source=source)


def _describe(settings: NeighbourSettings) -> str:
    about = "about " if settings.index == APPROXIMATE else ""
    near = f"for each word, one of {about}its {settings.neighbours} nearest word vectors"
    return f"{near}. For each number, another one with as many digits"


def _refuse(label: str, settings: NeighbourSettings, plan: PlanView) -> str | None:
    if not settings.embeddings:
        return "neighbour needs embeddings: STORE, a store of vectors"
    if settings.index == APPROXIMATE and not is_installed():
        return INSTALL
    if set(plan.edited) != {GOLD}:
        return "neighbour searches the words of annotations before anything else: expected sources: [gold]"
    others = {rule.settings for rule in plan.rules_by_label.values() if rule.technique == NEIGHBOUR}
    return None if others == {settings} else "neighbour: expected the same settings for all labels"


def _report(rules: Mapping[str, NeighbourSettings], corpus: "Corpus", run: MethodContext) -> TechniqueReport:
    settings = next(iter(rules.values()))
    folder, place = str(Path(settings.embeddings).absolute()), Path(run.place(_TABLE))
    assert run.spark is not None
    parts = [parts["decisions"] for parts in corpus.decided]
    (made,) = place.glob(f"{TABLE}-*")
    counted = count_pseudonyms(run.spark, parts, folder, str(made))
    about = open_store(folder).about
    table = json.loads((place / _FIGURES).read_text(encoding="utf-8"))
    return TechniqueReport(
        {
            "neighbours": settings.neighbours,
            "index": settings.index,
            "recall": table["recall"],
            "scope": settings.scope,
            "includes_self": settings.include_self,
            "excluded": list(settings.exclude),
            "vocabulary": about.words,
            "k": about.k,
            "table": table,
            **counted,
        }
    )


KIND = TechniqueKind(
    describe=_describe,
    settings=NeighbourSettings,
    prepare=_prepare,
    refuse=_refuse,
    report=_report,
    template="spark_deid.private_training/pseudonyms.html",
    recounted_by=("pseudonymized_words",),
)
