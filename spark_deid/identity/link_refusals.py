"""What refuses a plan of persons, whatever it shows: no mention was linked, or another technique tells of one."""

from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.identity.settings import IdentityKeys

OTHERWISE = "{n} edits of other techniques reveal mentions that are recoded or hidden. Suppress these spans"


def refuse_unlinked(keys: IdentityKeys, evidence: GuaranteeEvidence) -> tuple[str, ...]:
    """Say that no mention tells an attribute, where none does; a small job.

    Labels that no detector gives, or annotations that the input lacks, leave texts as they are or tell of nobody.
    """
    if not evidence.corpus.entities.isEmpty():
        return ()
    labels = ", ".join(sorted(keys.identity.attributes))
    return (
        f"no mention of {labels} was found. Expected documents with such annotations, or a detector in "
        "sources with these labels",
    )
