"""Ids of persons as they look, so that nobody counts as two."""

from spark_deid.text.visible import visible


def plain_person(person: str) -> str:
    """Return an id without white space around it, characters that nobody sees, and accents apart from their letters.

    >>> plain_person(" Ann\\u00ad "), plain_person("Jose\\u0301") == "José", plain_person("ann") == plain_person("Ann")
    ('Ann', True, False)
    """
    return person.strip() if person.isascii() else visible(person).text.strip()
