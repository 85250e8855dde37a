"""That some mention was linked to a person: else a plan of persons has nothing to hold."""

from spark_deid.core.kinds import Evidence
from spark_deid.identity.settings import IdentityKeys


def unlinked(keys: IdentityKeys, evidence: Evidence) -> tuple[str, ...]:
    """Say that no mention tells an attribute, where none does; a small job.

    Labels that no detector gives, or annotations that the input lacks, leave texts as they are or tell of nobody.
    """
    if not evidence.corpus.entities.isEmpty():
        return ()
    labels = ", ".join(sorted(keys.identity.attributes))
    return (
        f"no mention of {labels} was found: expected documents with such annotations, or a detector in sources that"
        " gives these labels",
    )
