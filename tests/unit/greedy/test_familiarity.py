"""Whether text is ordinary English: told of other languages, capitals and code, and of no English."""

from pathlib import Path

import pytest

from spark_deid.corpus.local import read_documents
from spark_deid.greedy import familiarity as module
from spark_deid.greedy.detector import KIND, ModelSettings
from spark_deid.greedy.familiarity import TextFamiliarity, doubts, familiarity
from spark_deid.synthesis.generate import document
from spark_deid.synthesis.pools import make_pools

SAMPLE = Path(module.__file__).parents[1] / "samples" / "meddocan-dev-sample.jsonl.gz"
LETTER = "The man of the house told us that he would call on Friday, and we have not heard from Ann Lee since. "


@pytest.fixture(scope="module")
def english() -> list[str]:
    pools = make_pools(5, "en")
    return [document(5, number, pools).text for number in range(12)]


def test_shares_are_those_of_all_words() -> None:
    assert familiarity(["The DOG saw", "a zxqvw."]) == TextFamiliarity(5, 2 / 5, 1 / 5, 1 / 5)
    assert familiarity([]) == TextFamiliarity(0, 0, 0, 0)


def test_english_is_no_matter_of_doubt(english: list[str]) -> None:
    assert doubts(familiarity(english)) == ()
    assert doubts(familiarity([LETTER * 10])) == ()


def test_other_text_is(english: list[str]) -> None:
    spanish = [each.text for each in read_documents(str(SAMPLE), "jsonl").documents[:20]]
    function, unknown = doubts(familiarity(spanish))
    assert "are English function words" in function
    assert "are in no list" in unknown
    (capitals,) = doubts(familiarity(text.upper() for text in english))
    assert "are written in capitals" in capitals
    (code,) = doubts(familiarity([Path(module.__file__).with_name("sanitizer.py").read_text()]))
    assert "are English function words" in code


def test_of_few_words_nothing_is_told() -> None:
    assert doubts(familiarity(["hola amigo " * 49])) == ()
    assert doubts(familiarity(["hola amigo " * 51])) != ()


def test_only_a_shipped_model_is_known_to_know_english(tmp_path: Path) -> None:
    texts = ["hola amigo " * 100]
    assert KIND.warn is not None
    (told,) = KIND.warn(ModelSettings(model=Path("english")), texts)
    assert told.startswith("the model english knows ordinary English")
    assert "hola" not in told
    assert KIND.warn(ModelSettings(model=tmp_path), texts) == ()
    assert KIND.warn(ModelSettings(model=Path("english")), [LETTER * 10]) == ()
