"""Sentences of the report about missed names: an estimate, or the reason why it is missing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spark_deid.core.missed_names import NoEstimate
from spark_deid.core.plurals import plural
from spark_deid.report.phrases import number, percent

_WHY = MappingProxyType(
    {
        NoEstimate.DOUBTS: "the run doubts that the model knows this text",
        NoEstimate.MODELS: "the texts use models of several languages, whose missed names were never measured together",
        NoEstimate.RANGE: "the text is unlike the labelled corpora by the forms of its words, such as unknown "
        "lowercase words, letters with digits between them, or no uppercase letters",
        NoEstimate.TABLE: "the missed names of the plan's model were never measured in other kinds of text",
    }
)


def missed_sentences(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the estimated number of missed names and the result of a target, or no sentence without a model.

    >>> missed_sentences({"missed_names": {"none": "no-table"}})[0].partition(":")[0]
    'The number of missed names is not estimated'
    """
    missed = manifest.get("missed_names")
    if not missed:
        return ()
    found = [
        _estimate(missed) if "words" in missed else f"The number of missed names is not estimated: {_why(missed)}."
    ]
    if "target" in missed:
        ratio = f"a loss ratio of {missed['loss_ratio']:,g}"
        reached = f"took {ratio}" if missed["reached"] else f"is not reached, with {ratio}, the highest"
        found.append(f"The plan's target, {percent(missed['target'])} of names at most, {reached}.")
    return tuple(found)


def _estimate(missed: Mapping[str, Any]) -> str:
    few = missed["words"] < 1
    count = plural(round(missed["words"]), "word")
    words = "Less than one word of people's names is" if few else f"About {count} of people's names are"
    interval = f"95% interval {number(missed['low'])} to {number(missed['high'])}"
    shares = f"{percent(missed['share'])} of names, {percent(missed['share_low'])} to {percent(missed['share_high'])}"
    if missed["found"] >= 1:  # of no names there is no share
        interval += f" ({shares})"
    corpora = missed["corpora"]
    return (
        f"{words} predicted to be missed, {interval}, if this text is like the {corpora} labelled corpora. If each of"
        f" these is predicted by the others, {missed['covered']} of {corpora} intervals are right. Only a "
        "sample that people read (spark-deid sample) gives a bound."
    )


def _why(missed: Mapping[str, Any]) -> str:
    return _WHY[NoEstimate(missed["none"])]
