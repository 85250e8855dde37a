"""English words that tell a gender: data that the recoding and the recount search for, each in its own way."""

from spark_deid.values.plain import words_of

PRONOUNS = words_of("he him his himself she her hers herself")
TITLES = words_of("Mr Mrs Ms Miss Mister Madam Madame Sir")
"""Titles as they are written; in lower case they may be other words."""
NOUNS = words_of(
    "man men woman women boy boys girl girls gentleman gentlemen lady ladies guy male males female females"
    " father mother dad mom mum daddy mommy son sons daughter daughters brother brothers sister sisters husband wife"
    " widow widower uncle aunt nephew niece grandfather grandmother grandson granddaughter grandpa grandma stepfather"
    " stepmother stepson stepdaughter fiance fiancee boyfriend girlfriend bachelor chairman chairwoman policeman"
    " policewoman fireman salesman saleswoman businessman businesswoman actor actress waiter waitress king queen"
    " nun monk priest housewife kinsman kinswoman kinsmen kinswomen heroine bride stewardess hostess"
    " wives husbands fathers mothers sisters uncles aunts nephews nieces widows"
)
