"""Redaction of strings."""

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import pytest

import spark_deid as sd
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import AssessmentResult
from spark_deid.guarantees.registry import GUARANTEES

from .fuzzed_texts import fuzzed_texts

TEXT, PUBLISHED = "Write to ann@example.org.", "Write to [EMAIL]."
PLAN = {"patterns": {"kinds": ["email", "phone"]}}


@pytest.fixture(scope="module")
def redactor() -> sd.Redactor:
    return sd.Redactor(PLAN)


def test_a_string_becomes_what_a_run_would_release_and_knows_its_edits(redactor: sd.Redactor) -> None:
    done = redactor.redact(TEXT)
    assert (done, isinstance(done, str), [edit[:4] for edit in done.edits]) == (
        PUBLISHED,
        True,
        [(9, 24, "suppress", "[EMAIL]")],
    )
    assert "ann" not in repr(done) + repr(done.edits) + repr(redactor)


def test_what_is_missing_in_a_list_is_none(redactor: sd.Redactor) -> None:
    assert redactor.redact([float("nan"), None, pd.NA]) == [None, None, None]  # type: ignore[arg-type]
    missing: tuple[Any, ...] = (float("nan"), pd.NA, pd.NaT, None)
    assert [redactor.redact(each) for each in missing] == [None] * 4
    with pytest.raises(UsageError, match="got ndarray"):
        redactor.redact(pd.Series(["a", "b"]).to_numpy())


def test_none_and_nothing_remain(redactor: sd.Redactor) -> None:
    assert redactor.redact(None) is None
    assert redactor.redact("") == ""
    assert redactor.redact([TEXT, None, ""]) == [PUBLISHED, None, ""]
    assert redactor.redact(()) == []


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_a_series_becomes_one_with_its_index_and_name(dtype: str, redactor: sd.Redactor) -> None:
    given = pd.Series([TEXT, None, "No change."], index=[7, 8, 9], name="note", dtype=dtype)
    done = redactor.redact(given)
    assert list(done.index) == [7, 8, 9]
    assert done.name == "note"
    assert done.isna().tolist() == [False, True, False]
    assert done.dropna().tolist() == [PUBLISHED, "No change."]
    assert (done.dtype == given.dtype) is (dtype != "category")


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        (7, sd.UsageError, "expected a string, a list of strings or a Series, got int"),
        ([TEXT, 7], sd.UsageError, "text 1: redact: expected a string, got int"),
        (["a\0b"], sd.CorpusError, "text 0: redact: nul: character 1 is NUL"),
        ("\ud800", sd.CorpusError, "malformed: character 0 is a lone surrogate"),
    ],
)
def test_what_a_run_would_reject_is_refused(
    texts: object, error: type[Exception], message: str, redactor: sd.Redactor
) -> None:
    with pytest.raises(error, match=message):
        redactor.redact(texts)


def test_subjects_are_one_or_as_many_as_the_texts(redactor: sd.Redactor) -> None:
    assert redactor.redact([TEXT] * 2, subject_id=["p1", None]) == [PUBLISHED] * 2
    with pytest.raises(sd.UsageError, match="expected one value per text"):
        redactor.redact([TEXT] * 2, subject_id=["p1"])
    with pytest.raises(sd.UsageError, match="expected one value for a string"):
        redactor.redact(TEXT, subject_id=["p1"])


SPANISH = "Mi tía Pilar Blanco vive en Cuenca desde 2003."


@pytest.fixture(scope="module")
def by_language() -> sd.Redactor:
    return sd.Redactor({"model": {"en": "english", "es": "spanish"}})


def test_a_language_that_is_named_is_not_guessed(by_language: sd.Redactor) -> None:
    english, spanish = (sd.Redactor({"model": name}).redact(SPANISH).edits for name in ("english", "spanish"))
    assert english != spanish
    assert by_language.redact(SPANISH, lang="es-ES").edits == spanish
    assert by_language.redact(SPANISH, lang="en").edits == english
    done = by_language.redact([SPANISH, None, SPANISH], lang=["en", "es", "es"])
    assert [each and each.edits for each in done] == [english, None, spanish]
    languages = pd.Series(["es", None], index=[7, 8])
    series = by_language.redact(pd.Series([SPANISH] * 2), lang=languages)
    assert [each.edits for each in series] == [spanish, by_language.redact(SPANISH).edits]
    assert sd.redact(SPANISH, {"model": {"es": "spanish"}}, lang="es").edits == spanish
    assert asyncio.run(by_language.aredact(SPANISH, lang="en")).edits == english


