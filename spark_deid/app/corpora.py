"""Write a corpus in another format, and make one."""

import time
from functools import partial
from pathlib import Path

from spark_deid.app.figures import ConversionFigures, SynthesisFigures, TableConversionFigures
from spark_deid.app.inputs import Progress, check_all, check_new, check_output, no_progress
from spark_deid.app.losses import tell_formulas, tell_skipped
from spark_deid.app.options.corpora import ConvertOptions, SynthesizeOptions
from spark_deid.app.sessions import open_session, read_once, tell_rejects, tell_written
from spark_deid.core.plurals import is_or_are, plural
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.spark.read import write_corpus
from spark_deid.engine.keeping import kept_tables
from spark_deid.engine.session import SessionPace
from spark_deid.storage.path_checks import check_outside

MANY_DOCUMENTS = 5_000


def convert(options: ConvertOptions, progress: Progress = no_progress) -> ConversionFigures | TableConversionFigures:
    """Write a corpus with its annotations, or a table without texts, in another format.

    Tables without texts are those of ``anonymize`` and the rejects of a workspace.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the conversion.
    """
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    from spark_deid.app.converted_table import rejects_table, released_table

    if options.source_format == "delta":
        table = released_table(options.source) or rejects_table(options.source)
        if table is not None:
            return _convert_table(options, table, progress)
    return _convert_corpus(options, progress)


def _convert_table(options: ConvertOptions, table: Path, progress: Progress) -> TableConversionFigures:
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    from spark_deid.app.converted_table import check_table_format, convert_table

    check_table_format(options.target_format)
    check_outside(table.parent, options.target)  # release or workspace, even if only its table is named
    check_new(options.target)
    with open_session("convert", options.master, str(table), progress=progress, engine=options.engine) as spark:
        return convert_table(spark, table, options.target, options.target_format, progress)


def _convert_corpus(options: ConvertOptions, progress: Progress) -> ConversionFigures:
    check_output(options.source, options.target, options.source_format, options.options)
    with (
        open_session("convert", options.master, options.source, progress=progress, engine=options.engine) as spark,
        kept_tables() as keep,
    ):
        reading = read_once(spark, options.source, options.source_format, options.options, keep, progress)
        tell_skipped(reading.inventory, progress)
        tell_rejects(reading, progress)
        spans, target = reading.spans, options.target_format
        if not find_format(target).holds_spans:
            if left_out := spans.count():
                message = f"{plural(left_out, 'annotation')} {is_or_are(left_out)} left out"
                progress(f"warning: {message}: format {target} cannot store them")
            spans = spans.limit(0)
        progress("write")
        tell_formulas(write_corpus(reading.documents, spans, options.target, target), progress)
        return tell_written(reading.inventory, spans, options.target)


def synthesize(options: SynthesizeOptions, progress: Progress = no_progress) -> SynthesisFigures:
    """Make a corpus of invented documents with gold spans, and the table of its people if requested."""
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    from spark_deid.corpus.synthesis.spark import synthesize as make

    places = (options.output, *((options.persons,) if options.persons is not None else ()))
    check_all(*(partial(check_new, place) for place in places))
    began = time.monotonic()
    pace = SessionPace.LONG if options.documents > MANY_DOCUMENTS else SessionPace.SHORT
    with open_session("synthesize", options.master, None, pace=pace, progress=progress, engine=options.engine) as spark:
        progress(f"synthesize {plural(options.documents, 'document')}")
        made, spans, people = make(
            spark, options.documents, options.seed, None, labels="attributes" if options.attributes else "text"
        )
        write_corpus(made, spans, options.output, options.format)
        if options.persons is not None:
            progress("write persons")
            people.write.format("delta").save(options.persons)
    return SynthesisFigures(options.output, options.documents, round(time.monotonic() - began, 3))
