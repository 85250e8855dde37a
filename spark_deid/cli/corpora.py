"""Commands that write a corpus in another format and make one."""

from collections.abc import Mapping
from typing import Any

from spark_deid import app
from spark_deid.cli.printing import ERR, OUT, print_figures


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


# Commands around ontologies.


def build(built: "app.OntologyBuildFigures", options: "app.BuildOntologyOptions") -> None:
    """Build an ontology of terms and their hypernyms, for generalization.

    Example: spark-deid ontology build diseases.csv diseases.npz
    """
    for warning in built.warnings:
        ERR.print(f"warning: {warning}", markup=False, highlight=False, soft_wrap=True)
    figures = built.to_json()
    del figures["warnings"]
    print_figures("Built", figures)


def check(checked: "app.OntologyCheckFigures", options: "app.CheckOntologyOptions") -> int:
    """List the errors in the source of an ontology, one per line. Exit code 1 means that it has errors.

    Example: spark-deid ontology check diseases.csv
    """
    for fault in checked.faults:
        OUT.print(fault, markup=False, highlight=False, soft_wrap=True)
    if not checked.faults:
        OUT.print(f"{checked.concepts} concepts, no errors", markup=False, highlight=False)
    return 1 if checked.faults else 0


def show(figures: "app.OntologyTermFigures", options: "app.ShowOntologyOptions") -> None:
    """Show an ontology, or the senses and generalizations of a term, with the number of leaves below each.

    Example: spark-deid ontology show wordnet --term marijuana
    """
    if options.term is None:
        print_figures(figures.ontology, {**figures.about, **figures.counts})
    for sense in figures.senses:
        _print_sense(sense)


def _print_sense(sense: Mapping[str, Any]) -> None:
    key = f" {sense['key']}" if sense["key"] else ""
    OUT.print(f"{sense['word']} ({sense['id']}{key})", markup=False, highlight=False)
    for level, node in enumerate(sense["path"]):
        OUT.print(f"  {level:2} {node['volume']:8,}  {node['name']}", markup=False, highlight=False)
