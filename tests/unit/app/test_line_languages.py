"""What lines of a stream are said to be in is counted by language: memory does not grow with the stream."""

from collections import Counter
from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

from spark_deid.app.redacting import LineRedactor
from spark_deid.pipeline.one_document import DocumentPipeline
from spark_deid.plan.load import check_methods


def test_warnings_are_of_counts_however_many_lines_there_were() -> None:
    def warnings_of_said(languages: Mapping[str, int]) -> tuple[str, ...]:
        return tuple(f"{language} {number}" for language, number in languages.items())

    pipeline = cast(DocumentPipeline, SimpleNamespace(warnings_of_said=warnings_of_said))
    settings = check_methods({"patterns": {}}, "a plan")
    said = Counter({"fi": 10**6, "es": 1})
    assert LineRedactor(settings, pipeline, b"", said=said).warnings() == ("fi 1000000", "es 1")
