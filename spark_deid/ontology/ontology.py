"""An ontology: words, their senses (concepts), hypernyms above these, and the volume of every concept.

The **volume** of a concept is the number of leaf concepts below it, each counted once however many paths lead to it;
at the base word itself it is 1 (Jiang et al., sections 3 and 6: this reading gives the paper's closing example).
Instance hypernyms are hypernyms. All is kept in flat arrays that map into memory (``packing``); an ontology holds no
cache that grows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt16s, UInt32s
from spark_deid.ontology.array_validation import NAMED, Arrays, check_arrays, map_arrays
from spark_deid.ontology.building import pack_source
from spark_deid.ontology.kernels.paths import (
    first_hypernyms,
    lie_below,
    list_above,
    list_paths,
    nearest_hypernyms,
    smallest_hypernyms,
)
from spark_deid.ontology.kernels.words import (
    MARKS,
    SEED,
    WordIndex,
    build_index,
    find_matches,
    find_terms,
    keep_longest,
    mark_pairs,
    marks_of,
    put_lemmas,
    put_marks,
)
from spark_deid.ontology.policies import PathPolicy as PathPolicy
from spark_deid.ontology.sources import ages, dates
from spark_deid.ontology.spelling import TermSpelling
from spark_deid.text.kernels.characters import characters

PACKED = ("wordnet", "places")
CODED = ("dates", "ages")
BUILT_IN = (*PACKED, *CODED)
_DATA = resources.files("spark_deid.ontology") / "data"
_KEPT_OPEN = 8
_PAIRS = 1 << 17
"""Bytes of the bits of first two tokens."""
EVERYWHERE = np.zeros(0, np.uint8)
"""The marks of a search for words at every token."""
WHOLE = np.zeros((0, 2), np.int32)
"""The places of a search in the whole of a text."""


@dataclass(frozen=True, eq=False)
class Ontology:
    """Words from 0 to ``n_words`` - 1, concepts from 0 to ``n_concepts`` - 1, as numbers.

    ``volumes`` counts the leaf concepts below every concept, 1 for a leaf. ``hypernyms[hypernym_starts[c] :
    hypernym_starts[c + 1]]`` are the concepts right above c: the raw table, for whoever recounts. ``senses`` has the
    concepts of each word likewise, the usual one first; ``sense_keys`` (lexicographer's file times 100 and its number)
    and ``ids`` (eight digits) are next to them where the source has such. Words past ``n_lemmas`` are irregular forms,
    and ``lemmas`` states about what. ``spelling`` shows terms by a pattern, where not all can be listed.
    """

    name: str
    about: dict[str, str]
    index: WordIndex
    senses: Int32s
    sense_starts: Int32s
    sense_keys: UInt16s
    lemmas: Int32s
    names: Int32s
    ids: UInt32s
    hypernyms: Int32s
    hypernym_starts: Int32s
    volumes: Int64s
    glosses: UInt16s
    gloss_starts: Int32s
    spelling: TermSpelling | None = None

    @property
    def n_words(self) -> int:
        """The number of words, irregular forms among them."""
        return len(self.index.starts) - 1

    @property
    def n_lemmas(self) -> int:
        """The number of words that have separate senses."""
        return len(self.sense_starts) - 1

    @property
    def n_concepts(self) -> int:
        """The number of concepts."""
        return len(self.volumes)

    def mentions(self, text: str) -> Int32s:
        """Find words in a text: rows of start, end, lemma, and 1 where it is an inflected form.

        The longest word wins, from left to right, over whole tokens, case aside; whitespace, hyphens and underscores
        are equal. If words differ in case only, the one as written is taken.
        """
        return keep_longest(self.matches(text))

    def matches(self, text: str, wanted: UInt8s = EVERYWHERE, places: Int32s = WHOLE) -> Int32s:
        """Find all words at every token, of every length: rows as ``mentions`` has, by start, then end.

        With ``wanted``, the marks of words (``marked``), these are found, and maybe others; with ``places``, rows of
        start and end, disjoint and in order, those that overlap one.
        """
        found = find_matches(self.index, characters(), SEED, _codes(text), self._pairs, wanted, places)
        listed = self._lemmatized(found, 2)
        return listed if self.spelling is None else _joined(listed, self.spelling.found(text, self._listed))

    def marks_of(self, lemmas: Int32s) -> Int32s:
        """Return the marks by which a text is searched for these or their homonyms, inflected forms too.

        ``lemmas`` are in order, each once.
        """
        owners, forms = self._forms
        words = np.concatenate((lemmas, forms[_is_among(owners, lemmas)]))
        return np.unique(marks_of(self.index, characters(), SEED, words))

    @staticmethod
    def marked(marks: Int32s) -> UInt8s:
        """Put marks together, as ``matches`` takes them."""
        wanted = np.zeros(MARKS // 8, np.uint8)
        put_marks(wanted, marks)
        return wanted

    @cached_property
    def _pairs(self) -> UInt8s:
        """The bits of the first two tokens of words, by hash."""
        pairs = np.zeros(_PAIRS, np.uint8)
        mark_pairs(self.index, characters(), SEED, pairs)
        return pairs

    @cached_property
    def _forms(self) -> tuple[Int32s, Int32s]:
        """The lemmas that have irregular forms, or homonyms that have, and the words that are these forms."""
        pairs = [(n, form) for form, own in enumerate(self.lemmas.tolist(), self.n_lemmas) for n in self.homonyms(own)]
        owners, forms = np.array(pairs, np.int32).reshape(-1, 2).T
        return owners, forms

    def terms(self, text: str, bounds: Sequence[tuple[int, int]] | Int32s) -> Int32s:
        """Look up the whole of each part of a text, given by start and end: rows of lemma or -1, and 1 for a form."""
        rows = np.asarray(bounds, np.int32).reshape(-1, 2)
        found = self._lemmatized(find_terms(self.index, characters(), SEED, _codes(text), rows), 0)
        return found if self.spelling is None else self._spelled(self.spelling, text, rows, found)

    def lemma(self, term: str) -> int | None:
        """Look up one term, in any case, singular or plural."""
        found = int(self.terms(term, [(0, len(term))])[0, 0])
        return None if found < 0 else found

    def replacement(self, term: str, node: int) -> str:
        """Return the text that represents a term as written once it has become a node."""
        name = self.name_of(node)
        return name if self.spelling is None else self.spelling.replacement(term, name)

    def homonyms(self, lemma: int) -> range:
        """Return the lemmas that differ from this one in case or hyphens only, itself among them."""
        start, end = lemma, lemma + 1
        key = _folded(self.word(lemma))
        while start and _folded(self.word(start - 1)) == key:
            start -= 1
        while end < self.n_lemmas and _folded(self.word(end)) == key:
            end += 1
        return range(start, end)

    def word(self, number: int) -> str:
        """Return a word as it is written."""
        return self.index.text[self.index.starts[number] : self.index.starts[number + 1]].tobytes().decode()

    def senses_of(self, lemma: int) -> Int32s:
        """Return the concepts of a lemma, the usual one first."""
        return self.senses[self.sense_starts[lemma] : self.sense_starts[lemma + 1]]

    def name_of(self, concept: int) -> str:
        """Return the word that represents a concept: the first of its synonyms."""
        return self.word(int(self.names[concept]))

    def ups(self, policy: PathPolicy = "first") -> Int32s:
        """Return the one hypernym of every concept by which its path goes, -1 for a root."""
        if policy == "first":
            return self._first
        return self._smallest if policy == "smallest" else self._nearest

    def paths(self, concepts: Sequence[int] | Int32s, policy: PathPolicy = "first") -> tuple[Int32s, Int64s]:
        """Return the path of each concept, itself first and its root last, in one array, and where each begins."""
        return list_paths(self.ups(policy), np.asarray(concepts, np.int32))

    def path(self, concept: int, policy: PathPolicy = "first") -> tuple[int, ...]:
        """Return a concept and all above it on its path.

        >>> drug = wordnet().concept("marijuana", "02953127-n")
        >>> [wordnet().name_of(node) for node in wordnet().path(drug)[:3]]
        ['cannabis', 'soft drug', 'drug of abuse']
        """
        return tuple(self.paths([concept], policy)[0].tolist())

    def volumes_of(self, nodes: Int32s, starts: Int64s) -> Int64s:
        """Return the volumes along paths as ``list_paths`` gives them: 1 at each base word, with any words below it."""
        volumes = self.volumes[nodes]
        volumes[starts[:-1]] = 1
        return volumes

    def above(self, concept: int) -> Int32s:
        """Return all concepts above one, by any path."""
        return list_above(self.hypernym_starts, self.hypernyms, concept)

    def lie_below(self, concepts: Int32s, tops: Int32s) -> Bools:
        """Return for each concept whether it is one of the tops or is below one, by any path."""
        return lie_below(self.hypernym_starts, self.hypernyms, concepts, tops)

    def concept(self, term: str, sense: str | None = None) -> int:
        """Return the first sense of a term, or the one that an id (``02953127-n``) or a sense key names.

        Raises UsageError where the term is unknown or has no such sense.
        """
        lemma = self.lemma(term)
        if lemma is None:
            raise UsageError(f"{term}: not a word of the ontology {self.name}")
        if sense is None:
            return int(self.senses_of(lemma)[0])
        found = [concept for homonym in self.homonyms(lemma) for concept in self._named(homonym, sense)]
        if not found:
            raise UsageError(f"{term}: no sense {sense} in the ontology {self.name}. `ontology show` lists the senses")
        return found[0]

    def id_of(self, concept: int) -> str:
        """Return the id of a concept in its source, or its name where the source has none."""
        return f"{self.ids[concept]:08d}-n" if len(self.ids) else self.name_of(concept)

    def sense_key(self, lemma: int, sense: int) -> str | None:
        """Return the key of a lemma's n-th sense, as in ``marijuana%1:06:00::``, where the source has such."""
        if not len(self.sense_keys):
            return None
        file, number = divmod(int(self.sense_keys[self.sense_starts[lemma] + sense]), 100)
        return f"{self.word(lemma).lower().replace(' ', '_')}%1:{file:02d}:{number:02d}::"

    def gloss_of(self, concept: int) -> UInt16s:
        """Return the hashed words of a concept's gloss, sorted; none where no word has it beside another sense."""
        return self.glosses[self.gloss_starts[concept] : self.gloss_starts[concept + 1]]

    def forms_of(self, lemma: int) -> tuple[str, ...]:
        """Return the irregular forms of a lemma."""
        return tuple(self.word(self.n_lemmas + int(form)) for form in np.flatnonzero(self.lemmas == lemma))

    def _spelled(self, spelling: TermSpelling, text: str, bounds: Int32s, found: Int32s) -> Int32s:
        """Add lemmas for words that the list lacks and a pattern shows."""
        for row in np.flatnonzero(found[:, 0] < 0).tolist():
            word = spelling.read(text[bounds[row, 0] : bounds[row, 1]])
            lemma = None if word is None else self._listed(word)
            found[row] = (-1, 0) if lemma is None else (lemma, 1)
        return found

    def _listed(self, word: str) -> int | None:
        found = find_terms(self.index, characters(), SEED, _codes(word), np.array([[0, len(word)]], np.int32))
        return None if found[0, 0] < 0 else int(found[0, 0])

    def _named(self, lemma: int, sense: str) -> list[int]:
        concepts = self.senses_of(lemma).tolist()
        return [c for n, c in enumerate(concepts) if sense in (self.id_of(c), self.sense_key(lemma, n))]

    def _lemmatized(self, found: Int32s, column: int) -> Int32s:
        """Put lemmas for irregular forms."""
        put_lemmas(found, column, self.lemmas, self.n_lemmas)
        return found

    @cached_property
    def _first(self) -> Int32s:
        return first_hypernyms(self.hypernym_starts, self.hypernyms)

    @cached_property
    def _nearest(self) -> Int32s:
        return nearest_hypernyms(self.hypernym_starts, self.hypernyms)

    @cached_property
    def _smallest(self) -> Int32s:
        return smallest_hypernyms(self.hypernym_starts, self.hypernyms, self.volumes)


def ontology_at(source: str) -> Ontology:
    """Open the ontology of this name or file, once a process as long as the file remains as it is."""
    if source in CODED:
        return _coded(source)
    path = path_of(source)
    if not path.is_file():
        raise UsageError(f"{source}: no such ontology. Expected one of {', '.join(BUILT_IN)}, or a file")
    status = path.stat()
    return _opened(str(path), status.st_mtime_ns, status.st_size)


def wordnet() -> Ontology:
    """Open the nouns of Open English WordNet that come with the package."""
    return ontology_at("wordnet")


def path_of(source: str) -> Path:
    """Return the file of an ontology that comes with the package, or the given path."""
    return Path(str(_DATA / f"{source}.npz")) if source in PACKED else Path(source)


@lru_cache
def _coded(source: str) -> Ontology:
    """Make an ontology that is code, once a process."""
    arrays = dates.arrays() if source == "dates" else pack_source(ages.source())
    spelling = dates.SPELLING if source == "dates" else ages.SPELLING
    return from_arrays(arrays, {"name": source, "source": "code of spark-deid"}, spelling)


@lru_cache(maxsize=_KEPT_OPEN)
def _opened(path: str, _modified: int, _size: int) -> Ontology:
    arrays, about = map_arrays(Path(path))
    if path not in map(str, map(path_of, PACKED)):
        check_arrays(path, arrays, about)
    return from_arrays(arrays, about)


def digest_of(source: str) -> str:
    """Return the sha256 of an ontology's file, or of the arrays of one that is code."""
    if source not in CODED:
        return file_sha256(path_of(source))
    coded = _coded(source)
    arrays = (coded.index.text, coded.index.starts, coded.hypernyms, coded.hypernym_starts)
    return sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def from_arrays(arrays: Arrays, about: dict[str, str], spelling: TermSpelling | None = None) -> Ontology:
    """Make an ontology of packed arrays, as ``building.pack_source`` gives them.

    What can be had from others is not packed: counts represent starts, volumes are those of the concepts that have some
    below them (they come first), and the sense that its concept is named by has its highest bit set.
    """
    counts = {name: _starts(arrays[f"{name}_counts"]) for name in ("word", "sense", "hypernym", "gloss")}
    volumes = np.ones(len(arrays["hypernym_counts"]), np.int64)
    volumes[: len(arrays["volumes"])] = arrays["volumes"]
    senses, names = _named_senses(arrays["senses"], counts["sense"], len(volumes))
    return Ontology(
        name=about["name"],
        about=about,
        index=build_index(np.asarray(arrays["text"]), counts["word"]),
        senses=senses,
        sense_starts=counts["sense"],
        sense_keys=arrays["sense_keys"],
        lemmas=arrays["lemmas"],
        names=names,
        ids=arrays["ids"],
        hypernyms=arrays["hypernyms"],
        hypernym_starts=counts["hypernym"],
        volumes=volumes,
        glosses=arrays["glosses"],
        gloss_starts=counts["gloss"],
        spelling=spelling,
    )


def _named_senses(packed: Int32s, starts: Int32s, concepts: int) -> tuple[Int32s, Int32s]:
    senses, names = packed & ~NAMED, np.zeros(concepts, np.int32)
    owners = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    is_named = packed >= NAMED
    names[senses[is_named]] = owners[is_named]
    return senses, names


def _is_among(values: Int32s, ordered: Int32s) -> Bools:
    """Return for each value whether it is one of those in order."""
    found: Bools = np.searchsorted(ordered, values, side="right") > np.searchsorted(ordered, values)
    return found


def _joined(listed: Int32s, found: Int32s) -> Int32s:
    """Return rows of both, by start, then end; of rows with one start and end, that of the list."""
    rows = np.concatenate((listed, found))
    order = np.lexsort((np.arange(len(rows)), rows[:, 1], rows[:, 0]))
    rows = rows[order]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
    return rows[is_first]


def _starts(counts: UInt8s | UInt16s) -> Int32s:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts


def _codes(text: str) -> UInt32s:
    return np.frombuffer(bytearray(text.encode("utf-32-le")), np.uint32)


def _folded(word: str) -> str:
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())
