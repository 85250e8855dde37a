"""Ids of people as they look, so that no one counts as two."""

from spark_deid.text.visible import visible

PLAIN = "^[!-~]([ -~]*[!-~])?$"
"""An expression, of Java too, of ids that are as they look."""


def plain_person(person: str) -> str:
    """Return an id without whitespace around it and characters that no one sees, with accents on their letters.

    Full-width letters, digits of all scripts, hyphens, apostrophes and spaces are ASCII's.

    >>> plain_person(" Ann\\u00ad "), plain_person("Jose\\u0301") == "José", plain_person("ann") == plain_person("Ann")
    ('Ann', True, False)
    >>> plain_person("\\uff30\\uff11\\u20117")
    'P1-7'
    """
    if person.isascii() and person.isprintable():
        return person.strip()
    # Start-up: help reads no ids.
    from spark_deid.text.patterns.scan import fold_signs

    return fold_signs(visible(person).text).strip()
