"""Where a word stands in a text."""

from collections.abc import Iterator


def places_of(text: str, word: str) -> Iterator[int]:
    """Yield where a word of letters and digits stands that no other letter or digit touches.

    >>> list(places_of("he, she; he_", "he"))
    [0, 9]
    """
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not text[end : end + 1].isalnum() and (not place or not text[place - 1].isalnum()):
            yield place
        place = text.find(word, end)
