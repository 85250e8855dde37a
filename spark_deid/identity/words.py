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


def starts_of(lowered: str, word: str) -> Iterator[int]:
    """Yield where a word of letters begins that no letter stands before.

    >>> list(starts_of("march, demarch, 6march", "mar"))
    [0, 17]
    """
    place = lowered.find(word)
    while place >= 0:
        if not place or not lowered[place - 1].isalpha():
            yield place
        place = lowered.find(word, place + 1)


def lowered_alike(text: str) -> str:
    """Return a text in small letters, as long as it was: a letter stays that would become several."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := each.lower()) == 1 else each for each in text)
