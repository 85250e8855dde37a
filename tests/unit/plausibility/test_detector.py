import json
from pathlib import Path

import pytest
from nltk.tag.perceptron import PerceptronTagger
from pydantic import ValidationError

from spark_deid.core.errors import UsageError
from spark_deid.plan.load import check_methods
from spark_deid.plausibility.detector import KIND, OntologySettings, find_terms
from spark_deid.text.tagging import tagger_use

TEXT = "In 2020 she saw a soft drug; the cats saw us."


def found(tagger: str = "") -> list[str]:
    return [TEXT[s.start : s.end] for s in find_terms(TEXT, source="wordnet", tagger=tagger_use(tagger))]


def test_all_words_but_function_words_numbers_and_verbs_are_terms() -> None:
    assert found() == ["soft drug", "cats"]


def test_all_words_are_warned_of() -> None:
    assert KIND.warn is not None
    (warning,) = KIND.warn(OntologySettings(), [TEXT])
    assert "hard to read" in warning


def test_nouns_are_reported_by_a_tagger(tmp_path: Path) -> None:
    tagger = PerceptronTagger(load=False)
    nouns = {"drug", "cats"}
    words = TEXT.replace(";", " ;").replace(".", " .").split()
    tagger.train([[(word, "NN" if word in nouns else "X") for word in words]] * 3, nr_iter=3)
    for name, part in zip(("weights", "tagdict", "classes"), tagger.encode_json_obj(), strict=True):
        (tmp_path / f"toy.{name}.json").write_text(json.dumps(part))
    assert found(f"nltk:{tmp_path}") == ["soft drug", "cats"]


def test_a_plan_generalizes_terms_where_it_is_silent() -> None:
    plan = check_methods({"ontology": {"words": "all"}}, "plan")
    assert plan.rules_by_label["TERM"].technique == "generalize"
    assert plan.demands["t_plausible"].by_label["TERM"].t == 64
    assert check_methods({"ontology": {}, "rules": {"TERM": "suppress"}}, "plan").demands.get("t_plausible") is None


def test_nouns_need_a_tagger() -> None:
    with pytest.raises(ValidationError, match="go together"):
        OntologySettings(words="nouns")
    with pytest.raises(ValidationError, match="go together"):
        OntologySettings(tagger="nltk:x")


def test_what_is_found_in_an_ontology_is_generalized_by_it() -> None:
    with pytest.raises(UsageError, match=r"rules.TERM: wordnet may lack .*TERM: .*ontology: places"):
        check_methods({"ontology": {"source": "places"}}, "plan")
    rule = {"technique": "generalize", "ontology": "places"}
    plan = check_methods({"ontology": {"source": "places"}, "rules": {"TERM": rule}}, "plan")
    assert plan.demands["t_plausible"].ontologies == ("places",)
    check_methods({"ontology": {"source": "places"}, "rules": {"TERM": "suppress"}}, "plan")
    named = {"technique": "generalize", "ontology": "wordnet"}
    plan = check_methods({"ontology": {"source": "places"}, "rules": {"TERM": named}}, "plan")
    assert plan.demands["t_plausible"].ontologies == ("wordnet",)
