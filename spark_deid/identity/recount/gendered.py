"""Words of a published English text that tell a gender: a list of the recount's own, apart from what recodes."""

import re
from collections.abc import Sequence

from spark_deid.text.visible import visible
from spark_deid.values.plain import words_of

_WORD = re.compile(r"[^\W_]+")
_SHORT = re.compile(
    r"\b(?:(?i:ma['’]am)|\d{1,3} ?(?:yo|y/o|year[ -]old)[ ,]{0,2}[MF]"
    r"|(?<![\d.,])(?<![TtXxMm] )(?<!emp )(?<![:=] )(?:[1-8]?\d|9[0-3])[MF]|[Ss]ex: ?[MFmf])\b(?!['’.]\w)"
)
"""Short forms: an address, and letters after an age or after "Sex:"."""
_ALWAYS = frozenset(
    words_of(
        "he she him her his hers himself herself man men woman women boy boys girl girls gentleman gentlemen lady"
        " ladies male males female females guy guys mother mothers father fathers mom moms dad dads mum mummy mommy"
        " daddy son sons daughter daughters brother brothers sister sisters wife wives husband husbands uncle"
        " uncles aunt aunts niece nieces nephew nephews widow widows widower grandmother grandmothers grandfather"
        " grandfathers grandma grandpa grandson grandsons granddaughter granddaughters stepmother stepfather"
        " stepson stepdaughter stepbrother stepsister godmother godfather fiance fiancee fiancé fiancée girlfriend"
        " girlfriends boyfriend boyfriends bride bridegroom bachelor housewife housewives kinsman kinswoman kinsmen"
        " kinswomen sir madam mister mr mrs actor actors actress actresses waiter waitress waitresses policeman"
        " policemen policewoman fireman firemen salesman salesmen saleswoman businessman businessmen businesswoman"
        " chairman chairwoman spokesman spokeswoman mailman postman handyman fisherman fishermen foreman craftsman"
        " serviceman congressman congresswoman clergyman repairman cameraman workman seamstress hostess stewardess"
        " heiress heroine princess duchess empress priestess nun nuns monk monks priest king queen landlady"
        " landlord headmistress barmaid housemaid ballerina"
    )
)
_CAPITAL = frozenset(("Ms", "Miss", "MS", "MISS", "Madame", "MADAME"))


def gendered_places(text: str) -> Sequence[str]:
    """Return the words and letters of a text that tell a gender, in no order.

    >>> sorted(gendered_places("Sir, a 54 y/o M, told Mrs. Fox of HER2; his waitress missed it"))
    ['54 y/o M', 'Mrs', 'Sir', 'his', 'waitress']
    """
    shown = visible(text).text
    words = [word for word in _WORD.findall(shown) if word in _CAPITAL or word.lower() in _ALWAYS]
    return [*words, *_SHORT.findall(shown)]
