"""Public labelled text of languages beyond English: what the shipped models are trained on, and what they are tried on.

Files have one word and tag per line, in different forms; ``Reading`` states the form. A language's ``unseen`` sources
are never trained on.
"""

import gzip
import json
import random
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from english_trials import NAME, OTHER, Trial, Word, annotated
from labelled_text import Sentence, Source, example, glued, spaced

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView

LABELS = {"PER": "NAME", "LOC": "LOCATION", "ORG": "ORGANIZATION"}

KINDS = {
    "PER": "PER PESSOA RR AN",
    "LOC": "LOC LOCAL LD ST STR LDS",
    "ORG": "ORG ORGANIZACAO UN INN GRT MRK",
    "OTH": "OTH MISC PRO EVENT VS VO",
}
"""What the sources' tags are here; all others, and parts and derivations of names, are none."""
TYPES = {name: kind for kind, names in KINDS.items() for name in names.split()}
FAKER_NAMES = "names/faker_names.json.gz"
BLOCK, ALONE = 10, 30
"""Sentences of one example, and of one text to try a model on where the source has no documents."""
HELD_BACK = 10
"""Every tenth text of a source that is trained on is held back to try the model on."""
MEDDOCAN = Source(
    "MEDDOCAN, train and dev",
    tuple(f"meddocan/meddocan_{part}_brat.tar.gz" for part in ("train", "dev")),
    "PlanTL-GOB-ES/SPACCC_MEDDOCAN",
    "CC BY 4.0",
)


@dataclass(frozen=True)
class Reading:
    """How a source's files are read: the columns of word and tag, and whether tags have no B and I."""

    word: int = 0
    tag: int = -1
    is_bare: bool = False


TWO_COLUMNS, UNER, GERMEVAL, BARE = Reading(), Reading(1, 2), Reading(1, 2), Reading(is_bare=True)


@dataclass(frozen=True)
class Tagged:
    """A source, how it is read, and how many of its texts that aren't held back are trained on: one in ``every``."""

    source: Source
    reading: Reading = TWO_COLUMNS
    every: int = 1


@dataclass(frozen=True)
class Language:
    """A language's sources: ``seen`` are trained on, ``unseen`` never; ``locales`` are Faker's of its names.

    Text whose licence demands the same licence is not used for training: it would then cover the model.
    """

    name: str
    english_name: str
    seen: tuple[Tagged, ...]
    unseen: tuple[Tagged, ...]
    locales: tuple[str, ...]


def _tagged(
    name: str, files: Iterable[str], repository: str, licence: str, reading: Reading = TWO_COLUMNS, every: int = 1
) -> Tagged:
    return Tagged(Source(name, tuple(files), repository, licence), reading, every)


def _uner(name: str, treebank: str, code: str, folder: str) -> Tagged:
    files = [f"uner_{folder}/{code}-ud-{part}.iob2.gz" for part in ("train", "dev")]
    return _tagged(name, files, f"UniversalNER/{treebank}", "CC BY-SA 4.0", UNER)


CESS = _tagged("CESS-ECE", ["cess_esp/es_cess.iob2.gz"], "nltk/nltk_data", "CC BY 4.0 as AnCora")
LENER = _tagged(
    "LeNER-Br", [f"lener_br/pt_lener_{part}.conll.gz" for part in ("train", "dev")], "peluz/lener-br", "MIT"
)
BOSQUE = _uner("UNER Portuguese Bosque", "UNER_Portuguese-Bosque", "pt_bosque", "pt")
NORNE = _tagged("NorNE", [f"norne/no_{form}.iob2.gz" for form in ("nob", "nno")], "ltgoslo/norne", "CC0", every=2)
DANISH = _uner("UNER Danish DDT", "UNER_Danish-DDT", "da_ddt", "da")
KLINTBERG = _tagged(
    "Swedish NER corpus", ["swedish_ner/sv_train_corpus.txt.gz"], "klintan/swedish-ner-corpus", "CC BY 4.0", BARE
)
TALBANKEN = _uner("UNER Swedish Talbanken", "UNER_Swedish-Talbanken", "sv_talbanken", "sv")


def _newseye(code: str, parts: str) -> Tagged:
    files = [f"newseye/{code}_newseye_{part}.iob2.gz" for part in parts.split()]
    return _tagged(f"NewsEye, {code}", files, "hipe-eval/HIPE-2022-data", "CC BY 4.0")


def _europeana(name: str, *files: str) -> Tagged:
    given = [f"europeana_ner/{file}.iob2.gz" for file in files]
    return _tagged(name, given, "EuropeanaNewspapers/ner-corpora", "CC0")


