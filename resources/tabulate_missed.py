"""Write the table by which runs with the model of English estimate the names that they miss, and check its intervals.

    python resources/leave_out_english.py --data FOLDER --output MODELS
    python resources/tabulate_missed.py --data FOLDER --models MODELS [--try-only] [--uner]

Of each labelled corpus, by the model that never saw its kind, words are counted by their odds of being part of a name,
as far as no pattern finds them; and those of them that are names of people. Then each corpus is taken out of the table
and estimated by the others: the interval should hold what its labels count. ``--uner`` tries UNER English EWT as well,
which is in no table.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from english_trials import uner
from missed_trials import CORPORA, NAME, CountedCorpus, LabelledCorpus, LabelledText, counted

from spark_deid.core.missed_names import OddsCounts
from spark_deid.core.span import Span
from spark_deid.greedy.familiarity import list_doubts, measure_familiarity
from spark_deid.greedy.files import model_hash
from spark_deid.greedy.missed_names.estimate import estimate_missed, with_ratio
from spark_deid.greedy.missed_names.table import BINS, CELLS, LEVELS, RATIOS, CorpusMisses, MissedTable
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import ENGLISH
from spark_deid.rewriting.counts import GROUPS

TRIED = (10.0, 100.0)
"""Loss ratios at which intervals are tried."""
MISSED = ": the interval does not hold it"


def folder_of(corpus: LabelledCorpus, models: Path) -> Path:
    """Return the model that never saw a corpus."""
    return models / corpus.model if corpus.model else ENGLISH


def table_of(found: Mapping[str, CountedCorpus]) -> MissedTable:
    """Make the table of what was counted."""
    return MissedTable(model_hash(ENGLISH), {name: _misses(each) for name, each in found.items()})


def _misses(found: CountedCorpus) -> CorpusMisses:
    counts = {}
    for name in ("words", "names"):
        levels = getattr(found, name).sum(0).reshape(LEVELS, BINS)
        counts[name] = tuple(levels[:-1].sum(0).tolist())
        counts[f"marked_{name}"] = tuple(levels[-1].tolist())
    return CorpusMisses(**counts, clustering=round(_clustering(found), 2), forms=tuple(found.forms.tolist()))


def _clustering(found: CountedCorpus) -> float:
    """Return the variance of the number of names that are missed, from document to document, over that number."""
    missed = slice(0, BINS * (LEVELS - 1))
    words, names = found.words[:, missed].sum(1), found.names[:, missed].sum(1)
    total, documents = int(names.sum()), len(names)
    apart = names - words * total / words.sum()
    return max(1.0, float((apart**2).sum()) * documents / (documents - 1) / max(1, total))


def tried(table: MissedTable, name: str, found: CountedCorpus) -> Iterator[str]:
    """Yield a line for each loss ratio: what the others estimate of a corpus, and what its labels count."""
    others = table.without(name)
    for ratio in TRIED:
        told = estimate_missed(others, with_ratio(_by_group(found), ratio))
        left = np.arange(CELLS) // BINS <= RATIOS.index(ratio)
        gold = int(found.names[:, left].sum())
        share = gold / max(1, int(found.names.sum() + found.hidden_names.sum()))
        holds = told.low <= gold <= told.high
        yield (
            f"{name}, L/C {ratio:g}: {gold} missed ({share:.2%}); estimated {told.words:.1f}, {told.low:.0f} to "
            f"{told.high:.0f} ({told.share:.2%}, {told.share_low:.2%} to {told.share_high:.2%})"
            f"{'' if holds else MISSED}"
        )


def _by_group(found: CountedCorpus) -> OddsCounts:
    untouched, edited = np.zeros((2, GROUPS, CELLS), np.int64)
    for document, (words, hidden) in enumerate(zip(found.words, found.hidden, strict=True)):
        untouched[document % GROUPS] += words
        edited[document % GROUPS] += hidden
    return OddsCounts(untouched, edited, len(found.words), len(found.words), found.forms)


def uner_texts(data: Path) -> Iterator[LabelledText]:
    """Return the documents of UNER English EWT."""
    for trial in uner(data):
        yield LabelledText(trial.view.text, tuple(Span(w.start, w.end, NAME) for w in trial.words if w.kind == NAME))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--models", type=Path, required=True, help="what leave_out_english.py wrote")
    parser.add_argument("--try-only", action="store_true", help="leave the table as it is")
    parser.add_argument("--uner", action="store_true", help="try UNER English EWT, too")
    options = parser.parse_args()
    found = {}
    for corpus in CORPORA:
        texts = [*corpus.texts(options.data)]
        if why := list_doubts(measure_familiarity(each.text[:4000] for each in texts[:500])):
            print(f"{corpus.name} is left out, as a run doubts it: {'; '.join(why)}")
            continue
        found[corpus.name] = counted(load_sanitizer(folder_of(corpus, options.models)), iter(texts))
    table = table_of(found)
    lines = [line for name, each in found.items() for line in tried(table, name, each)]
    print("\n".join(lines))
    print(f"{sum(not line.endswith(MISSED) for line in lines)} of {len(lines)} intervals hold what labels count")
    if options.uner:
        scored = counted(load_sanitizer(ENGLISH), uner_texts(options.data))
        print(*tried(table, "UNER English EWT", scored), sep="\n")
    if not options.try_only:
        table.write(ENGLISH)


if __name__ == "__main__":
    main()
