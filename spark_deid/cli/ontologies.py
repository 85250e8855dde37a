"""Commands around ontologies."""

from collections.abc import Mapping
from typing import Any

from spark_deid import app
from spark_deid.cli.printing import ERR, OUT, print_figures


def build(built: "app.OntologyBuildFigures", options: "app.BuildOntologyOptions") -> None:
    """Build an ontology of terms and what stands above them, for generalization.

    Example: spark-deid ontology build diseases.csv diseases.npz
    """
    for warning in built.warnings:
        ERR.print(f"warning: {warning}", markup=False, highlight=False, soft_wrap=True)
    figures = built.to_json()
    del figures["warnings"]
    print_figures("Built", figures)


def check(checked: "app.OntologyCheckFigures", options: "app.CheckOntologyOptions") -> int:
    """Tell what is wrong with a source of an ontology, a line each; exit code 1 says that something is.

    Example: spark-deid ontology check diseases.csv
    """
    for fault in checked.faults:
        OUT.print(fault, markup=False, highlight=False, soft_wrap=True)
    if not checked.faults:
        OUT.print(f"{checked.concepts} concepts; nothing is wrong", markup=False, highlight=False)
    return 1 if checked.faults else 0


def show(figures: "app.OntologyTermFigures", options: "app.ShowOntologyOptions") -> None:
    """Show an ontology, or the senses of a term and what it can become, with the number of leaves below each.

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
