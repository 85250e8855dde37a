"""Commands that write a corpus in another format and make one."""

from spark_deid import app
from spark_deid.cli.options import takes
from spark_deid.cli.printing import PrintedProgress, print_figures


@takes(app.ConvertOptions)
def convert(options: app.ConvertOptions) -> app.ConversionFigures | app.TableConversionFigures:
    """Write a corpus in another format, or what anonymize released of a table of people, or a workspace's rejects.

    Those tables have no texts: csv, jsonl, parquet and delta take them, every column as it is.

    Example: spark-deid convert --from brat --to jsonl notes/ notes-jsonl/

    Example: spark-deid convert --from delta --to csv out/adult adult-csv/

    Example: spark-deid convert --from delta --to csv out/names/workspace/rejects rejects-csv/
    """
    written = app.convert(options, PrintedProgress())
    print_figures("Converted", written.to_json())
    return written


@takes(app.SynthesizeOptions)
def synthesize(options: app.SynthesizeOptions) -> app.SynthesisFigures:
    """Make a test corpus of invented notes and mail, with exact gold spans.

    Example: spark-deid synthesize --documents 1000 --seed 7 --format jsonl --output corpus/
    """
    synthesized = app.synthesize(options, PrintedProgress())
    print_figures("Synthesized", synthesized.to_json())
    return synthesized
