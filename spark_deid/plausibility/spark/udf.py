"""t-PAT as a pandas UDF: columns of terms become columns of generalized terms, and Delta tables."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any, cast

import numpy as np
import pandas as pd
from pyspark.sql import Column, DataFrame

from spark_deid.core.errors import UsageError
from spark_deid.engine import functions as F
from spark_deid.engine.functions import pandas_udf
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.plausibility.term_generalization import GeneralizationRequest, generalize

SCHEMA = (
    "terms array<string>, volumes array<bigint>, originals string, entropy double, cost double, "
    "feasible boolean, method string"
)
"""``terms`` has null where a term or its sense is unknown or can't be hidden; ``originals`` is |D|, in any digits."""
COLUMNS = tuple(part.split()[0] for part in SCHEMA.split(", "))


def generalize_column(terms: Column, ontology: str, request: GeneralizationRequest) -> Column:
    """Return a column of generalized terms, as structs (``SCHEMA``).

    A term has its first sense, or the sense whose id or key follows ``|``, as in ``marijuana|02953127-n``. The fields
    of the struct are null for a null.

    Args:
        terms: A column of arrays of terms, one array per text.
        ontology: A name, or a file that every worker sees. Each worker opens it once.
        request: The demanded number of originals, and the search.

    Returns:
        The column.
    """
    return over_series(partial(generalize_batch, ontology, request), pd.DataFrame, SCHEMA)(terms)


def write_generalized(
    table: DataFrame, column: str, output: str, ontology: str, request: GeneralizationRequest
) -> None:
    """Write a table with a generalized column to a new Delta table. The originals are not written.

    Log statistics are off, because they would contain the first and last terms.

    Args:
        table: The table.
        column: Its column of arrays of terms.
        output: The folder of the new table.
        ontology: A name, or a file that every worker sees.
        request: The demanded number of originals, and the search.
    """
    message = f"_{column}_generalized"
    done = table.withColumn(message, generalize_column(F.col(column), ontology, request)).drop(column)
    kept = [name for name in done.columns if name != message]
    rows = done.select(*kept, *(F.col(f"{message}.{name}").alias(_renamed(name, column)) for name in COLUMNS))
    rows.write.format("delta").option("delta.dataSkippingNumIndexedCols", "0").save(output)


def generalize_batch(ontology: str, request: GeneralizationRequest, terms: pd.Series) -> pd.DataFrame:
    """Generalize a batch of texts, an array of terms each."""
    known = ontology_at(ontology)
    given = [None if text is None else [term or "" for term in text] for text in terms]
    concepts = iter(_concepts(known, [term for text in given for term in text or ()]))
    rows: list[tuple[object, ...]] = []
    for text in given:
        if text is None:
            rows.append((None,) * len(COLUMNS))
            continue
        done = generalize(known, list(islice(concepts, len(text))), request)
        names = [None if node is None else known.name_of(node) for node in done.nodes]
        results = (
            names,
            list(done.volumes),
            str(done.originals),
            done.entropy,
            done.cost,
            done.is_feasible,
            done.method,
        )
        rows.append(results)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _concepts(ontology: Ontology, terms: list[str]) -> list[int | None]:
    """Return the concepts of terms, looked up all at once; None for a word or a sense that the ontology lacks."""
    parts = [term.partition("|") for term in terms]
    words = [word.strip() for word, _, _ in parts]
    ends = np.cumsum([0, *(len(word) + 1 for word in words)])
    bounds = np.stack((ends[:-1], ends[1:] - 1), axis=1).astype(np.int32)
    lemmas = ontology.terms("\n".join(words), bounds)[:, 0]
    first = ontology.senses[ontology.sense_starts[np.maximum(lemmas, 0)]].tolist()
    return [
        None if lemma < 0 else _sensed(ontology, word, sense) if sense else concept
        for lemma, concept, word, (_, _, sense) in zip(lemmas.tolist(), first, words, parts, strict=True)
    ]


def _sensed(ontology: Ontology, word: str, sense: str) -> int | None:
    """Return the sense of a word, or None: an error would reveal a term of the table."""
    try:
        return ontology.concept(word, sense.strip())
    except UsageError:
        return None


def _renamed(name: str, column: str) -> str:
    return column if name == "terms" else name


# Kernels over pandas Series as pandas UDFs: a function with its first arguments given, which ships small.


Over = Callable[[Column], Column]


def over_series(kernel: "partial[Any]", returned: type[Any], schema: str) -> Over:
    """Return a function of columns for a kernel that lacks one Series and returns a Series or a DataFrame.

    Spark reads the kind of a pandas UDF from its hints, which a partial function lacks.
    """
    name = list(kernel.func.__annotations__)[len(kernel.args)]
    vars(kernel).update(__annotations__={name: pd.Series, "return": returned})
    return cast(Over, pandas_udf(kernel, schema))
