"""Options of commands for word vectors, pseudonyms and private representations."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from spark_deid.app.options.fields import (
    Engine,
    Format,
    FormatOptions,
    Input,
    LabelledFormat,
    Master,
    WrittenFormat,
    private_folder_of,
)
from spark_deid.core.options import ArgumentMetavar, CommandOptions, option, option_of
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.private_training.training_method import (
    DIVERGENCE,
    INVARIANCE,
    METHOD,
    Divergence,
    Invariance,
    TrainingMethod,
)

_STORE = "A new folder for the store. Every worker must see it as a local path."


class EmbeddingsOptions(CommandOptions):
    """A file of vectors, and the store that is built of it."""

    source: Annotated[str, ArgumentMetavar("FILE")] = Field(description="A file of word vectors. It can end in .gz.")
    output: Annotated[str, ArgumentMetavar("STORE")] = Field(description=_STORE)
    format: Literal["glove", "fasttext", "word2vec", "wink"] | None = option(
        None,
        "Format of the file. The default depends on its name: .vec fasttext, .bin word2vec, .json wink, other glove.",
    )


class LearnEmbeddingsOptions(CommandOptions):
    """A corpus whose words get vectors, and the private store of them."""

    input: Input
    format: Format
    output: str = Field(description=f"{_STORE} It is private: mode 0700.")
    options: FormatOptions = Field(default_factory=dict)
    method: Literal["word2vec", "fasttext"] = option(
        "word2vec",
        "Vectors of frequent words (word2vec), or also of rare words from their parts (fasttext, extra `subword`).",
    )
    dimensions: int = option(100, "Numbers of a vector.", ge=2, le=1000)
    min_count: int = option(5, "Minimum number of occurrences of a word with a vector.", ge=1)
    k: int = option(
        5, "Minimum number of people who use a word before the store contains it in clear and as a pseudonym.", ge=1
    )
    passes: int = option(5, "Number of passes through the corpus.", ge=1)
    seed: int = option(0, "Seed. Equal seeds give equal vectors.", ge=0)
    master: Master = None
    engine: Engine = "auto"


class PseudonymizeOptions(CommandOptions):
    """Labelled text, vectors, and what is released of it."""

    input: Input
    format: LabelledFormat
    embeddings: str = Field(description="A store of vectors, built by `representation embeddings`.")
    output: str = Field(description="A new folder for documents, manifest.json and report.html.")
    options: FormatOptions = Field(default_factory=dict)
    to: WrittenFormat = option("delta", "Also write the documents to OUTPUT/corpus in this format.")
    neighbours: int = option_of(NeighbourSettings, "neighbours")
    include_self: bool = option_of(NeighbourSettings, "include_self")
    exclude: tuple[str, ...] = option_of(NeighbourSettings, "exclude")
    index: Literal["exact", "approximate"] = option_of(NeighbourSettings, "index")
    scope: Literal["token", "document"] = option_of(NeighbourSettings, "scope")
    sentences: int = option(100, "Number of sentences per new document.", ge=1)
    cache: str | None = option_of(NeighbourSettings, "cache")
    workspace: str | None = option(None, "A private folder for originals and edits.")
    key_file: Path | None = option(
        None, "Key file. Equal keys and inputs give equal releases. The default is a random key."
    )
    master: Master = None
    engine: Engine = "auto"

    @property
    def private(self) -> str:
        """Return the place of originals, spans and edits."""
        return self.workspace or private_folder_of(self.output)


STORE = "A public store of vectors, built by `representation embeddings`."


class TrainRepresentationOptions(CommandOptions):
    """Public labelled text, vectors, and the representation that is trained on both."""

    input: Input
    format: LabelledFormat
    embeddings: str = Field(description=STORE)
    output: Path = Field(description="A new folder for the representation. It is written only if every attack fails.")
    options: FormatOptions = Field(default_factory=dict)
    neighbours: int = option(100, "Number of nearest words that adversaries must not distinguish.", ge=1, le=10_000)
    dimensions: int = option(50, "Numbers per token of the representation (the paper's d).", ge=2, le=1000)
    strength: float = option(1.0, "Weight of the adversaries in the representation's loss (the paper's lambda).", ge=0)
    method: TrainingMethod = option("divergence", METHOD)
    invariance: Invariance = option(None, INVARIANCE, ge=0)
    divergence: Divergence = option(None, DIVERGENCE, gt=0)
    minutes: float = option(60.0, "Minutes on one core, which determine the sizes of networks and attacks.", gt=0)
    units: int | None = option(None, "Units per LSTM and direction. The default depends on --minutes.", ge=1)
    epochs: int | None = option(
        None,
        "Maximum epochs of each pre-training and of the de-identifier. The default depends on --minutes.",
        ge=1,
    )
    alternations: int | None = option(
        None, "Maximum alternations of the networks. The default is twice the epochs.", ge=1
    )
    attack_epochs: int | None = option(
        None, "Epochs of each adversary on the frozen representation. The default depends on --minutes.", ge=1
    )
    seed: int = option(0, "Seed. Equal seeds give equal representations on machines of one kind.", ge=0)


class PoolOptions(CommandOptions):
    """Vectors of several institutions, and the de-identifier that is trained on all of them."""

    releases: tuple[str, ...] = Field(
        description="Releases of `representation transform`, separated by commas.", min_length=1
    )
    representation: Path = Field(description="The representation of these releases.")
    embeddings: str = Field(description="The store of vectors of the representation's publisher.")
    output: Path = Field(description="A new or empty folder for the model.")
    minutes: float = option(60.0, "Minutes on one core, which determine the size and the epochs of the network.", gt=0)
    seed: int = option(0, "Seed. Equal seeds and vectors give equal models on machines of one kind.", ge=0)


class TransformOptions(CommandOptions):
    """Labelled text, a representation, and the vectors that are published."""

    input: Input
    format: LabelledFormat
    representation: Path = Field(description="A folder written by `representation train`.")
    embeddings: str = Field(description="The store of vectors of the representation's publisher.")
    output: str = Field(description="A new folder for the table of vectors, manifest.json and report.html.")
    options: FormatOptions = Field(default_factory=dict)
    labels: tuple[str, ...] = option(
        (), "Further labels to publish, besides those of the representation. Every other label becomes OTHER."
    )
    workspace: str | None = option(None, "A private folder for the key and the record of the release.")
    key_file: Path | None = option(
        None, "Key file. Equal keys and inputs give equal vectors. The default is a random key."
    )
    master: Master = None
    engine: Engine = "auto"

    @property
    def private(self) -> str:
        """Return the place of what is private while the release is made."""
        return self.workspace or private_folder_of(self.output)
