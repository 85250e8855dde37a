import pytest

from spark_deid.core.errors import UsageError
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import WORD_CLASSES, WordVocabulary, languages, load_vocabulary, unite


def classes(text: str, vocabulary: WordVocabulary) -> set[str]:
    (flags,) = ViewTokenizer(vocabulary=vocabulary, merged=False)(TextView(text)).arrays.flags
    return {name for bit, name in enumerate(WORD_CLASSES) if flags >> bit & 1}


@pytest.mark.parametrize("language", languages())
def test_listed_words_are_lower_case_and_of_known_classes(language: str) -> None:
    vocabulary = load_vocabulary((language,))
    assert {*vocabulary.words, *vocabulary.stems} <= set(WORD_CLASSES)
    for words in (*vocabulary.words.values(), *vocabulary.stems.values()):
        assert all(word == word.lower() for word in words)
    assert vocabulary.number_rows().shape == (len(vocabulary.numbers), 9)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Madre", {"family", "keyword"}),
        ("ENERO", {"month"}),
        ("enerox", set()),
        ("Mexicanas", {"demonym"}),
        ("ma", set()),
    ],
)
def test_words_are_looked_up_without_case(word: str, expected: set[str]) -> None:
    assert classes(word, load_vocabulary(("es",))) == expected


def test_stems_take_up_to_four_more_letters() -> None:
    stems = WordVocabulary(stems={"profession": ("agricult",)})
    assert classes("agricultores", stems) == {"profession"}
    assert classes("agricult", stems) == {"profession"}
    assert classes("agricultorxes", stems) == set()
    assert classes("xagricultor", stems) == set()


def test_union_keeps_every_word() -> None:
    both = unite([load_vocabulary(("en",)), load_vocabulary(("es",))])
    assert both == load_vocabulary(("en", "es"))
    assert {"march", "marzo"} <= set(both.words["month"])


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="en, es"):
        load_vocabulary(("xx",))
