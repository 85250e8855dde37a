"""Write a corpus in another format, and make one."""

import time

from spark_deid.app.inputs import Figures, Progress, check_format, check_new, check_output, tell_losses
from spark_deid.app.sessions import corpus_figures, open_session, read_once
from spark_deid.corpus.formats import find_format
from spark_deid.session import Pace

MANY_DOCUMENTS = 5_000


def convert(
    source: str,
    source_format: str,
    target: str,
    target_format: str,
    *,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Write a corpus, annotations included, in another format."""
    from spark_deid.corpus.spark.read import write_corpus

    check_format(source_format, target_format)
    check_output(source, target)
    with open_session("convert", master, source) as spark:
        reading = read_once(spark, source, source_format, progress)
        tell_losses({}, reading.inventory.passed_over, progress)
        spans = reading.spans
        if not find_format(target_format).holds_spans:
            progress(f"warning: {spans.count()} annotations are left out: format {target_format} has no place for them")
            spans = spans.limit(0)
        progress("write")
        write_corpus(reading.documents, spans, target, target_format)
        return corpus_figures(reading.inventory, spans, target)


def synthesize(
    documents: int,
    seed: int,
    output_format: str,
    output: str,
    *,
    persons: str | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Make a corpus of invented documents with gold spans, and the table of its persons where asked for."""
    from spark_deid.corpus.spark.read import write_corpus
    from spark_deid.synthesis.spark import synthesize as make

    check_format(output_format)
    for place in (output, persons):
        if place is not None:
            check_new(place)
    began = time.monotonic()
    pace = Pace.LONG if documents > MANY_DOCUMENTS else Pace.SHORT
    with open_session("synthesize", master, None, pace=pace) as spark:
        progress(f"synthesize {documents} documents")
        made, spans, people = make(spark, documents, seed, None)
        write_corpus(made, spans, output, output_format)
        if persons is not None:
            progress("write persons")
            people.write.format("delta").save(persons)
    return {"output": output, "documents": documents, "seconds": round(time.monotonic() - began, 3)}
