"""A plan over one document at a time, in this process: what a run would release of it, checked in the same way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.kinds import DocumentCheck, DocumentEvidence, GuaranteeKind, LabelRule, MethodContext
from spark_deid.core.span import GOLD, Span, detector_of, is_allowed
from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.coverage import CheckedEdit, faults_of, is_exempt
from spark_deid.guarantees.gate import require
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.pipeline.checking import checking_of, is_foreign
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import detectors_of, document_finders_of, named_labels
from spark_deid.plan.explain import check_detectors, check_guarantees
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import PreparedRules, prepare_rules
from spark_deid.rewriting.telling_labels import LabelTexts, stand_ins, tags_among
from spark_deid.text.language import in_language, plain_language

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_remembered = lru_cache(maxsize=1024)
"""Remembers what was said of sources: there are few, and many spans."""


class RedactedDocument(NamedTuple):
    """What a run would release of a document, and the edits that make it of the original."""

    published: str
    edits: tuple[LabelledEdit, ...]


@dataclass(frozen=True)
class DocumentPipeline:
    """The methods of a plan that see one document, prepared once; a function of documents that threads may share.

    ``named`` are the labels that plan, models or detectors name, None where only detectors are edited that name theirs.
    """

    finding: DocumentFinders
    is_edited: Callable[[str], bool]
    is_exempt: Callable[[str], bool]
    rules: PreparedRules
    rules_by_label: Mapping[str, LabelRule]
    checking: CheckSettings
    checks: Mapping[str, DocumentCheck]
    named: frozenset[str] | None
    language_column: str | None
    warners: tuple[Callable[[Mapping[str, int]], tuple[str, ...]], ...]
    key: bytes = field(repr=False)

    def __call__(self, document: Document, language: str | None = None) -> RedactedDocument:
        """Find, decide, rewrite and check a document; one without an id has the key's hash of its text for one.

        ``language`` is taken for its own where the plan's column says none. Raises GateRefused where a guarantee of the
        plan does not hold of what would be published.
        """
        document = self.identified(document)
        text = in_language(document.text, self.said_language(document) or language)
        found = self.finding.find(text)
        edits = self._decided(document, found)
        if self.named is not None and (hidden := self._hidden_labels(document.text, edits, self.named)):
            found = [span._replace(label=hidden.get(span.label, span.label)) for span in found]
            edits = self._decided(document, found)
        published = apply_edits(document.text, edits)
        self._require(document, found, edits, published)
        return RedactedDocument(published, edits)

    def said_language(self, document: Document) -> str | None:
        """Return the language that a document's metadata says it is in, if the plan names a column of languages."""
        return None if self.language_column is None else plain_language(document.meta.get(self.language_column))

    def warnings_of_said(self, languages: Mapping[str, int]) -> tuple[str, ...]:
        """Say how many texts are said to be in languages that a detector does not know, of how many are in each."""
        return tuple(warning for warn in self.warners for warning in warn(languages))

    def identified(self, document: Document) -> Document:
        """Return a document with an id: its own, else the key's hash of its text."""
        if document.doc_id:
            return document
        return document._replace(doc_id=keyed_hash(self.key, "text", document.text))

    def _decided(self, document: Document, found: Sequence[Span]) -> tuple[LabelledEdit, ...]:
        return decide(document, [span for span in found if self.is_edited(span.source)], self.rules).edits

    def _hidden_labels(self, text: str, edits: Sequence[LabelledEdit], named: frozenset[str]) -> Mapping[str, str]:
        """Return the labels that are no tags or tell removed text, each with what stands for it."""
        labels = frozenset(edit.label for edit in edits)
        tags, others = tags_among(labels, named)
        disclosing = LabelTexts.of(tags).labels_in(text[edit.start : edit.end] for edit in edits) if tags else set()
        return stand_ins((*others, *disclosing), labels, self.key)

    def _require(
        self, document: Document, found: Sequence[Span], edits: tuple[LabelledEdit, ...], published: str
    ) -> None:
        text = document.text
        marked = [
            span
            for span in found
            if not self.is_exempt(span.source)
            and self.checking.must_be_edited(text, span.start, span.end, span.label, span.source)
        ]
        faults = faults_of(
            text,
            published,
            [(span.start, span.end, span.label) for span in marked],
            [CheckedEdit(*edit) for edit in edits],
            self.checking.placeholders,
            self.checking.listed,
            self.checking.recounted,
            self.checking.keeps_syntax,
        )
        foreign = sum(is_foreign(edit.technique, edit.label, self.rules_by_label) for edit in edits)
        faults = faults._replace(unexpected=faults.unexpected + foreign)
        spared = [span for span in found if is_allowed(span.source)]
        evidence = DocumentEvidence(text, published, marked, edits, faults._asdict(), document.subject_id, spared)
        require([check(evidence) for check in self.checks.values()], expected=self.checks)