def test_of_a_language_that_no_model_knows_is_warned_once(
    by_language: sd.Redactor, caplog: pytest.LogCaptureFixture
) -> None:
    assert by_language.redact([SPANISH] * 3, lang=["fi", "fi", "es"])[:2] == [SPANISH] * 2
    by_language.redact(SPANISH, lang="fi")
    (told,) = [record.getMessage() for record in caplog.records]
    assert "2 of the 3 documents with a stated language (66.7%) are in a language without a model (fi 2)" in told
    assert "Pilar" not in told


def test_what_is_no_language_is_refused(by_language: sd.Redactor) -> None:
    with pytest.raises(sd.UsageError, match="lang: expected a language such as en, es or pt, got 'spanish'"):
        by_language.redact(SPANISH, lang="spanish")
    with pytest.raises(
        sd.UsageError, match=r"^text 1: lang: expected a language such as .*, got text that is not a code$"
    ):
        by_language.redact([SPANISH] * 2, lang=["es", "Anna Schmidt wohnt in Bonn"])
    with pytest.raises(sd.UsageError, match="lang: expected one value per text"):
        by_language.redact([SPANISH] * 2, lang=["es"])
    with pytest.raises(sd.UsageError, match="lang: expected one value for a string"):
        by_language.redact(SPANISH, lang=["es"])


def test_methods_of_a_whole_corpus_are_refused_by_name() -> None:
    with pytest.raises(sd.UsageError) as caught:
        sd.Redactor({**PLAN, "repeats": {"k": 2}, "context": {"NAME": {}}})
    assert [line.split()[0] for line in str(caught.value).splitlines()] == ["context", "repeats", "k-repeating-runs"]


def test_annotations_that_no_string_has_are_refused() -> None:
    with pytest.raises(sd.UsageError, match="gold"):
        sd.Redactor({**PLAN, "sources": ["patterns", "gold"]})


