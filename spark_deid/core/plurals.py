"""How many of what, in words."""


def plural(count: int, noun: str) -> str:
    """Write how many.

    >>> plural(1, "document"), plural(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{count:,.0f} {noun}{'' if count == 1 else 's'}"


def share_of(count: int, total: int, noun: str) -> str:
    """Write how many of all.

    >>> share_of(1, 4, "document"), share_of(3, 3, "document"), share_of(1, 1, "document")
    ('1 of the 4 documents', 'all of the 3 documents', 'the one document')
    """
    if total == 1 == count:
        return f"the one {noun}"
    return f"{'all' if count == total else f'{count:,}'} of the {plural(total, noun)}"


def is_or_are(count: int) -> str:
    """Return the verb of so many.

    >>> is_or_are(1), is_or_are(2)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"


def was_or_were(count: int) -> str:
    """Return the verb of so many, of what is past.

    >>> was_or_were(1), was_or_were(2)
    ('was', 'were')
    """
    return "was" if count == 1 else "were"
