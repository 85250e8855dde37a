"""Build, show and check ontologies."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.corpora import BuildOntologyOptions, CheckOntologyOptions, ShowOntologyOptions
from spark_deid.app.sessions import open_session
from spark_deid.core.errors import UsageError
from spark_deid.engine.tables import read_delta
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.sources.reading import build, is_nltk, of_rows, read_source
from spark_deid.ontology.sources.tables import of_pairs
from spark_deid.storage.files import is_remote, local_path
from spark_deid.storage.path_checks import check_creatable

if TYPE_CHECKING:
    from spark_deid.ontology.ontology import Ontology
    from spark_deid.ontology.policies import PathPolicy
    from spark_deid.ontology.sources.reading import OntologySource

SUFFIX = ".npz"


@dataclass(frozen=True)
class OntologyCheckFigures(CommandFigures):
    """What is wrong with a source, a line each, and whether an ontology can be built of it."""

    source: str
    kind: str
    concepts: int
    faults: tuple[str, ...]
    is_sound: bool


@dataclass(frozen=True)
class OntologyBuildFigures(CommandFigures):
    """A file of an ontology, with its counts."""

    output: str
    kind: str
    concepts: int
    words: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class OntologyTermFigures(CommandFigures):
    """An ontology: what is said of it and its counts, or the senses of a term with their paths."""

    ontology: str
    about: Mapping[str, str]
    counts: Mapping[str, int]
    senses: tuple[Mapping[str, Any], ...]


def check_ontology(options: CheckOntologyOptions, progress: Progress = no_progress) -> OntologyCheckFigures:
    """Tell what is wrong with a source of an ontology: circles, several roots, unknown parents, terms alike but case.

    A Delta table is read by Spark.
    """
    progress(f"read {options.source}")
    read = _read(options.source, options.master)
    result = tuple(fault.message for fault in read.faults)
    return OntologyCheckFigures(options.source, read.kind, len(read.source.concepts), result, read.is_sound)


def build_ontology(options: BuildOntologyOptions, progress: Progress = no_progress) -> OntologyBuildFigures:
    """Build the arrays of a source that ``generalize`` opens; raises UsageError with every fault of a source.

    Several roots, and terms that differ in case alone, are no hindrance and told as warnings.
    """
    output = Path(local_path(options.output))
    if is_remote(options.output) or output.suffix != SUFFIX:
        raise UsageError(f"{options.output}: expected a local file with the suffix {SUFFIX}")
    if output.exists():
        raise UsageError(f"{options.output}: file already exists. Choose a new name")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{options.output}: the folder {output.parent} does not exist")
    check_creatable(output.parent)
    progress(f"read {options.source}")
    read = _read(options.source, options.master)
    build(read, options.name or output.stem, output)
    built = ontology_at(str(output))
    warnings = tuple(fault.message for fault in read.faults)
    return OntologyBuildFigures(options.output, read.kind, built.n_concepts, built.n_lemmas, warnings)


def show_ontology(options: ShowOntologyOptions, progress: Progress = no_progress) -> OntologyTermFigures:
    """Show what an ontology is, or the senses of a term with all that it can become, and each one's volume."""
    found = ontology_at(options.ontology)
    counts = {"concepts": found.n_concepts, "words": found.n_lemmas, "roots": int((found.ups() < 0).sum())}
    senses = () if options.term is None else _senses(found, options.term, options.paths)
    return OntologyTermFigures(options.ontology, found.about, counts, senses)


def _senses(ontology: "Ontology", term: str, policy: "PathPolicy") -> tuple[dict[str, Any], ...]:
    lemma = ontology.lemma(term)
    if lemma is None:
        raise UsageError(f"{term}: not in the ontology {ontology.name}")
    return tuple(
        {
            "word": ontology.word(homonym),
            "id": ontology.id_of(concept),
            "key": ontology.sense_key(homonym, number),
            "path": [
                {"id": ontology.id_of(node), "name": ontology.name_of(node), "volume": int(ontology.volumes[node])}
                for node in ontology.path(concept, policy)
            ],
        }
        for homonym in sorted(ontology.homonyms(lemma), key=lambda each: each != lemma)
        for number, concept in enumerate(ontology.senses_of(homonym).tolist())
    )


def _read(source: str, master: str | None) -> "OntologySource":
    if is_nltk(source):
        return read_source(source)
    if not is_remote(source) and not Path(local_path(source), "_delta_log").is_dir():
        return read_source(local_path(source))
    with open_session("ontology", master, source) as spark:
        table = read_delta(spark, source)
        missing = [name for name in ("term", "parent") if name not in table.columns]
        if missing:
            raise UsageError(f"{source}: expected a column {missing[0]}")
        rows = table.select("term", "parent").orderBy("term", "parent").collect()
    return of_rows(of_pairs((row["term"], row["parent"]) for row in rows))