ROMANS = _tagged(
    "7-romans",
    [
        f"sept_romans/fr_{novel}.iob2.gz"
        for novel in (
            "EugenieGrandet",
            "Germinal",
            "LeRougeEtLeNoir",
            "LesTroisMousquetaires",
            "MadameBovary",
            "NotreDameDeParis",
        )
    ],
    "obtic-sorbonne/7-romans",
    "MIT",
    every=5,
)
GERM = _tagged(
    "GermEval 2014",
    [f"germeval14/NER-de-{part}.tsv.gz" for part in ("dev", "test")],
    "davidsbatista/NER-datasets",
    "CC BY 4.0",
    GERMEVAL,
)
LETTERS = _tagged(
    "Schnitzler's letters",
    ["schnitzler_letters/de_schnitzler_letters.iob2.gz"],
    "arthur-schnitzler/schnitzler-briefe-data",
    "CC BY 4.0",
    every=6,
)
LIVES = _tagged("APIS", ["apis_oebl/de_apis_oebl.iob2.gz"], "veldhub/veld_data__apis_oebl__ner_gold", "MIT", every=3)
COURTS = _tagged(
    "German LER", ["german_ler/ler_dev.conll.gz"], "elenanereiss/Legal-Entity-Recognition", "CC BY 4.0", every=3
)
SMART = _tagged("SmartData", ["smartdata_de/de_smartdata.iob2.gz"], "DFKI-NLP/smartdata-corpus", "CC BY 4.0")
MISSIVES = _tagged(
    "VOC missives",
    [f"voc_missives/nl_voc_{part}.iob2.gz" for part in ("letters", "notes")],
    "cltl/voc-missives",
    "Apache-2.0",
    every=2,
)
DIARIES = _tagged(
    "Amsterdam diaries",
    ["amsterdam_diaries/nl_diaries.iob2.gz"],
    "amsterdamtimemachine/amsterdam-diaries-data",
    "CC BY 4.0",
)

LANGUAGES: Mapping[str, Language] = {
    "es": Language("spanish", "Spanish", (CESS,), (), ("es", "es_ES", "es_MX", "es_AR", "es_CL", "es_CO")),
    "pt": Language("portuguese", "Portuguese", (LENER,), (BOSQUE,), ("pt_BR", "pt_PT")),
    "no": Language("norwegian", "Norwegian", (NORNE,), (DANISH,), ("no_NO",)),
    "sv": Language("swedish", "Swedish", (KLINTBERG,), (TALBANKEN, _newseye("sv", "dev dev2 test")), ("sv_SE",)),
    "fr": Language(
        "french",
        "French",
        (ROMANS, _europeana("Europeana Newspapers, French", "fr_bnf")),
        (_newseye("fr", "dev dev2"),),
        ("fr_FR", "fr_CA", "fr_BE", "fr_CH"),
    ),
    "de": Language(
        "german",
        "German",
        (GERM, LETTERS, LIVES, COURTS, _europeana("Europeana Newspapers, German", "de_lft", "de_onb", "de_sbb")),
        (SMART, _newseye("de", "dev dev2 test")),
        ("de_DE", "de_AT", "de_CH"),
    ),
    "nl": Language(
        "dutch", "Dutch", (MISSIVES, _europeana("Europeana Newspapers, Dutch", "nl_kb")), (DIARIES,), ("nl_NL", "nl_BE")
    ),
}


def documents(data: Path, given: Tagged) -> Iterator[list[Sentence]]:
    """Yield the documents of a source: sentences of words with tags such as ``B-PER``, or "" for none."""
    for file in given.source.files:
        yield from _documents(gzip.decompress((data / file).read_bytes()).decode("utf-8", "replace"), given.reading)


def _documents(content: str, reading: Reading) -> Iterator[list[Sentence]]:
    document: list[Sentence] = []
    sentence: Sentence = []
    for line in (*content.splitlines(), ""):
        parts = line.split("\t") if "\t" in line else line.split()
        is_word = len(parts) > 1 and not line.startswith("#") and parts[0] != "-DOCSTART-"
        if is_word:
            sentence.append((parts[reading.word].strip(), _tag(parts[reading.tag].strip(), sentence, reading)))
            continue
        if sentence:
            document.append(sentence)
        sentence = []
        if document and (parts[:1] == ["-DOCSTART-"] or line.startswith("# newdoc")):
            yield document
            document = []
    if document:
        yield document


def _tag(written: str, before: Sentence, reading: Reading) -> str:
    if reading.is_bare:
        kind = TYPES.get(written, "")
        return f"{'I' if before and before[-1][1].endswith(kind) else 'B'}-{kind}" if kind else ""
    place, _, name = written.partition("-")
    kind = TYPES.get(name, "")
    return f"{place}-{kind}" if kind else ""


