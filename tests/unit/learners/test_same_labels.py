"""Compiled inference gives what python-crfsuite gives on the same attributes, on real and on made-up text."""

from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.corpus.local import read_documents
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.samples import sample_path
from spark_deid.text.bio import tag_names
from spark_deid.text.view import TextView

KEY = b"0123456789abcdef0123456789abcdef"
PIECES = [
    "Dr. ",
    "Paz",
    "12/03/2009",
    ":",
    "\n",
    " ",
    "\t",
    "é",
    "e\u0301",
    "😀",
    "𝒜",
    "漢字",
    "カナ",
    "ไทย",
    "مرحبا",
    "1.5",
    "@",
    "(",
    ",",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30).map("".join)


@pytest.fixture(scope="module", params=["hide", "rich"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[CrfModel, Any]:
    """A model, and CRFsuite's tagger with the very file that the model was read from."""
    path = tmp_path_factory.mktemp("crf") / "weights.crfsuite"

    def keep(path_of_training: Path, *arguments: Any) -> None:
        write(path_of_training, *arguments)
        path.write_bytes(path_of_training.read_bytes())

    from spark_deid.learners import crfsuite

    write = crfsuite.write_weights
    documents = read_documents(str(sample_path("meddocan-train")), "jsonl").documents[:6]
    examples = [TrainingExample(document.doc_id, TextView(document.text), document.spans) for document in documents]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crfsuite, "write_weights", keep)
        model = make_learner("crfsuite", LearnerSettings(request.param, KEY, iterations=8)).fit(examples, seed=0)
    assert isinstance(model, CrfModel)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return model, tagger


def compare(model: CrfModel, tagger: Any, view: TextView) -> None:
    tokens = model.extractor.tokenizer(view)
    best = model.best(view, tokens)
    found = model.probabilities(view, tokens)
    names = tag_names(model.labels)
    for first, end, attributes in model.extractor.sequences(view, tokens, model.lexicon.known()):
        strings = [[f"{value:016x}" for value in column if value] for column in attributes.T.tolist()]
        assert [names[tag] for tag in best[first:end]] == tagger.tag(strings)
        expected = np.array([[tagger.marginal(name, t) for name in model.names] for t in range(end - first)])
        places = [names.index(name) for name in model.names]
        np.testing.assert_allclose(found[first:end, places], expected, atol=1e-9)


def test_labels_and_marginals_of_real_documents_are_those_of_crfsuite(pair: tuple[CrfModel, Any]) -> None:
    for document in read_documents(str(sample_path("meddocan-dev")), "jsonl").documents[:4]:
        compare(*pair, TextView(document.text))


@given(text=TEXTS)
def test_labels_and_marginals_of_any_text_are_those_of_crfsuite(pair: tuple[CrfModel, Any], text: str) -> None:
    compare(*pair, TextView(text))
