"""Identifiers by patterns: what spark_deid's patterns and Presidio's recognizers hide of annotated text.

Each tool in a separate environment; Presidio's needs presidio-analyzer, and no model of spaCy: its recognizers of
names are omitted, and context words are looked up among the words as they occur::

    python benchmarks/pattern_peers.py --tool spark-deid --input notes.jsonl
    python benchmarks/pattern_peers.py --tool presidio --language es --input notes.jsonl

``--input`` is a file of JSON lines with ``text`` and ``spans`` (start, end, label), or presidio-research's, ``.gz``
or not. Kinds are those of labels that patterns can know. Of a kind are counted the annotated characters that are
hidden, and the annotations that are hidden whole; of innocent text, which nothing annotates, the characters hidden.
"""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

KINDS = {
    "email": "EMAIL EMAIL_ADDRESS CORREO_ELECTRONICO",
    "phone": "PHONE PHONE_NUMBER NUMERO_TELEFONO NUMERO_FAX",
    "date": "DATE DATE_TIME FECHAS",
    "url": "URL DOMAIN_NAME URL_WEB",
    "ip": "IP IP_ADDRESS",
    "card": "CREDIT_CARD CARD",
    "iban": "IBAN_CODE IBAN",
    "ssn": "US_SSN SSN",
    "number": "ID ID_SUJETO_ASISTENCIA ID_ASEGURAMIENTO ID_TITULACION_PERSONAL_SANITARIO ID_CONTACTO_ASISTENCIAL"
    " RECORD_NO US_DRIVER_LICENSE",
    "age": "AGE EDAD_SUJETO_ASISTENCIA",
    "postcode": "ZIP ZIP_CODE",
    "address": "ADDRESS STREET_ADDRESS STREET CALLE",
}
"""Labels of annotated text by the kind of identifier."""
_KIND_OF = {label: kind for kind, labels in KINDS.items() for label in labels.split()}
Place = tuple[int, int]
Detect = Callable[[str], Iterable[tuple[int, int, float]]]


class AnnotatedText(NamedTuple):
    """A text and what is annotated in it."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


class HiddenCounts(NamedTuple):
    """Characters and annotations by kind and those hidden, innocent characters and those hidden, processor seconds."""

    characters: Counter[str]
    hidden: Counter[str]
    annotations: Counter[str]
    whole: Counter[str]
    innocent: int
    innocent_hidden: int
    read: int
    seconds: float


def texts_in(path: Path) -> Iterator[AnnotatedText]:
    """Read JSON lines, or the list of presidio-research."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    text = content.decode()
    if text.lstrip().startswith("["):
        for each in json.loads(text):
            spans = [(s["start_position"], s["end_position"], s["entity_type"]) for s in each["spans"]]
            yield AnnotatedText(each["full_text"], tuple(spans))
        return
    for line in text.splitlines():
        row = json.loads(line)
        spans = [(s["start"], s["end"], s["label"]) for s in row.get("spans", ())]
        yield AnnotatedText(row["text"], tuple(spans))


def by_spark_deid() -> Detect:
    import spark_deid as sd

    finders = sd.Plan(patterns={"kinds": "all"}).finders
    return lambda text: [(span.start, span.end, 1.0) for find in finders for span in find(text)]


def by_presidio(language: str) -> Detect:
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": language, "model_name": "blank"}])
    engine.nlp = {language: spacy.blank(language)}
    registry = RecognizerRegistry(supported_languages=[language])
    registry.load_predefined_recognizers(languages=[language], nlp_engine=engine)
    for recognizer in [*registry.recognizers]:
        if "spacy" in recognizer.name.lower():
            registry.remove_recognizer(recognizer.name)
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[language])
    return lambda text: [(each.start, each.end, each.score) for each in analyzer.analyze(text, language)]


def count(texts: list[AnnotatedText], detect: Detect, thresholds: list[float]) -> dict[float, HiddenCounts]:
    detect(texts[0].text)  # what is loaded at first use
    begin = time.process_time()
    found = [list(detect(each.text)) for each in texts]
    seconds = time.process_time() - begin
    return {least: _counted(texts, found, least, seconds) for least in thresholds}


def _counted(
    texts: list[AnnotatedText], found: list[list[tuple[int, int, float]]], least: float, seconds: float
) -> HiddenCounts:
    characters, hidden, annotations, whole = (Counter[str]() for _ in range(4))
    innocent = innocent_hidden = 0
    for each, spans in zip(texts, found, strict=True):
        marked = _marks(each.text, ((start, end) for start, end, score in spans if score >= least))
        gold = _marks(each.text, ((start, end) for start, end, _ in each.spans))
        for start, end, label in each.spans:
            if (kind := _KIND_OF.get(label)) is not None:
                characters[kind] += end - start
                hidden[kind] += sum(marked[start:end])
                annotations[kind] += 1
                whole[kind] += all(marked[start:end])
        innocent += gold.count(0)
        innocent_hidden += sum(mark and not is_gold for mark, is_gold in zip(marked, gold, strict=True))
    read = sum(len(each.text) for each in texts)
    return HiddenCounts(characters, hidden, annotations, whole, innocent, innocent_hidden, read, seconds)


def _marks(text: str, places: Iterable[Place]) -> bytearray:
    marks = bytearray(len(text))
    for start, end in places:
        marks[start:end] = b"\1" * (end - start)
    return marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", choices=["spark-deid", "presidio"], required=True)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--language", default="en", help="of Presidio's recognizers")
    parser.add_argument("--least-score", type=float, nargs="*", default=[0.0, 0.4], help="of Presidio's results")
    given = parser.parse_args()
    is_ours = given.tool == "spark-deid"
    detect = by_spark_deid() if is_ours else by_presidio(given.language)
    texts = list(texts_in(given.input))
    print(f"{given.tool} {version('spark-deid' if is_ours else 'presidio-analyzer')}, {len(texts)} texts")
    for least, counts in count(texts, detect, [0.0] if is_ours else given.least_score).items():
        print(f"score of at least {least:g}")
        for kind in KINDS:
            if total := counts.annotations[kind]:
                share = counts.hidden[kind] / counts.characters[kind]
                print(f"  {kind:9} {total:6} {counts.whole[kind] / total:7.1%} whole, {share:7.1%} of characters")
        rate = 1000 * counts.innocent_hidden / counts.innocent
        print(f"  innocent  {rate:.2f} of 1,000 characters hidden ({counts.innocent_hidden} of {counts.innocent})")
        print(f"  {counts.read / counts.seconds / 1e6:.3f} million characters a second of a processor")


if __name__ == "__main__":
    main()
