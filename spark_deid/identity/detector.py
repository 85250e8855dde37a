"""The identifier view as a detector: mentions are linked to people, further values are searched and recoded."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.anonymity.recoding_modes import warning_of_ends
from spark_deid.core.kinds import DetectorKind, DetectorScope, LabelRule, MethodContext, PlanView
from spark_deid.identity.gendered import LABEL
from spark_deid.identity.linkage import check_installed
from spark_deid.identity.recode import ARTICLE, RECODE
from spark_deid.identity.settings import CAUTIONS, IdentityKeys, IdentitySettings
from spark_deid.ontology.hierarchy import read_hierarchies
from spark_deid.rewriting.metadata import KEEP_IDENTIFYING, KEYED, SHIFT
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.records import check_records

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

NAME = "identity"
EXAMPLE = "identity: {attributes: {AGE: age}, roles: {quasi: [age]}} and anonymity: {model: {k: 5}}"
SUBJECT = "subject_id"
_PLACEHOLDERS = ("suppress", "mask")


def _search(keys: IdentityKeys, corpus: "Corpus", run: MethodContext, edited: Sequence[str]) -> "Corpus":
    """Link and recode; runs the actions of ``identity.spark.link_and_recode``."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.identity.spark.link_and_recode import search

    return search(keys, corpus, run, edited)


def _check(keys: IdentityKeys) -> None:
    if keys.identity.table is not None:
        check_records(keys.identity.table.path)
    if keys.identity.link == "splink":
        check_installed()
    if keys.anonymity is not None and keys.anonymity.hierarchies is not None:
        read_hierarchies(keys.anonymity.hierarchies, keys.identity.roles.quasi)


def _refuse(keys: IdentityKeys, plan: PlanView) -> Iterator[str]:
    """Yield the labels whose rules publish values that no guarantee counts, or that would reveal each other."""
    if NAME not in plan.edited:
        yield "sources: identity finds further mentions, which must be edited: add it"
    yield from _columns_refused(keys.identity, plan)
    if keys.anonymity is not None and keys.identity.link == "document" and SUBJECT in plan.metadata:
        yield (
            f"metadata.{SUBJECT}: would link documents, but with link: document each document is a separate "
            "person. Set link: subject, or remove the column"
        )
    rules = plan.rules_by_label
    roles, attributes = keys.identity.roles, keys.identity.attributes
    techniques = {label: rules.get(label, rules["*"]).technique for label in attributes}
    disclosing = {label: each for label, each in techniques.items() if each not in (RECODE, *_PLACEHOLDERS)}
    for label, technique in disclosing.items():
        name, invents = attributes[label], TECHNIQUES.find(technique).invents
        if invents and roles.of(name) in ("quasi", "sensitive"):
            expected = "recode or suppress" if name in roles.quasi else "suppress"
            yield f"rules.{label}: {technique} would write another {name} than the identifier view. Expected {expected}"
        elif name in roles.quasi or (name in roles.identifiers and not invents):
            yield (
                f"rules.{label}: {technique} would publish {name}, which no guarantee counts. Expected recode or "
                "suppress"
            )
    lengths = {label for label in attributes if _tells_lengths(rules.get(label, rules["*"]))}
    for label in sorted(lengths):
        yield (
            f"rules.{label}: one star per character shows the length of the original, which can reveal "
            f"{attributes[label]}. Expected per: run, suppress or recode"
        )
    for family in keys.identity.families:
        labels = {label for label, name in attributes.items() if name in family}
        if RECODE in {techniques[label] for label in labels}:
            for label in sorted(disclosing.keys() & labels):
                message = " and ".join(sorted(labels - {label}))
                yield f"rules.{label}: {disclosing[label]} would reveal {message}. Expected recode or suppress"


def _tells_lengths(rule: LabelRule) -> bool:
    return rule.technique == "mask" and getattr(rule.settings, "per", None) == "character"


