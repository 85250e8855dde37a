"""Guarantee that k people share the published values and that no one is linked to a sensitive value."""

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanView
from spark_deid.identity.settings import CAUTIONS, IdentityKeys

# Refusal of plans about people, with any figures: no mention was linked, or another technique reveals one.


OTHERWISE = "{n} edits of other techniques reveal mentions that are recoded or hidden. Suppress these spans"


def refuse_unlinked(keys: IdentityKeys, evidence: GuaranteeEvidence) -> tuple[str, ...]:
    """Return a refusal if no mention shows an attribute; a small job.

    Labels that no detector gives, or annotations that the input lacks, change no text and describe no person.
    """
    if not evidence.corpus.entities.isEmpty():
        return ()
    labels = ", ".join(sorted(keys.identity.attributes))
    return (
        f"no mention of {labels} was found. Expected documents with such annotations, or a detector in "
        "sources with these labels",
    )


ASSESSMENT = "k-anonymous-persons"
_MEANING = {
    "few": "the published values of {n} people fit fewer than k people",
    "foreign": "{n} mentions show another value than the class of their person",
    "uncovered": "{n} values of the identifier view are not covered by the value of their class",
    "unknown": "{n} mentions belong to people who are not in the identifier view",
    "linked": "{n} classes have too few sensitive values, or one value for more than 1/l of their people",
    "gendered": "{n} words reveal a gender that the identifier view hides",
    "otherwise": OTHERWISE,
    "articles": "{n} articles reveal more of a value than its replacement",
    "known": "{n} dates and ages of people occur in their texts unchanged. More identity.rounds may find them",
}


def _of(_: object, plan: PlanView) -> IdentityKeys | None:
    keys: IdentityKeys | None = plan.sections.get("identity")
    return keys if keys is not None and keys.anonymity is not None else None


def _assess(keys: IdentityKeys, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Read the published texts again and count. Four Spark jobs, up to nine if metadata is published."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.identity.spark import kept_metadata, recount, telling_columns

    counted = recount.recount(keys, evidence)
    faults = {name: getattr(counted, name) for name in _MEANING}
    reasons = [_MEANING[name].format(n=n) for name, n in faults.items() if n]
    kept = kept_metadata.look_at_kept(keys, evidence)
    reasons += (
        *refuse_unlinked(keys, evidence),
        *telling_columns.disclosing_columns(keys.identity, evidence),
        *kept.reasons,
    )
    if not counted.persons:
        reasons.append("the view has no person")
    k = keys.classes.k
    inferred = keys.identity.link == "splink"
    record = {
        "inferred_persons" if inferred else "persons": counted.persons,
        "classes": counted.classes,
        "shown": counted.published,
        **faults,
    }
    assessment = Assessment(
        guarantee=ASSESSMENT,
        parameters=f"{keys.classes.models}, link={keys.identity.link}",
        value=float(counted.least),
        threshold=float(k),
        satisfied=not reasons,
        evidence=", ".join(f"{name}={n}" for name, n in record.items()),
    )
    counts_by = "document" if keys.identity.link == "document" else "subject"
    return AssessmentResult(assessment, tuple(reasons), counts_by, kept.notes)


def _describe(keys: IdentityKeys) -> str:
    quasi = ", ".join(keys.identity.roles.quasi)
    return f"the published values of {quasi} satisfy {keys.classes.models}. {CAUTIONS[keys.identity.link]}"


KIND = GuaranteeKind(assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of)
