"""What the experiment is told (Matsubara and Hasida, Section 5)."""

from enum import StrEnum

from spark_deid.core.options import CommandOptions, option
from spark_deid.repeats.settings import MAX_CAP, CountingUnit, CoveringMethod


class JudgedTokens(StrEnum):
    """What is judged as one."""

    WORD = "word"
    r"""A word token, ``\w+``, as everywhere in this package."""
    SPACE = "space"
    """What stands between white space, its punctuation included, as in the paper's experiments."""
    SCRIPT = "script"
    """A run of one script: kanji, hiragana, katakana, letters or numerals; for Japanese, which writes no spaces."""


class RepeatsExperimentSettings(CommandOptions):
    """What to try: values of k, of l (``min_length``) and of R (``share``), in the paper's letters.

    ``development`` is the share of documents, or persons, on which l and R are chosen.
    """

    k: tuple[int, ...] = tuple(range(2, 19))
    min_length: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 12)
    share: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8)
    unit: CountingUnit = option(CountingUnit.OCCURRENCE, "Unit that k counts. The paper uses occurrence.")
    tokens: JudgedTokens = option(
        JudgedTokens.WORD, "Tokens: word, space (separated by whitespace, as in the paper), or script (for Japanese)."
    )
    covering: CoveringMethod = option(CoveringMethod.GREEDY, "Method: greedy as in the paper, or optimal.")
    cap: int = option(MAX_CAP, "Maximum length of a repeat in bytes.", ge=1, le=MAX_CAP)
    development: float = 0.42
    seed: int = option(0, "Seed of the development split.")
