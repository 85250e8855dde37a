"""Options of commands for word vectors, pseudonyms and private representations."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from spark_deid.app.options.fields import (
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

_STORE = "A new folder for the store, on a file system that workers see as a local path."


class EmbeddingsOptions(CommandOptions):
    """A file of vectors, and the store that is built of it."""

    source: Annotated[str, ArgumentMetavar("FILE")] = Field(description="A file of vectors; .gz is read, too.")
    output: Annotated[str, ArgumentMetavar("STORE")] = Field(description=_STORE)
    format: Literal["glove", "fasttext", "word2vec", "wink"] | None = option(
        None, "How the file is written; by its name where absent: .vec fasttext, .bin word2vec, .json wink, else glove."
    )


class LearnEmbeddingsOptions(CommandOptions):
    """A corpus whose words get vectors, and the private store of them."""

    input: Input
    format: Format
    output: str = Field(description=f"{_STORE} It is private: mode 0700.")
    options: FormatOptions = Field(default_factory=dict)
    method: Literal["word2vec", "fasttext"] = option(
        "word2vec", "Vectors of frequent words, or by parts of words, of rare ones, too (the extra `subword`)."
    )
    dimensions: int = option(100, "Numbers of a vector.", ge=2, le=1000)
    min_count: int = option(5, "How often a word must occur to have a vector.", ge=1)
    k: int = option(5, "How many persons must share a word for it to be kept in clear, and be a pseudonym.", ge=1)
    passes: int = option(5, "How often the corpus is gone through.", ge=1)
    seed: int = option(0, "Equal seeds give equal vectors.", ge=0)
    master: Master = None


class PseudonymizeOptions(CommandOptions):
    """Labelled text, vectors, and what is released of it."""

    input: Input
    format: LabelledFormat
    embeddings: str = Field(description="A store of vectors, built by `representation embeddings`.")
    output: str = Field(description="A new folder for documents, manifest.json and report.html.")
    options: FormatOptions = Field(default_factory=dict)
    to: WrittenFormat = option("delta", "A format: OUTPUT/corpus has the documents in it, too.")
    neighbours: int = option_of(NeighbourSettings, "neighbours")
    include_self: bool = option_of(NeighbourSettings, "include_self")
    exclude: tuple[str, ...] = option_of(NeighbourSettings, "exclude")
    index: Literal["exact", "approximate"] = option_of(NeighbourSettings, "index")
    scope: Literal["token", "document"] = option_of(NeighbourSettings, "scope")
    sentences: int = option(100, "Sentences of a new document.", ge=1)
    cache: str | None = option_of(NeighbourSettings, "cache")
    workspace: str | None = option(None, "A private folder that keeps originals and edits.")
    key_file: Path | None = option(None, "A secret key: equal keys and inputs give equal releases; random by default.")
    master: Master = None

    @property
    def private(self) -> str:
        """Return the place of originals, spans and edits."""
        return self.workspace or private_folder_of(self.output)


STORE = "A store of vectors that may be given away, built by `representation embeddings`."


class TrainRepresentationOptions(CommandOptions):
    """Public labelled text, vectors, and the representation that is trained on both."""

    input: Input
    format: LabelledFormat
    embeddings: str = Field(description=STORE)
    output: Path = Field(description="A new folder for the representation; made only where every attack fails.")
    options: FormatOptions = Field(default_factory=dict)
    neighbours: int = option(100, "Among how many nearest words adversaries must not tell.", ge=1, le=10_000)
    dimensions: int = option(50, "Numbers of a token's representation (the paper's d).", ge=2, le=1000)
    strength: float = option(1.0, "Weight of the adversaries in the representation's loss (the paper's lambda).", ge=0)
    method: TrainingMethod = option("divergence", METHOD)
    invariance: Invariance = option(None, INVARIANCE, ge=0)
    divergence: Divergence = option(None, DIVERGENCE, gt=0)
    minutes: float = option(60.0, "Minutes of one core that sizes of networks and attacks are chosen for.", gt=0)
    units: int | None = option(None, "Units of each LSTM and direction; chosen by --minutes if not given.", ge=1)
    epochs: int | None = option(
        None,
        "Maximum epochs of each pre-training and of the de-identifier, each with all sentences; chosen by --minutes "
        "if not given.",
        ge=1,
    )
    alternations: int | None = option(
        None, "Maximum alternations of the networks against each other; twice the epochs if not given.", ge=1
    )
    attack_epochs: int | None = option(
        None, "Epochs of each adversary on the frozen representation; chosen by --minutes if not given.", ge=1
    )
    seed: int = option(0, "Equal seeds give equal representations on machines of one kind.", ge=0)


class PoolOptions(CommandOptions):
    """Vectors of several institutions, and the de-identifier that is trained on all of them."""

    releases: tuple[str, ...] = Field(
        description="Releases of `representation transform`, with commas between.", min_length=1
    )
    representation: Path = Field(description="The representation that they were made with.")
    embeddings: str = Field(description="Its publisher's store of vectors.")
    output: Path = Field(description="The model folder to make; it must not exist, or be empty.")
    minutes: float = option(60.0, "Minutes of one core that the network's size and epochs are chosen for.", gt=0)
    seed: int = option(0, "Equal seeds and vectors give equal models on machines of one kind.", ge=0)


class TransformOptions(CommandOptions):
    """Labelled text, a representation, and the vectors that are let out."""

    input: Input
    format: LabelledFormat
    representation: Path = Field(description="A folder that `representation train` made.")
    embeddings: str = Field(description="Its publisher's store of vectors.")
    output: str = Field(description="A new folder for the table of vectors, manifest.json and report.html.")
    options: FormatOptions = Field(default_factory=dict)
    labels: tuple[str, ...] = option(
        (), "Labels that are let out besides those of the representation; all others become OTHER."
    )
    workspace: str | None = option(None, "A private folder that keeps the key, and the record of the release.")
    key_file: Path | None = option(None, "A secret key: equal keys and inputs give equal vectors; random by default.")
    master: Master = None

    @property
    def private(self) -> str:
        """Return the place of what is private while the release is made."""
        return self.workspace or private_folder_of(self.output)
