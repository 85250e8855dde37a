"""The values of HIDE's Figure 5 written back; its record number and date are hidden whole, as the figure's are not."""

import pyarrow as pa

from spark_deid.anonymity.generalization import number_ranges
from spark_deid.anonymity.models import read_models
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.identity.generalized_values import write_value
from spark_deid.identity.mentions import AttributeMention, mentions_of
from spark_deid.identity.recode import NOT_QUASI, recode
from spark_deid.identity.settings import LabelAttribute
from spark_deid.ontology.hierarchy import ValueHierarchy
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.values.locale import ValueLocale
from tests.unit.identity.in_memory import IdentifierView, ViewRecodingSettings, generalize

TEXT = "CLINICAL HISTORY: 77 year old female with a history of B-cell lymphoma (Marginal zone, SH-02-22222, 6/22/01)."
LABELS = {
    "AGE": LabelAttribute("age", "age"),
    "MRN": LabelAttribute("mrn", "code"),
    "DATE": LabelAttribute("date", "date"),
}
BANDS = ValueHierarchy(tuple((row[0], row[2], "*") for row in number_ranges(map(str, range(70, 90)), (5, 10)).rows))


def marked(surface: str, label: str) -> Span:
    start = TEXT.index(surface)
    return Span(start, start + len(surface), label)


def shown(mention: AttributeMention, band: str) -> LinkedMention:
    if mention.attribute != "age":
        return LinkedMention(mention.start, mention.end, mention.label, None, NOT_QUASI)
    return LinkedMention(
        mention.start, mention.end, mention.label, write_value(TEXT[mention.start : mention.end], "age", band)
    )


def test_figure_5() -> None:
    spans = (marked("77", "AGE"), marked("SH-02-22222", "MRN"), marked("6/22/01", "DATE"))
    mentions = list(mentions_of(TEXT, spans, LABELS, ValueLocale()))
    assert [each.value for each in mentions] == ["77", "SH0222222", "2001-06-22"]
    ages = pa.array([mentions[0].value, "72", "85", "88"])
    bands = generalize(
        IdentifierView(4, {"age": ages}), ViewRecodingSettings(read_models("k=2"), {"age": "age"}, {"age": BANDS}, {})
    )["age"].to_pylist()
    assert bands == ["[70-79]", "[70-79]", "[80-89]", "[80-89]"]
    document = Document("d", TEXT, mentions=tuple(shown(each, bands[0]) for each in mentions))
    rules = PreparedRules({"AGE": PreparedRule("recode", recode)})
    assert apply_edits(TEXT, decide(document, spans, rules).edits) == (
        "CLINICAL HISTORY: [70-79] year old female with a history of B-cell lymphoma (Marginal zone, [MRN], [DATE])."
    )
