"""Whether text is ordinary English: reported about other languages, uppercase letters and code, and of no English."""

from pathlib import Path

import pytest

from spark_deid.corpus.local import read_documents
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.greedy import familiarity as module
from spark_deid.greedy.detector import KIND, ModelSettings
from spark_deid.greedy.familiarity import TextFamiliarity, list_doubts, measure_familiarity

SAMPLE = Path(module.__file__).parents[1] / "samples" / "meddocan-dev-sample.jsonl.gz"
LETTER = "The man of the house told us that he would call on Friday, and we have not heard from Ann Lee since. "
CLINICAL = """
Pt c/o SOB x3d, worse w/ exertion. PMH: HTN, DM2, CAD s/p CABG 2011. Meds: ASA 81, metop 25 bid, atorva 40
qhs. VS: BP 142/88, HR 96, RR 22, SpO2 93% RA. Exam: JVP 10cm, bibasilar crackles, 2+ LE edema. Labs: BNP
1240, Cr 1.4, K 4.1, trop neg x2. CXR: cardiomegaly, bilat effusions. A/P: 1. ADHF - IV furosemide 40 bid,
strict I/O, daily wt. 2. CKD3 - trend Cr. 3. DM2 - SSI, hold metformin. Dispo: tele, PT/OT consult, d/c home
2-3d if stable. Discussed w/ pt and family, agree w/ plan. F/u cards clinic 1wk, PCP 2wk. Full code.
"""
GERMAN = (
    "Die Patientin wurde am Montag mit Fieber und Husten aufgenommen, weil sie seit drei Tagen kaum etwas aß. "
    "Ihr Mann brachte sie in die Klinik und wartete dort bis in den Abend hinein auf das Ergebnis der Untersuchung."
)


@pytest.fixture(scope="module")
def english() -> list[str]:
    pools = make_pools(5, "en")
    return [make_document(5, number, pools).text for number in range(12)]


def test_shares_are_those_of_all_words() -> None:
    assert measure_familiarity(["The DOG saw;", "a zxqvw = {}."]) == TextFamiliarity(5, 4 / 5, 1 / 5, 1 / 5)
    assert measure_familiarity([]) == TextFamiliarity(0, 0, 0, 0)


def test_english_is_no_matter_of_doubt(english: list[str]) -> None:
    assert list_doubts(measure_familiarity(english)) == ()
    assert list_doubts(measure_familiarity([LETTER * 10])) == ()


def test_other_text_is(english: list[str]) -> None:
    spanish = [each.text for each in read_documents(str(SAMPLE), "jsonl").documents[:20]]
    (unknown,) = list_doubts(measure_familiarity(spanish))
    assert "of the words are in no list" in unknown
    (capitals,) = list_doubts(measure_familiarity(text.upper() for text in english))
    assert "of the words are uppercase" in capitals
    (code,) = list_doubts(measure_familiarity([Path(module.__file__).with_name("sanitizer.py").read_text()]))
    assert "programming characters" in code


def test_a_clinical_note_in_abbreviations_is_no_matter_of_doubt() -> None:
    assert list_doubts(measure_familiarity([CLINICAL])) == ()
    assert KIND.warn is not None
    assert KIND.warn(ModelSettings(model=Path("english")), [CLINICAL] * 3) == ()


def test_texts_in_another_language_are_reported_with_the_model_for_it() -> None:
    assert KIND.warn is not None
    (told,) = KIND.warn(ModelSettings(model=Path("english")), [GERMAN, GERMAN, LETTER * 10])
    assert told.startswith("2 of the 3 documents looked at are in a language without a model (de 2)")
    assert told.endswith(": model: {en: english, de: german}")


def test_of_few_words_nothing_is_reported() -> None:
    assert list_doubts(measure_familiarity(["zxqvw " * 99])) == ()
    assert list_doubts(measure_familiarity(["zxqvw " * 100])) != ()


def test_only_a_shipped_model_is_known_to_know_english(tmp_path: Path) -> None:
    texts = [LETTER.upper() * 10]
    assert KIND.warn is not None
    (told,) = KIND.warn(ModelSettings(model=Path("english")), texts)
    assert told.startswith("the model english knows ordinary English")
    assert "HOUSE" not in told
    assert KIND.warn(ModelSettings(model=tmp_path), texts) == ()
    assert KIND.warn(ModelSettings(model=Path("english")), [LETTER * 10]) == ()
