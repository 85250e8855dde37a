"""Tell by a file what kind of source it is, check it, and build its ontology."""

import csv
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spark_deid.core.csv_dialect import LONGEST_CELL
from spark_deid.core.errors import UsageError
from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, OntologyFault, pack_source
from spark_deid.ontology.sources import arx, tables, wordnet

NLTK = "nltk"
KINDS = "a table of hypernyms (CSV, Parquet or Delta: term, parent), ARX's CSV, or nltk:FOLDER"


@dataclass(frozen=True)
class OntologySource:
    """What a source holds: its kind, its concepts as far as they are in order, and what is wrong with it."""

    kind: str
    faults: tuple[OntologyFault, ...]
    source: ConceptSource

    @property
    def is_sound(self) -> bool:
        """Return whether an ontology can be built of it."""
        return not any(fault.is_grave for fault in self.faults)


def is_nltk(place: str) -> bool:
    """Return whether a source is WordNet through NLTK; what follows a colon is its folder, no address of a storage.

    >>> is_nltk("nltk"), is_nltk("nltk:/usr/share/wordnet"), is_nltk("nltk.csv")
    (True, True, False)
    """
    return place.partition(":")[0] == NLTK


def read_source(place: str) -> OntologySource:
    """Read a source that is a file, a folder of Parquet, or ``nltk`` with or without a folder.

    Raises UsageError for anything else.
    """
    if is_nltk(place):
        return OntologySource("WordNet", (), wordnet.source(place.partition(":")[2] or None))
    path = Path(place)
    if path.is_dir() or path.suffix == ".parquet":
        return of_rows(tables.read_parquet(path))
    if not path.is_file():
        raise UsageError(f"{place}: there is no such file; expected {KINDS}")
    try:
        return _read_csv(path, place)
    except csv.Error:
        raise UsageError(f"{place}: expected CSV, with cells of at most {LONGEST_CELL:,} characters") from None


def _read_csv(path: Path, place: str) -> OntologySource:
    text = tables.read_cells(path)
    if tables.is_table(text):
        return of_rows(tables.read_csv(path))
    if arx.DELIMITER not in text.partition("\n")[0]:
        raise UsageError(f"{place}, line 1: expected columns named term and parent, or labels with ; between")
    lines = arx.parse(text)
    return _read("hierarchy", arx.faults(lines), partial(arx.source, lines))


def of_rows(rows: tuple[tables.HypernymRow, ...]) -> OntologySource:
    """Read a table of hypernyms that was read already, from Delta for one."""
    if not rows:
        return OntologySource("hypernyms", (OntologyFault("there are no rows"),), ConceptSource(()))
    return _read("hypernyms", tables.faults(rows), partial(tables.source, rows))


def build(read: OntologySource, name: str, output: Path) -> None:
    """Write the ontology of a source to a file; raises UsageError with all its faults where one is grave."""
    if not read.is_sound:
        raise UsageError("\n".join(fault.message for fault in read.faults))
    save_arrays(output, pack_source(read.source), {"name": name, "source": read.kind})


def _read(kind: str, faults: tuple[OntologyFault, ...], source: "partial[ConceptSource]") -> OntologySource:
    is_sound = not any(fault.is_grave for fault in faults)
    return OntologySource(kind, faults, source() if is_sound else ConceptSource(()))
