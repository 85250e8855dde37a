"""Persons, as a detector of a plan: mentions are linked, a person's values are looked for, and mentions recoded."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.anonymity.recoding_modes import warning_of_ends
from spark_deid.core.kinds import DetectorKind, DetectorScope, LabelRule, MethodContext, PlanView
from spark_deid.identity.gendered import LABEL
from spark_deid.identity.linkage.model import check_installed
from spark_deid.identity.recode import LABEL as ARTICLE
from spark_deid.identity.recode import RECODE
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
    """Tell which labels have rules that show what no guarantee counts, or that would tell of each other."""
    if NAME not in plan.edited:
        yield "sources: identity finds further mentions, which must be edited: add it"
    yield from _columns_refused(keys.identity, plan)
    if keys.anonymity is not None and keys.identity.link == "document" and SUBJECT in plan.metadata:
        yield (
            f"metadata.{SUBJECT}: would connect documents, each of which link: document counts as a person of its own:"
            " expected link: subject, or leave it out"
        )
    rules = plan.rules_by_label
    roles, attributes = keys.identity.roles, keys.identity.attributes
    techniques = {label: rules.get(label, rules["*"]).technique for label in attributes}
    disclosing = {label: each for label, each in techniques.items() if each not in (RECODE, *_PLACEHOLDERS)}
    for label, technique in disclosing.items():
        name, invents = attributes[label], TECHNIQUES.find(technique).invents
        if invents and roles.of(name) in ("quasi", "sensitive"):
            expected = "recode or suppress" if name in roles.quasi else "suppress"
            yield f"rules.{label}: {technique} would write another {name} than the view has: expected {expected}"
        elif name in roles.quasi or (name in roles.identifiers and not invents):
            yield f"rules.{label}: {technique} would show {name}, and nothing counts that: expected recode or suppress"
    lengths = {label for label in attributes if _tells_lengths(rules.get(label, rules["*"]))}
    for label in sorted(lengths):
        yield (
            f"rules.{label}: a star for each character tells how long what stood there is, and so often"
            f" {attributes[label]}: expected per: run, suppress or recode"
        )
    for family in keys.identity.families:
        labels = {label for label, name in attributes.items() if name in family}
        if RECODE in {techniques[label] for label in labels}:
            for label in sorted(disclosing.keys() & labels):
                message = " and ".join(sorted(labels - {label}))
                yield f"rules.{label}: {disclosing[label]} would tell of {message}: expected recode or suppress"


def _tells_lengths(rule: LabelRule) -> bool:
    return rule.technique == "mask" and getattr(rule.settings, "per", None) == "character"


def _columns_refused(identity: IdentitySettings, plan: PlanView) -> Iterator[str]:
    """Tell which columns would let out what texts are recoded for; hashes of identifiers tell nothing.

    A column is known by its name: an attribute's, that of its column in the persons' table, or one of its family. One
    that names persons may be kept by that word. Dates that are sensitive can't move: the view counts them as they are.
    """
    for column, way in plan.metadata.items():
        roles = {name: identity.roles.of(name) for name in identity.attributes_of_column(column)}
        record = {name: role for name, role in roles.items() if role != "sensitive"}
        if way == SHIFT and (others := " and ".join(sorted(roles.keys() - record.keys()))):
            yield f"metadata.{column}: shift would write another {others} than the view has: leave it out"
        asked = way in (KEYED, KEEP_IDENTIFYING)
        hidden = sorted(name for name, role in record.items() if role == "quasi" or (role and not asked))
        if hidden:
            yield f"metadata.{column}: {way} would tell {' and '.join(hidden)} beside the texts: leave it out"


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
"""Whence persons are known, as manifests say."""


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
    """Say of which attributes the ends of ranges are values of persons."""
    result = None if keys.anonymity is None else warning_of_ends("anonymity.recoding", keys.anonymity.recoding)
    return () if result is None else (result,)


def _seeks(_: IdentityKeys) -> DetectorScope:
    message = "persons by a nickname, a misspelled name or a pronoun, and of whom nothing else is found"
    return DetectorScope(also=("further mentions of what else is found",), blind_spots=(message,))


def _names(keys: IdentityKeys) -> tuple[str, ...]:
    return tuple(keys.identity.attributes)


def _report(keys: IdentityKeys, corpus: "Corpus", _: MethodContext) -> Mapping[str, object]:
    """Count persons, classes and what they show; four actions; counts, labels and values come to the driver."""
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
