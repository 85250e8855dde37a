"""Clinical and research text without names: the shipped model of English should publish all of it.

Case reports and abstracts name no people, but places, hospitals and firms. Sentences are omitted in which a word
with a capital may be one: what is kept has drugs, tests, genes, scales and eponyms, which are not names.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
from clinical_text import SHORTHAND
from labelled_text import Source

from spark_deid.text.gazetteer import COMMON, GIVEN, PLACE, SURNAME, facts_of

PUBMEDQA = Source("PubMedQA, labelled part", ("pubmedqa/ori_pqal.json.gz",), "pubmedqa/pubmedqa", "MIT")
E3C = Source(
    "E3C, English case reports under CC BY", ("e3c_en/e3c_en_slice.parquet",), "hltfbk/E3C-Corpus", "CC BY 4.0"
)
_SENTENCE = re.compile(r"[^\n]+?(?:[.?!](?=\s+[A-Z(])|\n|$)\s*")
_CAPITALISED = re.compile(r"(?<![\w-])[A-ZÀ-Ý][\w-]*")
_ABBREVIATION = re.compile(r"(?=[\w-]*[A-Z0-9][A-Z0-9])[\w-]{2,8}|[A-Z]")
_EPONYM_ENDS = re.compile(
    r"(?:['’]s)?(?:[ -][A-Z][\w-]+)? (?:disease|syndrome|signs?|tests?|criteria|score|scale|index|classification|system"
    r"|stain|procedure|technique|method|manoeuvre|maneuver|cells?|phenomenon|tumou?r|catheter|reflex|fracture|palsy|lymphoma"
    r"|sarcoma|an(?:a)?emia|curves?|analysis|estimates?|coefficient|correlation|regression|model|virus)(?![\w])",
    re.IGNORECASE,
)
_KNOWN = ("eponym_disease", "eponym_sign", "eponym_tool", "scale", "test", "device", "drug", "abbreviation")
"""Rules of the grammar of shorthand whose words are not names of people, places or firms here."""
_PLACES = frozenset(("US", "USA", "UK", "EU", "UAE", "UN", "WHO", "NHS", "NIH", "CDC", "FDA", "NY", "LA", "UCLA"))
"""What looks like other abbreviations."""


def case_reports(data: Path) -> Iterator[tuple[str, str]]:
    """Yield case reports, by name, without the sentences that may hold a name."""
    rows = pq.read_table(data / E3C.files[0], columns=["id", "text"]).to_pylist()
    return _without_names((f"{E3C.name} {row['id']}", row["text"]) for row in rows)


def abstracts(data: Path) -> Iterator[tuple[str, str]]:
    """Yield abstracts, by name, without the sentences that may hold a name."""
    records = json.loads(gzip.decompress((data / PUBMEDQA.files[0]).read_bytes()))
    return _without_names(
        (f"{PUBMEDQA.name} {number}", "\n".join((record["QUESTION"], *record["CONTEXTS"], record["LONG_ANSWER"])))
        for number, record in records.items()
    )


def _without_names(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    known = _known_words()
    for name, text in texts:
        kept = "".join(found[0] for found in _SENTENCE.finditer(text) if not _may_name(found[0], known))
        if kept.strip():
            yield name, kept


def _known_words() -> frozenset[str]:
    """Return the words with a capital of the shorthand's drugs, tests, scales, devices and eponyms."""
    rules = re.split(r"(?m)^\[(\w+)\]\n", SHORTHAND.read_text("utf-8"))
    lists = dict(zip(rules[1::2], rules[2::2], strict=True))
    return frozenset(word for rule in _KNOWN for word in _CAPITALISED.findall(lists[rule]))


def _may_name(sentence: str, known: frozenset[str]) -> bool:
    """Return whether a word of a sentence with a capital may be, or be part of, a name."""
    return any(
        not (word[0] in known or _is_abbreviation(word[0]) or _EPONYM_ENDS.match(sentence, word.end()))
        and not _is_common(word[0], at_start=not sentence[: word.start()].strip(" (\"'“"))
        for word in _CAPITALISED.finditer(sentence)
    )


def _is_abbreviation(word: str) -> bool:
    return word not in _PLACES and _ABBREVIATION.fullmatch(word) is not None


def _is_common(word: str, *, at_start: bool) -> bool:
    """Return whether a word is one of a dictionary, and, but for a sentence's first one, of no list of names."""
    facts = [facts_of(part) for part in word.split("-")]
    if any(fact >> PLACE & 1 for fact in facts) and not at_start:
        return False
    named = any(fact >> GIVEN & 3 or fact >> SURNAME & 1 for fact in facts)
    return all(fact >> COMMON & 3 for fact in facts) and (at_start or not named)
