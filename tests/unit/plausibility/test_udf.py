import numpy as np
import pandas as pd

from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.spark.udf import generalize_batch
from spark_deid.plausibility.term_generalization import GeneralizationRequest, generalize


def test_a_batch_equals_its_texts_one_by_one() -> None:
    texts = [["cat", "Dogs", "no such word"], [], ["House cat"], ["marijuana|02953127-n", "pain"]]
    found = generalize_batch("wordnet", GeneralizationRequest(t=20), pd.Series(texts))
    for terms, told in zip(texts, found.itertuples(index=False), strict=True):
        known = [wordnet().lemma(term.partition("|")[0]) is not None for term in terms]
        concepts = [
            wordnet().concept(*term.split("|")) if is_known else None
            for term, is_known in zip(terms, known, strict=True)
        ]
        done = generalize(wordnet(), concepts, GeneralizationRequest(t=20))
        assert told.terms == [None if node is None else wordnet().name_of(node) for node in done.nodes]
        assert (told.originals, told.feasible) == (str(done.originals), done.is_feasible)


def test_odd_terms_are_unknown_and_stop_nothing() -> None:
    texts = pd.Series([["", "|x", "cat|no such sense", None, "\U0001f600", " cat "], None, np.array([], object)])
    found = generalize_batch("wordnet", GeneralizationRequest(t=2), texts)
    assert found.terms.tolist() == [[None] * 5 + ["feline"], None, []]
    assert found.feasible.tolist() == [True, None, False]
    assert generalize_batch("wordnet", GeneralizationRequest(t=2), pd.Series([], dtype=object)).empty
