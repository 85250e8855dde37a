"""Whether a word that is kept can be no noun where it occurs, checked again: by what it is between."""

from spark_deid.ontology.word_forms import LONGER, SINGLE, countable_nouns, word_forms
from spark_deid.plausibility.recount.tokens import WordToken

_SPACES = " \t\r\n\u00a0"
_REACH = 24
_PERSONS = "i you he she it we they who"
_BE = "is was are were am be been being isn't wasn't aren't weren't"
_SMALL = """
a about above after again all am an and any are as at be because been before being below between both but by can could
did do does doing down during each few for from further had has have having he her here hers him his how i if in into is
it its just may me might more most must my no nor not now of off on once one only or other our out over own same shall
she should so some such than that the their them then there these they this those through to too under until up us very
was we were what when where which while who whom why will with would you your
"""  # words: ok (data)
_SHORTENED = ("t", "s", "d", "m", "ll", "re", "ve")
_LINES = {
    "verbs": f"{_PERSONS} to can could will would shall should may might must cannot don't didn't doesn't",
    "sure": "i we they can could will would shall should may might must cannot",
    "passives": f"{_PERSONS} {_BE}",
    "adjectives": f"{_BE} feel feels felt seem seems seemed looks looked became becomes very too so quite rather "
    "extremely fairly",
    "pronouns": "us me him them",
    "after verbs": "the a an his her my your their our its this these those it to in on with for at up down out from "
    "us me him them",
    "articles": "a an the this his my your their our its no any another each every",
    "before us": "let lets tell told gave give gives of for by with between asked ask asks"  # words: ok (data)
    " help helped helps informed",
    "titles": "mr mrs ms miss dr st prof rev sr jr",
    "small": _SMALL,
}
_SETS = {name: frozenset(line.split()) for name, line in _LINES.items()}


def is_no_noun(text: str, token: WordToken) -> bool:
    """Return whether the word at a place is shown to be a title, pronoun, verb or adjective, or is a function word.

    >>> is_no_noun("He aids his wife.", WordToken(3, 7)), is_no_noun("pt w/ aids", WordToken(6, 10))
    (True, False)
    """
    surface = text[token.start : token.end]
    if not surface.isalpha():
        return False
    if surface.lower() in _SHORTENED and text[token.start - 1 : token.start] in ("'", "\u2019"):
        stem = text[max(0, token.start - 2) : token.start - 1]
        return stem.isalpha() or stem == "\0"
    if surface[-1] in "nN" and text[token.end : token.end + 2].lower() in ("'t", "\u2019t"):
        return not text[token.end + 2 : token.end + 3].isalnum()
    word, before, after = surface.lower(), _before(text, token.start), _after(text, token.end)
    if word in _SETS["titles"]:
        return not surface.isupper() and _is_name(text, token.end)
    if word == "us":
        return before in _SETS["before us"]
    if word in _SETS["small"]:
        return before not in _SETS["articles"]
    if before in _SETS["sure"] or before.endswith("n't"):
        return True
    if word.endswith("ed") and before in _SETS["passives"]:
        return True
    if after in _SETS["after verbs"] and (before in _SETS["verbs"] or after in _SETS["pronouns"]):
        return True
    return before in _SETS["adjectives"]


def is_small(word: str) -> bool:
    """Return whether a word is one of a closed class."""
    return word.lower() in _SETS["small"]


def _before(text: str, start: int) -> str:
    """Return the word right before a place in lowercase; nothing if a sign is between."""
    kept = text[max(0, start - _REACH) : start]
    near = kept.rstrip(_SPACES)
    if not near or len(near) == len(kept):
        return ""
    first = len(near)
    while first and (near[first - 1].isalpha() or near[first - 1] in "'\u2019"):
        first -= 1
    return near[first:].lower().replace("\u2019", "'")


def _after(text: str, end: int) -> str:
    near = text[end : end + _REACH].lstrip(_SPACES)
    last = 0
    while last < len(near) and near[last].isalpha():
        last += 1
    return near[:last].lower()


def _is_name(text: str, end: int) -> bool:
    """Return whether a name follows a title, or what represents one."""
    near = text[end : end + _REACH].removeprefix(".").lstrip(" \t")
    return near[:1].isupper() or near[:1] in "\0["


# Whether English counts a word, and whether the text before a term shows it: decided by rules of the recount.


_HEADS = frozenset(["of", "in", "to", "for", "with", "from", "on", "at", "by", "and", "or", "under", "de"])
_ONE = frozenset(["a", "an", "another", "each", "every", "one", "either", "neither"])
_MOST = 3


def is_countable(word: str) -> bool:
    """Return whether English uses a word in the plural and after "a" or "an".

    >>> is_countable("ulcer of the skin"), is_countable("yellow fever"), is_countable("Hansen's disease")
    (True, False, False)
    """
    if any(each.isupper() or each == "'" for each in word):
        return False
    tokens = word.split(" ")
    last = next((at for at in range(1, len(tokens) - 1) if tokens[at] in _HEADS), len(tokens)) - 1
    letter = countable_nouns().get(tokens[last].rpartition("-")[2])
    return letter == LONGER or (letter == SINGLE and word == tokens[last] and "-" not in word)


def has_article(text: str, start: int) -> bool:
    """Return whether "a", "an" or a word like it comes before a place, with only adjectives between.

    >>> has_article("has a severe ", 13), has_article("has a son, ", 11)
    (True, False)
    """
    near = text[:start]
    if near[-1:] not in " \t\n":
        return False
    for word in reversed(near.replace("\n", " ").split(" ")[-_MOST - 2 :]):
        plain = word.strip("\"'\u201c\u2018(*_").lower()
        if plain in _ONE:
            return True
        if word and (is_small(plain) or "a" not in word_forms().get(plain, "")):
            return False
    return False