def test_a_guarantee_that_does_not_hold_refuses_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what rewrites leave an edit out: what checks must see it, and say no word of the text."""
    monkeypatch.setattr("spark_deid.pipeline.one_document.apply_edits", lambda text, edits: text)
    with pytest.raises(sd.GateRefused, match="differ from the original outside their edits") as caught:
        sd.Redactor(PLAN).redact(["No change.", TEXT])
    assert str(caught.value).startswith("text 1: ")
    assert "example" not in str(caught.value)


def test_the_guarantees_of_a_plan_are_those_that_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {"ontology": {"words": "all"}, "rules": {"TERM": {"technique": "generalize", "t": 16}}}
    text = "The patient has used marijuana."
    assert sd.Redactor(plan).redact(text) != text
    kind = GUARANTEES.find("t_plausible")
    refused = kind.assess.__globals__["Assessment"]("t-plausible", "", 1.0, 0.0, False, "")
    monkeypatch.setattr(
        "spark_deid.plausibility.guarantee._assess_document", lambda *_, **__: AssessmentResult(refused, ("too few",))
    )
    with pytest.raises(sd.GateRefused, match="too few"):
        sd.Redactor(plan).redact(text)


def test_the_plan_of_a_name_is_the_one_that_comes_with_the_package() -> None:
    assert sd.redact(TEXT, "patterns") == PUBLISHED
    assert sd.redact([TEXT], sd.Plan(**PLAN)) == [PUBLISHED]
    assert asyncio.run(sd.aredact(TEXT, PLAN)) == PUBLISHED
    with pytest.raises(sd.UsageError, match="did you mean patterns"):
        sd.redact(TEXT, "pattern")


def test_a_plan_s_file_is_read_again_where_it_changed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "plan.yaml"
    path.write_text("patterns: {kinds: [email]}\n")
    assert sd.redact(TEXT, path) == PUBLISHED
    path.write_text("patterns: {kinds: [phone]}\n")
    assert sd.redact(TEXT, path) == TEXT


def test_what_is_pickled_redacts_equally(redactor: sd.Redactor) -> None:
    other = pickle.loads(pickle.dumps(redactor))
    done = pickle.loads(pickle.dumps(other.redact(TEXT)))
    assert (done, done.edits) == (PUBLISHED, redactor.redact(TEXT).edits)


def test_threads_share_a_redactor(redactor: sd.Redactor) -> None:
    texts = fuzzed_texts(70, seed=3)
    expected = redactor.redact(texts)
    with ThreadPoolExecutor(7) as pool:
        assert list(pool.map(redactor.redact, texts)) == expected


SURROGATES = {
    "patterns": {"kinds": ["email", "phone", "date"]},
    "rules": {
        "EMAIL": {"technique": "pseudonym", "scope": "document"},
        "PHONE": {"technique": "surrogate", "scope": "document"},
        "DATE": "shift",
    },
}
MAIL = "Ann@example.org called 617-555-0143 on March 3, 2021; ann@example.org on March 17, 2021."


MAIL_DATE, LAST_DATE = (MAIL.index("March 3"), MAIL.index(";")), (MAIL.index("March 17"), MAIL.rindex("."))


def test_what_is_made_up_is_one_set_a_string(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "key").write_bytes(b"k" * 32)
    redactor = sd.Redactor(SURROGATES | {"key_file": str(tmp_path / "key")})
    done = redactor.redact(MAIL)
    assert done == sd.Redactor(SURROGATES | {"key_file": str(tmp_path / "key")}).redact(MAIL)
    assert done != sd.Redactor(SURROGATES).redact(MAIL)
    assert done.count("[EMAIL 1]") == 2
    assert [edit.technique for edit in done.edits] == ["pseudonym", "surrogate", "shift", "pseudonym", "shift"]
    dates = [pd.Timestamp(edit.replacement) for edit in done.edits if edit.technique == "shift"]
    assert (dates[1] - dates[0]).days == 14
    moved = {redactor.redact(f"{MAIL} {n}").edits[2].replacement for n in range(5)}
    assert len(moved) > 1, "every text of nobody known moves its dates by itself"
    same = {redactor.redact(f"{MAIL} {n}", subject_id="p").edits[2].replacement for n in range(5)}
    assert len(same) == 1, "a person's move together"


def test_pseudonyms_are_put_back_in_this_process_only() -> None:
    done = sd.redact(MAIL, SURROGATES)
    assert done.restore("Dear [EMAIL 1], [email 1]!") == "Dear Ann@example.org, [email 1]!"
    assert done.restore("email 1", lenient=True) == "Ann@example.org"
    assert done.restore(done).startswith("Ann@example.org called ")
    assert "ann" not in repr(done).lower() + repr(done.edits).lower() + str(vars(done).keys()).lower()
    assert b"ann@" not in pickle.dumps(done).lower()
    for other in (pickle.loads(pickle.dumps(done)), sd.redact("No change.", SURROGATES)):
        with pytest.raises(sd.UsageError, match="restore: this text has no pseudonyms"):
            other.restore("[EMAIL 1]")


def test_people_of_a_corpus_are_none_of_a_string() -> None:
    rules = {"EMAIL": {"technique": "pseudonym", "scope": "subject"}, "PHONE": "surrogate"}
    with pytest.raises(sd.UsageError) as raised:
        sd.Redactor(SURROGATES | {"rules": rules})
    assert [line.split()[0] for line in str(raised.value).splitlines()] == ["pseudonym", "surrogate"]
    assert str(raised.value).count("with scope: document works on a string") == 2


def test_made_up_replacements_are_recounted(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(*_: object, **__: object) -> list[object]:
        return [Edit(*MAIL_DATE, "shift", "March 3, 2022"), Edit(*LAST_DATE, "shift", "March 18, 2022")]

    monkeypatch.setattr("spark_deid.surrogates.shift_technique.shift", same)
    with pytest.raises(sd.GateRefused, match="the dates of 1 people are not shifted by a single number of days"):
        sd.Redactor(SURROGATES).redact(MAIL)
