"""Time t-PAT as a pandas UDF: texts of terms to a Delta table, on Spark, beside writing the same table as it is.

    python benchmarks/plausibility_spark.py --texts 100000 --terms 10 --t 1024 [--master local[2]]

Terms are drawn from the built-in nouns as in plausibility.py. Seconds are by the clock, of a second run in one session
(the first opens ontologies and loads compiled code); what the table as it is takes is distinguished.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from spark_deid.app.experiments.plausibility.trials import terms_of_height
from spark_deid.engine.session import build_session
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.spark.udf import write_generalized
from spark_deid.plausibility.term_generalization import GeneralizationRequest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--terms", type=int, default=10)
    parser.add_argument("--t", type=int, default=1024)
    parser.add_argument("--master", default="local[2]")
    arguments = parser.parse_args()
    known, random = wordnet(), np.random.default_rng(1)
    names = np.array([known.name_of(concept) for concept in terms_of_height(known, 8).tolist()], object)
    rows = names[random.integers(0, len(names), (arguments.texts, arguments.terms))].tolist()
    folder = Path(tempfile.mkdtemp())
    spark = build_session(app_name="plausibility", master=arguments.master)
    table = pd.DataFrame({"doc_id": range(arguments.texts), "terms": rows})
    spark.createDataFrame(table, "doc_id bigint, terms array<string>").repartition(8).write.parquet(f"{folder}/in")
    texts = spark.read.parquet(f"{folder}/in")

    def plain(output: str) -> None:
        texts.write.format("delta").save(output)

    def generalized(output: str) -> None:
        write_generalized(texts, "terms", output, "wordnet", GeneralizationRequest(t=arguments.t))

    for name, work in (("as it is", plain), ("generalized", generalized)):
        for turn in ("first", "second"):
            print(f"{name}, {turn} run: {seconds(work, f'{folder}/{name}-{turn}'):.2f} s", flush=True)
    done = spark.read.format("delta").load(f"{folder}/generalized-second")
    feasible, exact = (done.where(condition).count() for condition in ("feasible", "method = 'exact'"))
    print(f"feasible {feasible} of {arguments.texts}, exact {exact}")
    spark.stop()
    shutil.rmtree(folder)


def seconds(work: Callable[[str], None], output: str) -> float:
    began = time.perf_counter()
    work(output)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
