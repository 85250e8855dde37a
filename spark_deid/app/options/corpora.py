"""Options of commands for corpora and ontologies."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from spark_deid.app.options.fields import (
    Engine,
    Format,
    FormatName,
    FormatOptions,
    Input,
    Master,
    WrittenFormat,
    private_folder_of,
)
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, option, option_of
from spark_deid.repeats.detector import RepeatsSettings
from spark_deid.repeats.settings import CountedText, CoveringMethod, UnitChoice


class ConvertOptions(CommandOptions):
    """A corpus, and where it goes in which format."""

    source: Annotated[str, ArgumentMetavar("IN")] = Field(description="A file, a folder or a glob.")
    target: Annotated[str, ArgumentMetavar("OUT")] = Field(description="A new folder.")
    source_format: Annotated[FormatName, OptionFlag("--from")] = Field(description="The format of IN.")
    target_format: Annotated[WrittenFormat, OptionFlag("--to")] = Field(description="The format of OUT.")
    options: FormatOptions = Field(default_factory=dict)
    master: Master = None
    engine: Engine = "auto"


class SynthesizeOptions(CommandOptions):
    """How much is made up, and where it goes."""

    documents: int = Field(ge=1, description="Number of documents, about 2.5 kB each.")
    output: str = Field(description="A new folder for the documents with their gold spans.")
    seed: int = option(0, "Seed. Equal seeds give equal corpora.", ge=0)
    format: WrittenFormat = option("jsonl", "The format of the documents.")
    attributes: bool = option(False, "Label the attributes of people: PATIENT, AGE, ZIP, DIAGNOSIS and others.")
    persons: str | None = option(None, "A new folder for the table of people.")
    master: Master = None
    engine: Engine = "auto"


class RepeatsOptions(CommandOptions):
    """What is to be hidden as rare text, and where.

    Without a workspace, what is private is next to the output while it is made.
    """

    input: Input
    format: Format
    options: FormatOptions = Field(default_factory=dict)
    output: str = Field(description="A new folder for documents, manifest.json and report.html.")
    workspace: str | None = option(None, "A private folder for originals and edits, which assess needs.")
    k: int = option_of(RepeatsSettings, "k")
    min_length: int = option_of(RepeatsSettings, "min_length")
    unit: UnitChoice = option_of(RepeatsSettings, "unit")
    covering: CoveringMethod = option_of(RepeatsSettings, "covering")
    cap: int = option_of(RepeatsSettings, "cap")
    strict: CountedText = option_of(RepeatsSettings, "strict")
    whole_tokens: float = option_of(RepeatsSettings, "whole_tokens")
    shards: int = option_of(RepeatsSettings, "shards")
    mask_length: Annotated[bool, OptionFlag("--mask-length")] = option(
        False, "Write one star per character. The default is one per run."
    )
    sweep: Annotated[bool, OptionFlag("--sweep")] = option_of(RepeatsSettings, "sweep")
    release_ids: Literal["keep", "keyed"] | None = option(
        None, "Publish document ids (keep) or keyed hashes of them. The default is keyed if ids are file names."
    )
    key_file: Path | None = option(
        None, "Key file for hashes of ids. The default is a random key, stored in the workspace."
    )
    master: Master = None
    engine: Engine = "auto"

    @field_validator("cap")
    @classmethod
    def _fits(cls, cap: int, info: ValidationInfo) -> int:
        if info.data.get("min_length", 0) > cap:
            raise ValueError(f"min_length {info.data['min_length']} is above cap {cap}: every text would be hidden")
        return cap

    @property
    def private(self) -> str:
        """Return the place of originals, spans and edits."""
        return self.workspace or private_folder_of(self.output)


_SOURCE = "A table of hypernyms (CSV, Parquet or Delta: term, parent), ARX's CSV, nltk or nltk:FOLDER."


class CheckOntologyOptions(CommandOptions):
    """A source of an ontology."""

    source: Annotated[str, ArgumentMetavar("SOURCE")] = Field(description=_SOURCE)
    master: Master = None
    engine: Engine = "auto"


class BuildOntologyOptions(CheckOntologyOptions):
    """A source of an ontology, and a file for it."""

    output: Annotated[str, ArgumentMetavar("OUTPUT")] = Field(description="A new file, such as diseases.npz.")
    name: str | None = option(None, "Name of the ontology. The default is the file name.", min_length=1)


class ShowOntologyOptions(CommandOptions):
    """An ontology, and a term of it."""

    ontology: Annotated[str, ArgumentMetavar("ONTOLOGY")] = Field(
        description="wordnet, places, dates, ages, or a file of `ontology build`."
    )
    term: str | None = option(None, "A term. Shows its senses and the path of each with its volumes.", min_length=1)
    paths: Literal["first", "shortest", "smallest"] = option("first", "Path to show if a term has several.")
