"""See what linear learners leave and waste by cost, beside Viterbi, on made-up notes.

    python benchmarks/made_up_notes.py --seeds 20 --documents 60

Clinical notes only, three folds a seed; of each learner the name tokens that remain, and the other tokens removed
unnecessarily as a fraction of all, by Viterbi and at p > C/(L+C). The last lines count the seeds where Viterbi leaves
none and costs do, and those where costs waste more than a hundredth.
"""

import argparse
from collections import Counter
from itertools import count as numbers
from itertools import islice

from rich.console import Console
from rich.table import Table

from spark_deid.app.experiments.greedy.fits import CorpusState, carry_out, make_cases, make_experiment_data, request_fit
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.greedy.game.counts import NO_COUNTS

WASTE = 0.01
CLINICAL = ("admission_note", "consultation", "discharge_summary", "nursing_note", "operative_note", "progress_note")
"""Kinds of notes; letters, mail, posts and forms have more ways to name people."""


def main() -> None:
    """Print a row a seed and learner, then how many break the rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--labels", nargs="+", default=["NAME"])
    parser.add_argument("--learners", nargs="+", default=["svm", "adaboost"])
    parser.add_argument("--features", default="rich")
    parser.add_argument("--loss-ratio", type=float, default=10.0)
    given = parser.parse_args()
    table = Table("seed", "learner", "names", "left by Viterbi", "in vain", "left by cost", "in vain")
    broken = Counter[str]()
    for seed in range(given.seeds):
        pools = make_pools(seed)
        made = (make_document(seed, index, pools) for index in numbers())
        notes = tuple(islice((each for each in made if each.meta["kind"] in CLINICAL), given.documents))
        settings = {"labels": given.labels, "features": given.features, "folds": 3, "seed": seed, "background": ()}
        experiment = GreedyExperimentSettings(**settings, loss_ratios=(given.loss_ratio,))
        data = make_experiment_data(make_cases(notes, experiment), experiment)
        start = CorpusState(tuple(case.view for case in data.cases))
        words = sum(len(instance_set.starts) for instance_set in data.instance_sets)
        for learner in given.learners:
            counts = dict.fromkeys((None, given.loss_ratio), NO_COUNTS)
            for fold in range(data.count):
                asked = request_fit(start, learner, data.outside(fold), data.inside(fold), (given.loss_ratio,))
                for ratio, found in carry_out(asked, data.cases, experiment).predictions.items():
                    counts[ratio] += data.cells(start, found)
            plain, weighed = counts.values()
            broken[f"{learner}: names left by cost where Viterbi leaves none"] += (
                plain.false_negatives == 0 < weighed.false_negatives
            )
            broken[f"{learner}: more than {WASTE:.0%} in vain by cost"] += weighed.false_positives > WASTE * words
            shares = (f"{each.false_positives / words:.3%}" for each in (plain, weighed))
            cells = (str(plain.false_negatives), next(shares), str(weighed.false_negatives), next(shares))
            table.add_row(str(seed), learner, str(plain.sensitive), *cells)
    console = Console()
    console.print(table)
    for rule, count in broken.items():
        console.print(f"{rule}: {count} of {given.seeds} seeds", highlight=False)


if __name__ == "__main__":
    main()
