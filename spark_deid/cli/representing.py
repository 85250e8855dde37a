"""Commands around data that can be shared for training."""

from spark_deid import app
from spark_deid.cli.printing import print_attacks, print_figures


def embeddings(built: "app.EmbeddingsFigures", options: "app.EmbeddingsOptions") -> None:
    """Build a store of word vectors of a file: GloVe's text, FastText's .vec, word2vec's binary format, wink's JSON.

    Example: spark-deid representation embeddings glove.6B.100d.txt vectors
    """
    print_figures("Built", built.to_json())


def learn_embeddings(built: "app.EmbeddingsFigures", options: "app.LearnEmbeddingsOptions") -> None:
    """Learn word vectors of your own corpus; their store is private, and its words are hashes that few persons share.

    Example: spark-deid representation learn-embeddings --input notes --format text --output vectors
    """
    print_figures("Learned", built.to_json())


def pseudonymize(released: "app.PseudonymFigures", options: "app.PseudonymizeOptions") -> None:
    """Release labelled text for training: each annotated word is one of its nearest, and sentences are shuffled.

    Words outside of annotations can be read as they are.

    Example: spark-deid representation pseudonymize --input notes --format brat --embeddings vectors --output shared
    """
    shown = {name: value for name, value in released.results.items() if not isinstance(value, list | dict)}
    print_figures(released.release, {"documents": released.documents, **shown, "seconds": released.seconds})


def train(trained: "app.RepresentationFigures", options: "app.TrainRepresentationOptions") -> None:
    """Train a representation that may be given away, on public labelled text; needs the extra `neural`.

    It is written where every attack on it fails; what attacks found is in OUTPUT.privacy.json either way.

    Example: spark-deid representation train --input notes --format brat --embeddings vectors --output representation
    """
    print_attacks(trained.privacy)
    figures = {"documents": trained.documents, "f1": trained.f1, "report": trained.report, "seconds": trained.seconds}
    print_figures(trained.output, figures)


def transform(released: "app.TransformFigures", options: "app.TransformOptions") -> None:
    """Release labelled text as vectors for training: numbers with noise, casings and labels, no text.

    Example: spark-deid representation transform --input notes --format brat --representation representation \
    --embeddings vectors --output shared
    """
    figures = released.to_json()
    print_figures(str(figures.pop("release")), {**figures, "labels": ", ".join(released.labels)})


def pool(pooled: "app.PoolingFigures", options: "app.PoolOptions") -> None:
    """Train a de-identifier on vectors of several institutions; the model folder is for `run` and `detect`.

    Example: spark-deid representation pool --releases one,two --representation representation --embeddings vectors \
    --output model
    """
    figures = pooled.to_json()
    print_figures(str(figures.pop("output")), {**figures, "labels": ", ".join(pooled.labels)})
