"""Values that a plan may have in its places: each checked, and read from the ways in which it may be written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError
from pydantic.functional_serializers import PlainSerializer
from pydantic.functional_validators import PlainValidator

from spark_deid.core.error_wording import NotOneOf, did_you_mean, explain_error, likely_word
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule
from spark_deid.core.labels import checked_label
from spark_deid.core.span import GOLD
from spark_deid.detection.registry import DETECTORS, installed_names
from spark_deid.rewriting.metadata import KEEP, Way
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import OTHERS

_NO_COLUMN = re.compile(r"[\s,;{}()=`]")


def _installed(name: str) -> str:
    if name not in installed_names():
        raise NotOneOf(name, installed_names(), noun="an installed detector:")
    try:
        DETECTORS.find(name).settings()
    except UsageError as error:
        raise ValueError(str(error)) from None
    except ValidationError:
        raise ValueError(f"{name} needs settings: write {DETECTORS.find(name).example or f'{name}: {{...}}'}") from None
    return name


def _source(name: str) -> str:
    known = (*DETECTORS.built_in, GOLD, *installed_names())
    if name not in known:
        raise NotOneOf(name, known)
    return name


def _ways(given: object) -> dict[str, object]:
    """Read what becomes of metadata: a list of names that are kept, or a way for each name."""
    if isinstance(given, list | tuple):
        named: Sequence[tuple[object, object]] = [(name, KEEP) for name in given]
    elif isinstance(given, Mapping):
        named = [*given.items()]
    else:
        raise ValueError("expected a list, such as [ward], or a mapping, such as {ward: keep, sender: keyed}")
    wrong = [message for name, _ in named for message in _column_mistakes(name)]
    lower = [str(name).lower() for name, _ in named]
    wrong += [
        f"{name!r} occurs twice. Delta ignores case in column names"
        for number, (name, _) in enumerate(named)
        if lower[number] in lower[:number]
    ]
    wrong += [
        f"{name}: expected one of {', '.join(get_args(Way))}, got {way!r}"
        for name, way in named
        if way not in get_args(Way)
    ]
    if wrong:
        raise ValueError("\n".join(wrong))
    return {str(name): way for name, way in named}


def _column_mistakes(name: object) -> Iterator[str]:
    """Tell why a name can be no column of the release; Delta refuses some characters, when everything else is done."""
    if not isinstance(name, str) or not name or _NO_COLUMN.search(name):
        yield f"expected a name without spaces, line breaks and any of ,;{{}}()=`, got {name!r}"
    elif name.lower() in ("doc_id", "text"):
        yield f"{name!r} is a column of every release. Choose another name"


def _label_or_others(name: str) -> str:
    return name if name == OTHERS else checked_label(name)


def _format_option(given: object) -> object:
    """Read an option of a format, which YAML may take for a number."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise ValueError("expected text, such as note. Quote a value that YAML reads as another type")
    return str(given)


_SYNONYMS = {
    **dict.fromkeys(("replace", "fake", "faker", "synthetic", "resynthesize", "substitute"), "surrogate"),
    **dict.fromkeys(("redact", "remove", "delete", "hide", "placeholder", "tag", "anonymize"), "suppress"),
    **dict.fromkeys(("hash", "encrypt", "tokenize", "pseudonymize"), "pseudonym"),
    **dict.fromkeys(("offset", "date_shift", "date-shift"), "shift"),
    **dict.fromkeys(("star", "stars", "asterisk", "asterisks", "characters"), "mask"),
}
"""What other programs call techniques like these."""


def rule_of(given: object) -> LabelRule:
    """Read a rule: the name of a technique, or a mapping of ``technique`` and its options."""
    options = {"technique": given} if isinstance(given, str) else given
    if isinstance(given, LabelRule):
        return given
    if not isinstance(options, Mapping) or not isinstance(options.get("technique"), str):
        raise ValueError("expected a technique, such as suppress, or {technique: mask, per: character}")
    name = options["technique"]
    if name not in TECHNIQUES.names():
        raise NotOneOf(name, TECHNIQUES.names(), synonyms=_SYNONYMS)
    given_options = {key: value for key, value in options.items() if key != "technique"}
    try:
        return LabelRule(name, TECHNIQUES.find(name).settings.model_validate(given_options))
    except UsageError as error:
        raise ValueError(str(error)) from None
    except ValidationError as error:
        raise ValueError(
            "\n".join(_explain_option(each, TECHNIQUES.find(name).settings) for each in error.errors())
        ) from None


def _explain_option(error: Any, settings: type[BaseModel]) -> str:
    """State what is wrong with an option of a technique; a line that begins with a dot is of a deeper place."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    if error["type"] == "extra_forbidden":
        names = [field.alias or name for name, field in settings.model_fields.items()]
        meant = likely_word(error["loc"][-1], names)
        known = ", ".join(names) or "none"
        return f"{path}: unknown option{did_you_mean(meant)} known here: {known}".replace(
            "option known", "option; known"
        )
    return f"{path}: {explain_error(error)}" if path else explain_error(error)


def write_rule(rule: LabelRule) -> dict[str, object]:
    """Return a rule as a plan may write it."""
    return {"technique": rule.technique, **rule.settings.model_dump(mode="json", by_alias=True)}


Metadata = Annotated[dict[str, Way], BeforeValidator(_ways)]
RuleLabel = Annotated[str, AfterValidator(_label_or_others)]
Installed = Annotated[str, AfterValidator(_installed)]
FormatOption = Annotated[str, BeforeValidator(_format_option)]
Source = Annotated[str, AfterValidator(_source)]
RuleSetting = Annotated[LabelRule, PlainValidator(rule_of), PlainSerializer(write_rule)]