def prepare_document_pipeline(settings: MethodSettings, *, key: bytes) -> DocumentPipeline:
    """Prepare what a plan does to one document by itself; models are read and compiled code is loaded here.

    Raises UsageError, with every name, for detectors, techniques and guarantees that look at a whole corpus, and where
    a detector can't be had; GateRefused where the plan can't hold what it demands.
    """
    if wrong := _of_a_corpus(settings):
        results = (f"{name} looks at a whole corpus, and a string is none{hint}" for name, hint in wrong)
        raise UsageError("\n".join(results))
    if GOLD in settings.edited:
        raise UsageError("sources contains gold, but a string has no annotations. Remove gold, or sanitize a corpus")
    refuse_target(settings)
    check_detectors(settings)
    check_guarantees(settings)
    run = document_context(settings, key=key)
    edited, exempt = frozenset(settings.edited), settings.exempt
    checks = {kind.assessment: kind.alone(demand, settings) for kind, demand in _demands(settings) if kind.alone}
    return DocumentPipeline(
        finding=document_finders_of(settings, run),
        is_edited=_remembered(lambda source: detector_of(source) in edited and not is_allowed(source)),
        is_exempt=_remembered(partial(is_exempt, exempt=exempt)),
        rules=prepare_rules(settings.rules_by_label, None, run),
        rules_by_label=settings.rules_by_label,
        checking=checking_of(settings, scored=False),
        checks=checks,
        named=None if all(name in DETECTORS.built_in for name in settings.edited) else named_labels(settings),
        language_column=settings.language_column,
        warners=warners_of_said(settings),
        key=key,
    )


def refuse_target(settings: MethodSettings) -> None:
    """Raise UsageError for a plan whose threshold a corpus chooses."""
    for name, _, section in detectors_of(settings):
        if getattr(section, "target", None) is not None:
            raise UsageError(
                f"target needs a whole corpus to choose the loss ratio of {name}, so it is not available for "
                "a string. Set loss_ratio, for example to the value in the manifest of a run with this target"
            )


def warners_of_said(settings: MethodSettings) -> tuple[Callable[[Mapping[str, int]], tuple[str, ...]], ...]:
    """Return what the detectors of a plan warn of the languages that texts are said to be in, by their counts."""
    return tuple(
        partial(kind.warn_of_said, section) for _, kind, section in detectors_of(settings) if kind.warn_of_said
    )


def _demands(settings: MethodSettings) -> list[tuple[GuaranteeKind[Any], Any]]:
    return [(GUARANTEES.find(name), demand) for name, demand in settings.demands.items()]


def needs_corpus(settings: MethodSettings) -> bool:
    """Return whether a method of a plan reads more than one document."""
    return bool(_of_a_corpus(settings))


def _of_a_corpus(settings: MethodSettings) -> list[tuple[str, str]]:
    """Name what of a plan sees more than one document, with hints: detectors, then techniques, then guarantees."""
    detectors = [(name, "") for name, kind, _ in detectors_of(settings) if kind.make is None and kind.extend is None]
    techniques = [
        (rule.technique, "" if kind.sees_one is None else f"; {rule.technique} with scope: document works on a string")
        for rule in settings.rules_by_label.values()
        for kind in (TECHNIQUES.find(rule.technique),)
        if not kind.sees_document(rule.settings)
    ]
    guarantees = [(kind.assessment, "") for kind, _ in _demands(settings) if kind.alone is None]
    return list(dict.fromkeys((*detectors, *techniques, *guarantees)))


def document_context(settings: MethodSettings, *, key: bytes = b"") -> MethodContext:
    """Return what methods are lent where a string is looked at: no session, and no table."""
    return MethodContext(spark=None, plan=settings, materialize=_no_tables, scratch="", place=_no_place, secret=key)


def _no_place(name: str) -> str:
    raise UsageError(f"{name}: a string has no tables")


def _no_tables(name: str, _: "DataFrame") -> "DataFrame":
    raise UsageError(f"{name}: a string has no tables")
