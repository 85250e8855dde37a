"""Commands that write a corpus in another format and make one."""

from spark_deid import app
from spark_deid.cli.printing import print_figures


def convert(written: "app.ConversionFigures | app.TableConversionFigures", options: "app.ConvertOptions") -> None:
    """Write a corpus, a released table of people or the rejects of a workspace in another format.

    The tables have no texts. Convert them to csv, jsonl, parquet or delta, which keep every column.

    Example: spark-deid convert --from brat --to jsonl notes/ notes-jsonl/

    Example: spark-deid convert --from delta --to csv out/adult adult-csv/

    Example: spark-deid convert --from delta --to csv out/names/workspace/rejects rejects-csv/
    """
    print_figures("Converted", written.to_json())


def synthesize(synthesized: "app.SynthesisFigures", options: "app.SynthesizeOptions") -> None:
    """Write a test corpus of invented notes and mail, with exact gold spans.

    Example: spark-deid synthesize --documents 1000 --seed 7 --format jsonl --output corpus/
    """
    print_figures("Synthesized", synthesized.to_json())
