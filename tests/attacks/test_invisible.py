"""Characters that no one sees inside names and numbers, and digits and marks that look like ASCII's."""

import random

import pytest

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.detection.context.rules import terms_of
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.greedy.train import train
from spark_deid.learners.propagation import copy_spans
from spark_deid.rewriting.suppress import suppress
from spark_deid.text.patterns import CustomPattern, PatternDetector
from spark_deid.text.persons import plain_person
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView
from tests.unit.greedy.toy_learner import CORPUS, KEY

INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u2060\u2066\ufeff\u034f\x80\x8d\x90\x98\x9f"
UNASSIGNED = "\u2065\ufff0\ufff8\U000e0002\U000e01f0\U000e0fff"
MARKS = "\u0483\u0591\u064b\u0951\u1ab0\u1dc4\u20dd\u20e3\ufe20\U0001d167"
STROKES = "\u0332\u0335\u0336\u0338\u20d2"
PATTERNS = PatternDetector()


def hidden_in(text: str, start: int, end: int, draw: random.Random) -> tuple[str, int]:
    """Put one to three invisible characters between characters of a mention; return the text and the new end."""
    places = sorted(draw.choices(range(start + 1, end), k=draw.randint(1, 3)), reverse=True)
    for place in places:
        text = text[:place] + draw.choice(INVISIBLE) + text[place:]
    return text, end + len(places)


@pytest.mark.parametrize(
    "secret",
    ["123-45-6789", "ann@example.com", "3/4/2009", "12 de marzo de 2015", "192.168.17.4", "4111 1111 1111 1111"],
)
def test_patterns_are_found_whatever_is_hidden_in_them(secret: str) -> None:
    draw = random.Random(secret)
    for _ in range(100):
        text, end = hidden_in(f"Seen: {secret} by", 6, 6 + len(secret), draw)
        (edit,) = suppress(Document("d", text), PATTERNS.detect(text)[:1])
        assert (edit.start, edit.end) == (6, end)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("on \uff13\uff0f\uff14\uff0f\uff12\uff10\uff10\uff19.", "DATE"),
        ("on \u0663/\u0664/\u0662\u0660\u0660\u0669.", "DATE"),
        ("on \U0001d7ef/\U0001d7f0/\U0001d7ee\U0001d7ec\U0001d7ec\U0001d7f5.", "DATE"),
        ("on 3\u20444\u20442009.", "DATE"),
        ("is 123\u201145\u20116789.", "SSN"),
        ("is 123\u00a045\u00a06789.", "SSN"),
        ("is 4111\u202f1111\u202f1111\u202f1111.", "CARD"),
        ("to \U0001d41a\U0001d427\U0001d427@example\uff0ecom.", "EMAIL"),
        ("to ann\uff20example.com.", "EMAIL"),
        ("to ann\ufe6bexample.com.", "EMAIL"),
        ("is 123\x9645\x966789.", "SSN"),
        ("is 123\u280045\u28006789.", "SSN"),
        *((f"is 123{dash}45{dash}6789.", "SSN") for dash in "\u02d7\u05be\u1806\u207b\u2e3a\u301c\u30fc"),
        ("is 617\u00b7555\u00b70143.", "PHONE"),
        ("is \u00b9\u00b2\u00b3-\u2074\u2075-\u2076\u2077\u2078\u2079.", "SSN"),
        ("is \u2460\u2461\u2462-\u2463\u2464-\u2465\u2466\u2467\u2468.", "SSN"),
        ("is \u2776\u2777\u2778-\u2779\u277a-\u277b\u277c\u277d\u277e.", "SSN"),
    ],
)
def test_patterns_are_found_in_characters_that_look_like_others(text: str, label: str) -> None:
    assert [(span.start, span.end, span.label) for span in PATTERNS.detect(text)] == [(3, len(text) - 1, label)]


@pytest.mark.parametrize("secret", ["123-45-6789", "3/4/2009", "617-555-0143", "4111 1111 1111 1111"])
@pytest.mark.parametrize("sign", UNASSIGNED + MARKS, ids=[f"{ord(sign):x}" for sign in UNASSIGNED + MARKS])
def test_numbers_are_found_whatever_combines_with_their_digits(secret: str, sign: str) -> None:
    """Marks that combine, keys around digits, and what Unicode has no character for yet, but says is to be ignored."""
    text = "is " + "".join(f"{each}{sign}" if each.isdigit() else each for each in secret) + " so"
    (edit,) = suppress(Document("d", text), PATTERNS.detect(text)[:1])
    assert edit.start == 3
    assert edit.end >= len(text) - 4


