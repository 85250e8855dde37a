"""The settings of a plan for detectors, techniques and guarantees, checked once when a plan is read."""

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from spark_deid.core.edit import STAR
from spark_deid.core.engine_names import EngineName
from spark_deid.core.error_wording import NotOneOf, explain_error
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, GuaranteeKind, LabelRule, PlanSection, UsedModel
from spark_deid.core.labels import Label
from spark_deid.core.span import GOLD
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.formats import FORMATS, find_format, metadata_mistakes_of
from spark_deid.detection.registry import DETECTORS, installed_names
from spark_deid.greedy.shipped import MODELS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.values import (
    FormatOption,
    Installed,
    Metadata,
    RuleLabel,
    RuleSetting,
    Source,
    rule_of,
    write_rule,
)
from spark_deid.rewriting.metadata import DETECT, SHIFT, SUBJECT
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import OTHERS
from spark_deid.rewriting.suppress import SUPPRESS
from spark_deid.samples import locate_sample
from spark_deid.text.terms.detector_kind import DENY
from spark_deid.text.terms.sparing import AllowSettings, shared_terms

_GUARANTEES = "guarantees"
DAY = "{date}"
FIELDS_ALONE = MappingProxyType({"check": "fields"})
"""The context of a check that skips the combinations of keys of a plan."""


