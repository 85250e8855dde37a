"""Commands around data that can be shared for training."""

from spark_deid import app
from spark_deid.cli.printing import print_attacks, print_figures


def embeddings(built: "app.EmbeddingsFigures", options: "app.EmbeddingsOptions") -> None:
    """Build a store of word vectors from a file: GloVe, FastText .vec, word2vec binary or wink JSON.

    Example: spark-deid representation embeddings glove.6B.100d.txt vectors
    """
    print_figures("Built", built.to_json())


def learn_embeddings(built: "app.EmbeddingsFigures", options: "app.LearnEmbeddingsOptions") -> None:
    """Learn word vectors from your own corpus.

    The store is private. It contains a hash instead of each word that few people use.

    Example: spark-deid representation learn-embeddings --input notes --format text --output vectors
    """
    print_figures("Learned", built.to_json())


def pseudonymize(released: "app.PseudonymFigures", options: "app.PseudonymizeOptions") -> None:
    """Release labelled text for training, with a similar word for each annotated word and shuffled sentences.

    Words outside annotations are published unchanged.

    Example: spark-deid representation pseudonymize --input notes --format brat --embeddings vectors --output shared
    """
    shown = {name: value for name, value in released.results.items() if not isinstance(value, list | dict)}
    print_figures(released.release, {"documents": released.documents, **shown, "seconds": released.seconds})


def train(trained: "app.RepresentationFigures", options: "app.TrainRepresentationOptions") -> None:
    """Train a representation that can be published, on public labelled text. Needs the extra `neural`.

    The representation is written only if every attack on it fails. OUTPUT.privacy.json has the results of the attacks
    in both cases.

    Example: spark-deid representation train --input notes --format brat --embeddings vectors --output representation
    """
    print_attacks(trained.privacy)
    figures = {"documents": trained.documents, "f1": trained.f1, "report": trained.report, "seconds": trained.seconds}
    print_figures(trained.output, figures)


def transform(released: "app.TransformFigures", options: "app.TransformOptions") -> None:
    """Release labelled text as vectors for training: noisy numbers, casings and labels, but no text.

    Example: spark-deid representation transform --input notes --format brat --representation representation \
    --embeddings vectors --output shared
    """
    figures = released.to_json()
    print_figures(str(figures.pop("release")), {**figures, "labels": ", ".join(released.labels)})


def pool(pooled: "app.PoolingFigures", options: "app.PoolOptions") -> None:
    """Train a de-identifier on vectors of several institutions.

    `run` and `detect` accept the model folder.

    Example: spark-deid representation pool --releases one,two --representation representation --embeddings vectors \
    --output model
    """
    figures = pooled.to_json()
    print_figures(str(figures.pop("output")), {**figures, "labels": ", ".join(pooled.labels)})
