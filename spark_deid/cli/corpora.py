"""Commands that write a corpus in another format and make one."""

from spark_deid import app
from spark_deid.cli.options import takes
from spark_deid.cli.printing import PrintedProgress, print_figures


@takes(app.ConvertOptions)
def convert(options: app.ConvertOptions) -> app.ConversionFigures:
    """Write a corpus in another format.

    Example: spark-deid convert --from brat --to jsonl notes/ notes-jsonl/
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