class InputSettings(PlanSection):
    """The path of the corpus and its format."""

    path: str = Field(min_length=1, description="A file, a folder or a glob. `.gz` is also read.")
    format: str = Field(description="The format of the input, see formats.md.")
    options: dict[str, FormatOption] = Field(
        default_factory=dict, description="Options of the format, such as `{text_column: note}`. See formats.md."
    )

    @field_validator("path")
    @classmethod
    def _located(cls, path: str) -> str:
        return locate_sample(path)

    @field_validator("format")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in FORMATS.names():
            raise NotOneOf(name, FORMATS.names())
        try:
            FORMATS.find(name)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return name

    @field_validator("options")
    @classmethod
    def _understood(cls, options: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        if "format" in info.data:
            try:
                find_format(info.data["format"], options)
            except UsageError as error:
                raise ValueError(str(error)) from None
        return options


class ReportSettings(PlanSection):
    """Additions to the counts in the workspace's report."""

    excerpts: int = Field(
        default=0, ge=0, le=1000, description="Documents shown before and after, only in the workspace."
    )


class MethodSettings(PlanSection):
    """The processing of a corpus from any source: detectors, sources to edit, rules, guarantees.

    Sections of detectors, and guarantees, are fields that ``settings_model`` adds.
    """

    release_ids: Literal["keep", "keyed"] | None = Field(
        default=None, description="Treatment of ids. By default, names of files are keyed and other ids kept."
    )
    metadata: Metadata = Field(
        default_factory=dict,
        description="Metadata that the release has: names that are kept, or for each `keep`, `keep-identifying`,"
        " `keyed`, `detect` or `shift`.",
    )
    detectors: tuple[Installed, ...] = Field(default=(), description="Installed detectors without settings.")
    rules: dict[RuleLabel, RuleSetting] = Field(
        default_factory=dict,
        description='Label to technique, or to `{technique: mask, per: character}`. `"*"` is every other label.',
    )
    sources: tuple[Source, ...] | None = Field(
        default=None,
        description="Detectors whose spans are edited, by default every detector of the plan except `gold`.",
    )
    placeholders: tuple[str, ...] = Field(
        default=(), description="Words of the input that replace text removed before."
    )
    segments: bool = Field(
        default=True,
        description="Whether JSON, HL7, CSV, forms, HTML and escapes are read by their values. With `off`, with a model"
        " that you trained, with `target` and with `residual_risk`, all text is read as prose, and no list"
        " keeps ordinary words.",
    )
    language_column: str | None = Field(
        default=None,
        min_length=1,
        description="Metadata with the language of a document, such as `lang` with `es`. By default, and if it is empty"
        " or not a code, the text decides. It is used if `model` has a model for each language.",
    )
    allow: AllowSettings | None = Field(
        default=None, description="Terms that are kept if a whole span is such a term: `{words: [May]}`, or files."
    )
    max_rejects: float | None = Field(
        default=None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="The fraction of records that may be rejected. If it is higher, there is no release. An input that"
        " represents an unknown number of records exceeds every fraction below 1.",
    )
    engine: EngineName = Field(
        default="auto",
        description="Engine: `spark` (a Spark session), `embedded` (Sail, in this process, without Java), or"
        " `auto`, which chooses by the running session, the master, the input and the machine.",
    )
    report: ReportSettings = ReportSettings()
    key_file: Path | None = Field(
        default=None, description="The key of hashes and surrogates. By default, a new key in the workspace."
    )

    @property
    def ids(self) -> Literal["keep", "keyed"]:
        """Return the treatment of ids in a release. By default they are kept."""
        return self.release_ids or "keep"

    @property
    def sections(self) -> Mapping[str, Any]:
        """Return the settings of the plan's detectors, by name: installed ones, then finders, then searches."""
        listed = {name: DETECTORS.find(name).settings() for name in self.detectors}
        given = {name: self.given(name) for name in _detector_names(type(self))}
        asked = {name: section for name, section in given.items() if section is not None}
        kinds = {name: DETECTORS.find(name) for name in listed | asked}
        found = {name: section for name, section in (listed | asked).items() if kinds[name].asked(section)}
        return MappingProxyType({name: found[name] for name in sorted(found, key=lambda each: _phase(kinds[each]))})

    def given(self, name: str) -> Any:
        """Return the section of a detector, or None if the plan has no such section."""
        kind = DETECTORS.find(name)
        value = getattr(self, name, None)
        if value is None or not kind.inline:
            return value
        return kind.settings(**{field: getattr(self, field) for field in kind.settings.model_fields})

    @property
    def reads_segments(self) -> bool:
        """Return whether detectors read JSON, HL7, CSV and escapes by their values, and lists keep ordinary words.

        With a model that a user trained, all detectors read prose, because its training did. So they do if a
        certificate or a target counts the words of the model.
        """
        model = self.sections.get("model")
        is_shipped = model is None or all(str(place) in MODELS.names() for place in model.places.values())
        is_counted = "residual-risk" in self.demands or getattr(model, "target", None) is not None
        return self.segments and is_shipped and not is_counted

    @property
    def edited(self) -> tuple[str, ...]:
        """Return the detectors whose spans are edited: those that ``sources`` names, else all but gold."""
        return tuple(self.sections) if self.sources is None else self.sources

    @property
    def exempt(self) -> tuple[str, ...]:
        """Return the plan's detectors, and gold, that are not edited."""
        return tuple(name for name in (*self.sections, GOLD) if name not in self.edited)

    @property
    def rules_by_label(self) -> Mapping[str, LabelRule]:
        """Return the rule of each label that has its own: the plan's, or that of the detector whose label it is."""
        own = {
            label: rule_of(techniques[0])
            for name in self.sections
            for label, techniques in DETECTORS.find(name).techniques.items()
        }
        return MappingProxyType({OTHERS: rule_of(SUPPRESS)} | own | self.rules)

    @property
    def demands(self) -> Mapping[str, Any]:
        """Return the settings of every guarantee that the plan needs, by name."""
        given = getattr(self, _GUARANTEES, None)
        asked = {name: kind.of(getattr(given, name, None), self) for name, kind in _guarantee_kinds().items()}
        return MappingProxyType({name: settings for name, settings in asked.items() if settings is not None})

    def resolved(self) -> dict[str, Any]:
        """Return the plan as JSON values, with all defaults; without the engine, on which no result depends."""
        rules = {label: write_rule(rule) for label, rule in self.rules_by_label.items()}
        return self.model_dump(mode="json", exclude={"engine"}) | {
            "sources": list(self.edited),
            "rules": rules,
            "release_ids": self.ids,
        }

    @property
    def models(self) -> tuple[UsedModel, ...]:
        """Return the models that detectors use."""
        return tuple(m for name, section in self.sections.items() for m in DETECTORS.find(name).models(section))

    @field_validator("placeholders")
    @classmethod
    def _words(cls, placeholders: tuple[str, ...]) -> tuple[str, ...]:
        if any(not placeholder.strip() for placeholder in placeholders):
            raise ValueError("expected words such as '[NAME]', got an empty one")
        if any(STAR in placeholder for placeholder in placeholders):
            raise ValueError(f"expected words without {STAR}, which represents rare text")
        return placeholders

    @model_validator(mode="after")
    def _keys_go_together(self, info: ValidationInfo) -> "MethodSettings":
        if info.context is FIELDS_ALONE:
            return self
        mistakes = [*self._inline_sections_wrong()] or [
            *self._sources_lacking(),
            *self._techniques_refused(),
            *self._techniques_taken(),
            *self._kinds_refuse(),
            *self._allowed_refused(),
            *self.metadata_unlooked(),
            *self._inline_keys_alone(),
        ]
        if mistakes:
            raise ValueError("\n".join(mistakes))
        return self

    def metadata_unlooked(self) -> Iterator[str]:
        """Yield the metadata that needs a detector of single values, if the plan has no such detector.

        Also yield the dates that need a rule with shift, if the plan has no such rule.
        """
        finders = [name for name in self.sections if name in self.edited and DETECTORS.find(name).make is not None]
        for name, way in self.metadata.items() if not finders else ():
            if way == DETECT:
                yield f"metadata.{name}: detect needs a detector of any text in sources, such as patterns or model"
        moves = any(rule.technique == SHIFT for rule in self.rules_by_label.values())
        for name, way in self.metadata.items():
            if way == SHIFT and not moves:
                yield f"metadata.{name}: shift needs a rule with technique shift, which has the number of days"
            if way == SHIFT and name == SUBJECT:
                yield f"metadata.{name}: expected keep or keyed, because the column identifies people"
        keys = self.sections.get("identity")
        if SHIFT in self.metadata.values() and keys is not None and keys.identity.link == "splink":
            yield (
                "metadata: shift needs people from the input (subject_id), so it is not available with "
                "identity.link: splink"
            )

    def _inline_sections_wrong(self) -> Iterator[str]:
        try:
            assert self.sections is not None
        except ValidationError as error:
            yield from (line for each in error.errors() for line in explain_error(each).splitlines())

    def _sources_lacking(self) -> Iterator[str]:
        """Yield the sources that the plan does not run."""
        for name in self.edited:
            if name == GOLD or name in self.sections:
                continue
            example = DETECTORS.find(name).example
            if name in _detector_names(type(self)) and self.given(name) is not None:
                yield f"sources contains {name!r}, but no category has that route. Add {example}"
            else:
                yield f"sources contains {name!r}, but the plan does not run it. Add {example}"
        if not self.edited:
            yield "the plan edits no spans. Add a detector, such as patterns: {kinds: all}, or sources: [gold]"

    def _techniques_refused(self) -> Iterator[str]:
        """Yield the labels of detectors whose techniques cannot replace them."""
        for name in self.sections:
            for label, techniques in DETECTORS.find(name).techniques.items():
                technique = self.rules_by_label[label].technique
                if technique not in techniques:
                    allowed = ", ".join(techniques)
                    yield f"rules.{label}: {technique} cannot replace spans of {name}. Expected {allowed}"

    def _techniques_taken(self) -> Iterator[str]:
        """Yield the other labels whose techniques represent spans of a detector."""
        for name in self.edited:
            kind = DETECTORS.find(name) if name != GOLD else None
            for label, rule in self.rules_by_label.items() if kind else ():
                if kind and rule.technique in kind.reserved and label not in kind.techniques:
                    yield f"rules.{label}: {rule.technique} represents spans of {name}. Choose another technique"

    def _kinds_refuse(self) -> Iterator[str]:
        """Yield the objections of the methods."""
        for label, rule in self.rules_by_label.items():
            if (why := TECHNIQUES.find(rule.technique).refuse(label, rule.settings, self)) is not None:
                yield f"rules.{label}: {why}"
        for name, section in self.sections.items():
            yield from DETECTORS.find(name).refuse(section, self)

    def _allowed_refused(self) -> Iterator[str]:
        """Yield the conflicts of allowed terms with methods that need a corpus or recount, and with ``deny``."""
        if self.allow is None:
            return
        yield from self.reasons_against_allow()
        deny = self.given(DENY)
        if deny is not None and (both := shared_terms(deny.lists, self.allow.lists)):
            yield f"allow: deny hides {both} of its terms everywhere. Remove each from allow or from deny"

    def reasons_against_allow(self) -> Iterator[str]:
        """Yield the reasons why ``allow`` would be refused with any terms."""
        for name in self.sections:
            if DETECTORS.find(name).make is None and DETECTORS.find(name).extend is None:
                yield f"allow: it needs each text separately, but {name} needs a whole corpus. Remove one of them"
        for technique in dict.fromkeys(rule.technique for rule in self.rules_by_label.values()):
            kind = TECHNIQUES.find(technique)
            if kind.recounted_by and kind.unspared is None:
                yield f"allow: {technique} counts every term, so kept terms would break its guarantee. Remove allow"

    def _inline_keys_alone(self) -> Iterator[str]:
        """Yield the keys of inline sections without their detector."""
        for name, kind in DETECTORS.built_in_items():
            if not kind.inline or getattr(self, name, None) is not None:
                continue
            for key, field in kind.settings.model_fields.items():
                if key != name and getattr(self, key, field.default) != field.default:
                    yield f"{key}: has no effect without {name}. Add {kind.example}"


class PlanSettings(MethodSettings):
    """A whole plan: input, places, and what is done."""

    input: InputSettings
    workspace: str = Field(
        min_length=1, description="A folder for originals, spans, edits and the full manifest. `{date}` is today."
    )
    release: str = Field(min_length=1, description="The folder of the release. `{date}` is today.")
    labels: dict[Label, Label] = Field(
        default_factory=dict, description="Names here of labels of the input's annotations."
    )
    columns: Literal["all"] | None = Field(
        default=None,
        description="`all` publishes every column of a table. `--to` writes the table with the columns of the input.",
    )

    def metadata_unlooked(self) -> Iterator[str]:
        """Yield the metadata that needs a detector or a rule, and names that are not metadata of the input."""
        yield from super().metadata_unlooked()
        yield from metadata_mistakes_of(self.metadata, self.input.format, self.input.options)

    @property
    def ids(self) -> Literal["keep", "keyed"]:
        """Return the treatment of ids in a release. By default, file names become keyed hashes."""
        names_files = find_format(self.input.format).unit is ParserUnit.DOCUMENT
        return self.release_ids or ("keyed" if names_files else "keep")


def on_day(settings: PlanSettings, day: date) -> PlanSettings:
    """Return the settings of a plan for a day, which takes the place of ``{date}`` in workspace and release.

    >>> "out/{date}".replace(DAY, date(2026, 3, 1).isoformat())
    'out/2026-03-01'
    """
    named = {name: getattr(settings, name).replace(DAY, day.isoformat()) for name in ("workspace", "release")}
    return settings.model_copy(update=named)


def settings_model(base: type[MethodSettings], content: Mapping[str, Any]) -> type[MethodSettings]:
    """Return the settings that a plan of this content is checked by: the base, and a field for each kind's section.

    Among installed packages, only those that the plan names are loaded.
    """
    fields: dict[str, Any] = {}
    for name in (*DETECTORS.built_in, *(n for n in _with_sections() if n in content)):
        kind = DETECTORS.find(name)
        if kind.inline:
            fields |= _inline(name, kind.settings)
        else:
            fields[name] = (kind.settings | None, None)
    demanded = content.get(_GUARANTEES)
    names = tuple(n for n in GUARANTEES.installed() if isinstance(demanded, Mapping) and n in demanded)
    kinds = {name: GUARANTEES.find(name) for name in (*GUARANTEES.built_in, *names)}
    keys: dict[str, Any] = {n: (kind.settings | None, None) for n, kind in kinds.items() if kind.settings is not None}
    guarantees = create_model("GuaranteesSettings", __base__=PlanSection, **keys)
    made = create_model(base.__name__, __base__=base, **fields, guarantees=(guarantees, guarantees()))
    return made


def _inline(name: str, settings: type[BaseModel]) -> dict[str, Any]:
    """Return the fields of top-level settings. The field with the detector's name may be absent."""
    fields: dict[str, Any] = {key: (info.annotation, info) for key, info in settings.model_fields.items()}
    annotation: Any = settings.model_fields[name].annotation
    return fields | {name: (annotation | None, None)}


def _detector_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the detectors that a model of settings has sections of."""
    return tuple(name for name in (*_with_sections(), *DETECTORS.built_in) if name in model.model_fields)


def _with_sections() -> tuple[str, ...]:
    """Return the installed detectors that can have a section, because no other key of plans has their name."""
    names = installed_names()
    if not names:
        return ()
    inline = {key for _, kind in DETECTORS.built_in_items() if kind.inline for key in kind.settings.model_fields}
    taken = {*PlanSettings.model_fields, _GUARANTEES, *inline}
    return tuple(name for name in names if name not in taken)


def _phase(kind: DetectorKind[Any]) -> int:
    """Return when a detector runs: finders, functions that add to their spans, then searches."""
    if kind.extend is not None:
        return 1
    return 0 if kind.search is None else 3 if kind.sees == "edited" else 2


def _guarantee_kinds() -> dict[str, GuaranteeKind[Any]]:
    """Return every guarantee: installed ones may follow from a method that the plan uses, without being named."""
    return {name: GUARANTEES.find(name) for name in GUARANTEES.names()}