@pytest.mark.parametrize("sign", UNASSIGNED, ids=[f"{ord(sign):x}" for sign in UNASSIGNED])
def test_ids_of_people_with_what_is_not_seen_are_one_person_s(sign: str) -> None:
    assert plain_person(f"P{sign}17{sign}") == "P17"


@pytest.mark.parametrize(
    "text", ["10\u00b2 m", "see \u2460 and \u2461", "1\ufe0f\u20e3 first", "l\u00b7l", "\u30ab\u30fc\u30c9"]
)
def test_near_misses_remain(text: str) -> None:
    assert not PATTERNS.detect(text)


@pytest.mark.parametrize(
    "secret",
    ["123-45-6789", "3/4/2009", "617-555-0143", "4111 1111 1111 1111", "ann.lee@example.com", "12 de marzo de 2015"],
)
@pytest.mark.parametrize("stroke", STROKES, ids=[f"{ord(stroke):x}" for stroke in STROKES])
def test_patterns_are_found_where_a_stroke_goes_through_them(secret: str, stroke: str) -> None:
    text = "is " + "".join(character + stroke for character in secret) + " so"
    (edit,) = suppress(Document("d", text), PATTERNS.detect(text)[:1])
    assert (edit.start, edit.end) == (3, len(text) - 3)


def test_a_pattern_of_the_user_s_own_is_found_in_what_is_seen_and_in_what_is_written() -> None:
    detector = PatternDetector((), (CustomPattern("WARD", r"ward \d+"), CustomPattern("BREAK", "\u00ad")))
    found = detector.detect("wa\u00adrd 1\u200b2")
    assert [(span.start, span.end, span.label) for span in found] == [(0, 9, "WARD"), (2, 3, "BREAK")]


@pytest.fixture(scope="module")
def model() -> GreedySanitizer:
    config = TrainConfig(key=KEY, features="rich", iterations=20, workers=1, max_rounds=1, min_train_remaining=0)
    return train(CORPUS, config)


def test_a_model_finds_a_name_whatever_is_hidden_in_it(model: GreedySanitizer) -> None:
    draw = random.Random(0)
    for document in CORPUS:
        text = document.text
        found = model.detect(text)
        assert found
        for span in found:
            if span.end - span.start > 2:
                changed, end = hidden_in(text, span.start, span.end, draw)
                assert (span.start, end) in {(each.start, each.end) for each in model.detect(changed)}


def with_hyphen(document: Document) -> Document:
    """Hide a soft hyphen in the first mention of a document."""
    first, *others = sorted(document.spans)
    text = document.text[: first.start + 1] + "\u00ad" + document.text[first.start + 1 :]
    moved = (each._replace(start=each.start + 1, end=each.end + 1) for each in others)
    return document._replace(text=text, spans=(first._replace(end=first.end + 1), *moved))


def test_a_model_learns_nothing_of_what_is_invisible(model: GreedySanitizer) -> None:
    config = TrainConfig(key=KEY, features="rich", iterations=20, workers=1, max_rounds=1, min_train_remaining=0)
    other = train([with_hyphen(document) for document in CORPUS], config)
    for document in CORPUS:
        assert other.detect(document.text) == model.detect(document.text)


def test_copies_of_a_name_are_found_whatever_is_hidden_in_them() -> None:
    text = "Ann Lee came. An\u200bn L\u00adee left; Annx."
    found = copy_spans(TextView(text), ViewTokenizer()(TextView(text)), [Span(0, 7, "NAME")], 4)
    assert [text[span.start : span.end] for span in found] == ["Ann Lee", "An\u200bn L\u00adee"]


def test_terms_are_read_as_they_are_seen() -> None:
    assert [term for term, _ in terms_of("no\u00adbel\u200b laureate", (), 2)] == [
        "nobel",
        "nobel laureate",
        "laureate",
    ]
