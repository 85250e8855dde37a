from spark_deid.core.span import Span
from spark_deid.rewriting.metadata import let_out


def find(text: str) -> tuple[Span, ...]:
    at = text.find("Ann")
    return () if at < 0 else (Span(at, at + 3, "NAME"), Span(at, at + 7, "PERSON"))


def test_values_are_kept_keyed_or_without_what_is_found() -> None:
    made = {
        way: let_out("who", "for Ann Lee", way, key=b"k" * 32, finders=(find,)) for way in ("keep", "keyed", "detect")
    }
    assert made["keep"] == "for Ann Lee"
    assert made["detect"] == "for [PERSON]"
    assert len(made["keyed"]) == 32


def test_hashes_are_by_name_and_key() -> None:
    hashes = {let_out(name, "Ann", "keyed", key=key * 32, finders=()) for name in ("a", "b") for key in (b"k", b"l")}
    assert len(hashes) == 4
    assert let_out("a", "Ann", "keyed", key=b"k" * 32, finders=()) in hashes