def _columns_refused(identity: IdentitySettings, plan: PlanView) -> Iterator[str]:
    """Yield the columns that would publish recoded values. Hashes of identifiers reveal no values.

    A column has the name of an attribute, of its column in the table of people, or of one of its family. A column
    that identifies people can be kept by that way. Sensitive dates cannot move, because the view counts the originals.
    """
    for column, way in plan.metadata.items():
        roles = {name: identity.roles.of(name) for name in identity.attributes_of_column(column)}
        record = {name: role for name, role in roles.items() if role != "sensitive"}
        if way == SHIFT and (others := " and ".join(sorted(roles.keys() - record.keys()))):
            yield f"metadata.{column}: shift would write another {others} than the identifier view. Remove the column"
        asked = way in (KEYED, KEEP_IDENTIFYING)
        hidden = sorted(name for name, role in record.items() if role == "quasi" or (role and not asked))
        if hidden:
            yield f"metadata.{column}: {way} would publish {' and '.join(hidden)} next to the texts. Remove the column"


def _describe(keys: IdentityKeys) -> str:
    identity = keys.identity
    roles = identity.roles
    links = {
        "document": "each document is a person",
        "subject": "documents with the same subject_id are about one person",
        "splink": "splink infers which documents are about one person, and k counts inferred people",
    }
    quasi = ", ".join(roles.quasi)
    if keys.anonymity is not None:
        how = f"generalize {quasi} with {keys.anonymity.algorithm.capitalize()} to satisfy {keys.anonymity.models}"
        how += ". Publish the values as a table next to the texts" if keys.anonymity.release_table else ""
    else:
        how = f"publish {quasi} by the rules of mode {identity.mode}"
    return (
        f"link mentions to people ({links[identity.link]}). Search the texts of each person for further mentions, in up"
        f" to {identity.rounds} rounds. {how[0].upper()}{how[1:]}"
    )


_PERSONS = {"document": "documents", "subject": "named", "splink": "inferred"}
"""The source of people, as manifests name it."""


def _public(keys: IdentityKeys) -> Mapping[str, object]:
    identity = keys.identity
    record: dict[str, object] = identity.model_dump(mode="json", include={"link", "locale", "mode", "rounds", "roles"})
    record["persons"] = _PERSONS[identity.link]
    if keys.anonymity is not None or identity.link == "splink":
        record["caution"] = CAUTIONS[identity.link]
    if identity.link == "splink":
        record["linkage"] = identity.linkage.model_dump(mode="json")
    return {NAME: record, "anonymity": None if keys.anonymity is None else str(keys.anonymity.models)}


def _warn(keys: IdentityKeys, _: Sequence[str]) -> tuple[str, ...]:
    """Name the attributes whose published ranges have values of people as bounds."""
    result = None if keys.anonymity is None else warning_of_ends("anonymity.recoding", keys.anonymity.recoding)
    return () if result is None else (result,)


def _seeks(_: IdentityKeys) -> DetectorScope:
    message = "people who are mentioned only by a nickname, a misspelled name or a pronoun"
    return DetectorScope(also=("further mentions of found values",), blind_spots=(message,))


def _names(keys: IdentityKeys) -> tuple[str, ...]:
    return tuple(keys.identity.attributes)


def _report(keys: IdentityKeys, corpus: "Corpus", _: MethodContext) -> Mapping[str, object]:
    """Count people, classes and their values. Four actions. Counts, labels and values come to the driver."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.identity.spark.figures import figures_of

    return figures_of(keys, corpus) if keys.anonymity is not None else {}


KIND = DetectorKind(
    settings=IdentityKeys,
    describe=_describe,
    legend="persons",
    search=_search,
    public=_public,
    check=_check,
    example=EXAMPLE,
    seeks=_seeks,
    names=_names,
    inline=True,
    techniques=MappingProxyType({LABEL: ("suppress",), ARTICLE: (RECODE, "suppress")}),
    refuse=_refuse,
    warn=_warn,
    report=_report,
    template="spark_deid.identity/persons.html",
)
