"""Train `english-pos`, the tagger of parts of speech that comes with the package: an averaged perceptron of nltk.

    python resources/train_tagger.py --treebank en_ewt-ud-train.conllu
    python resources/train_tagger.py --ewt FOLDER --model opennlp-en-ud-ewt-pos-1.3-2.5.4.bin --classpath JARS

``--treebank`` names files of Universal Dependencies (CoNLL-U) with the tags of people. ``--ewt`` is a folder with
UNER's English EWT, which has the words of that treebank without its parts of speech. The Apache model of OpenNLP,
which was trained on the treebank, then gives the words their tags (``opennlp-tools`` and ``slf4j-api`` of Maven, Java).

Only the training part is read, and of it no e-mail: the experiments on mail (docs/experiments/greedy.md) take
their documents from there. Equal files and seed give equal taggers. The script prints the fraction of words of
``--held-out`` files, or of UNER's dev part, on which the tagger and the given tags agree.
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from nltk.tag.perceptron import PerceptronTagger

from spark_deid.text.tagging import BUNDLED, PARTS

OUTPUT = Path("spark_deid/text/data") / BUNDLED
LEFT_OUT = "email"
ROUNDS, SEED = 8, 0
LEAST_WEIGHT = 1.0
"""Smaller weights are dropped: more than half of the file, for 0.3 points of agreement on held-out words."""
TAG_LINES = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import opennlp.tools.postag.*;

public class TagLines {
    public static void main(String[] given) throws Exception {
        POSTaggerME tagger = new POSTaggerME(new POSModel(new File(given[0])));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream tags = new PrintStream(System.out, false, "UTF-8");
        for (String line = lines.readLine(); line != null; line = lines.readLine())
            tags.println(String.join(" ", tagger.tag(line.split(" "))));
        tags.flush();
    }
}
"""
Sentence = list[tuple[str, str]]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U or UNER file without those of e-mail: each word and its fourth column."""
    document, words = "", []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("# newdoc id = "):
                document = line.partition("=")[2].strip()
            elif len(cells) > 3 and cells[0].isdigit():
                words.append((cells[1], cells[3]))
            elif len(cells) > 2 and cells[0].isdigit():
                words.append((cells[1], ""))
            elif not line.strip():
                if words and not document.startswith(LEFT_OUT):
                    yield words
                words = []


def tagged_by_model(sentences: Iterable[Sentence], model: Path, classpath: str) -> list[Sentence]:
    """Return the sentences with the tags of OpenNLP's model; a word such as "don't" has the tag of its first part."""
    told = [[word for word, _ in sentence] for sentence in sentences]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "TagLines.java"
        source.write_text(TAG_LINES, encoding="utf-8")
        command = ["java", "-cp", classpath, str(source), str(model)]
        lines = "".join(" ".join(words) + "\n" for words in told).encode()
        answer = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=True).stdout.decode()
    tags = [[tag.partition("+")[0] for tag in line.split(" ")] for line in answer.splitlines()]
    return [list(zip(words, given, strict=True)) for words, given in zip(told, tags, strict=True)]


def train(sentences: list[Sentence]) -> PerceptronTagger:
    """Return the tagger that nltk trains on these sentences."""
    random.seed(SEED)  # nltk shuffles sentences by the generator of the process
    tagger = PerceptronTagger(load=False)
    tagger.train(sentences, nr_iter=ROUNDS)
    return tagger


def save(tagger: PerceptronTagger, folder: Path) -> None:
    """Write nltk's three files, in an order and with numbers that do not depend on the process."""
    weights = {
        feature: kept
        for feature, told in sorted(tagger.model.weights.items())
        if (kept := {tag: round(weight, 1) for tag, weight in sorted(told.items()) if abs(weight) >= LEAST_WEIGHT})
    }
    parts = {"weights": weights, "tagdict": dict(sorted(tagger.tagdict.items())), "classes": sorted(tagger.classes)}
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        told = json.dumps(parts[part], ensure_ascii=False, separators=(",", ":"))
        (folder / f"{BUNDLED}.{part}.json").write_text(told, encoding="utf-8")


def load(folder: Path) -> PerceptronTagger:
    """Return the tagger as written."""
    tagger = PerceptronTagger(load=False)
    tagger.decode_json_params(json.loads((folder / f"{BUNDLED}.{part}.json").read_text("utf-8")) for part in PARTS)
    return tagger


def agreement(tagger: PerceptronTagger, sentences: list[Sentence]) -> tuple[int, int]:
    """Return on how many words the tagger and the given tags agree, and how many there are."""
    given = [tag for told in sentences for _, tag in told]
    found = [tag for told in sentences for _, tag in tagger.tag([word for word, _ in told])]
    return sum(a == b for a, b in zip(given, found, strict=True)), len(given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", type=Path, nargs="+", default=[], help="files of CoNLL-U to train on")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="files of CoNLL-U to compare with")
    parser.add_argument("--ewt", type=Path, help="folder with UNER's English EWT, tagged by --model")
    parser.add_argument("--model", type=Path, help="file of OpenNLP's model of parts of speech")
    parser.add_argument("--classpath", help="JARs of opennlp-tools and slf4j-api")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the tagger (%(default)s)")
    told = parser.parse_args()
    if bool(told.treebank) == bool(told.ewt) or (told.ewt and not (told.model and told.classpath)):
        parser.error("expected --treebank, or --ewt with --model and --classpath")
    learned, held = told.treebank, told.held_out
    if told.ewt:
        learned, held = ([told.ewt / f"en_ewt-ud-{part}.iob2.gz"] for part in ("train", "dev"))
    given, other = ([each for path in paths for each in read_sentences(path)] for paths in (learned, held))
    if told.ewt:
        given, other = (tagged_by_model(each, told.model, told.classpath) for each in (given, other))
    save(train(given), told.output)
    print(f"{len(given):,} sentences, {sum(map(len, given)):,} words", file=sys.stderr)
    if other:
        right, words = agreement(load(told.output), other)
        print(f"agrees with {right / words:.2%} of {words:,} held-out words", file=sys.stderr)


if __name__ == "__main__":
    main()