def blocks(data: Path, given: Tagged, size: int) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield neighbouring sentences of one document with a name."""
    for number, document in enumerate(documents(data, given), 1):
        for first in range(0, len(document), size):
            yield f"{given.source.name} {number}.{first}", document[first : first + size]


def parts(data: Path, given: Tagged, *, held_back: bool) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield the texts of a source that are held back, or those that are trained on: that many of the others."""
    number = 0
    for place, block in enumerate(blocks(data, given, ALONE)):
        if (place % HELD_BACK == 0) == held_back:
            number += 1
            if held_back or number % given.every == 0:
                yield block


def examples(data: Path, language: Language, swapper: "Swapper") -> Iterator[TrainingExample]:
    """Yield what a language's model is trained on: each text, and where it names people once more with others."""
    for given in language.seen:
        for number, (name, block) in enumerate(parts(data, given, held_back=False)):
            for first in range(0, len(block), BLOCK):
                named = [[(word, "" if tag.endswith("OTH") else tag) for word, tag in s] for s in block[first:][:BLOCK]]
                joins = (glued, spaced)[number % 2], (spaced, glued)[number % 2]
                yield example(f"{name}+{first}", named, LABELS, joins[0])
                if any(tag.endswith("PER") for sentence in named for _, tag in sentence):
                    yield example(f"{name}+{first}, other names", swapper.swapped(named), LABELS, joins[1])


def trials(given: Tagged, texts: Iterable[tuple[str, Sequence[Sentence]]]) -> Iterator[Trial]:
    """Yield the texts of a source word by word; words of other names are not innocent."""
    for _, block in texts:
        text, words = "", []
        for sentence in block:
            for word, tag in sentence:
                text += " " if text and not text.endswith("\n") else ""
                if any(map(str.isalnum, word)):
                    kind = NAME if tag.endswith("PER") else OTHER if tag else ""
                    words.append(Word(len(text), len(text) + len(word), kind))
                text += word
            text += "\n"
        yield Trial(given.source.name, TextView(text), tuple(words))


def clinical_spanish(data: Path) -> Iterator[Trial]:
    """Yield the invented notes of MEDDOCAN; names are those of patients and of who treats them."""
    for file in MEDDOCAN.files:
        with tarfile.open(data / file) as packed:
            content = {m.name: packed.extractfile(m).read().decode() for m in packed.getmembers() if m.isfile()}
        for name in sorted(content):
            if name.endswith(".txt"):
                marks = re.findall(r"(?m)^T\d+\t(\w+) (\d+) (\d+)", content[name.removesuffix("txt") + "ann"])
                spans = [
                    Span(int(start), int(end), NAME if label.startswith("NOMBRE_") else OTHER)
                    for label, start, end in marks
                ]
                yield annotated(MEDDOCAN.name, content[name], spans)


class Swapper:
    """Puts other names of a language's countries instead of those of people."""

    def __init__(self, data: Path, locales: Sequence[str], seed: int) -> None:
        given = json.loads(gzip.decompress((data / FAKER_NAMES).read_bytes()))
        self._random = random.Random(seed)
        lists = [given[locale] for locale in locales if locale in given]
        self._last = sorted(
            {name for each in lists for kind, names in each.items() if "last" in kind for name in names}
        )
        self._first = sorted(
            {name for each in lists for kind, names in each.items() if "first" in kind for name in names}
        )

    def swapped(self, block: Sequence[Sentence]) -> list[Sentence]:
        """Return sentences with other names; a name of one word becomes one of either list."""
        return [self._sentence(sentence) for sentence in block]

    def _sentence(self, sentence: Sentence) -> Sentence:
        made: Sentence = []
        place = 0
        while place < len(sentence):
            end = place + 1
            if sentence[place][1] == "B-PER":
                while end < len(sentence) and sentence[end][1] == "I-PER":
                    end += 1
                names = self._names([word for word, _ in sentence[place:end]])
                made += [(name, f"{'I' if at else 'B'}-PER") for at, name in enumerate(names)]
            else:
                made += sentence[place:end]
            place = end
        return made

    def _names(self, words: Sequence[str]) -> list[str]:
        draw = self._random.choice
        names = [draw(self._last if draw((True, False)) else self._first)] if len(words) == 1 else []
        if len(words) > 1:
            names = [*(draw(self._first) for _ in words[2:]), draw(self._first), draw(self._last)]
        if all(word.isupper() for word in words):
            names = [name.upper() for name in names]
        return [part for name in names for part in re.split(r"\s+", name.strip()) if part] or list(words)
