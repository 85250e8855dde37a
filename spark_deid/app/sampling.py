"""Documents of a release for a person to search, drawn so that no one chooses them."""

from hashlib import sha256

from spark_deid.app.figures import SampleFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.assessing import SampleOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.app.sessions import open_session, read_table
from spark_deid.core.errors import UsageError
from spark_deid.engine import functions as F
from spark_deid.evaluation.sampling import upper_bounds
from spark_deid.release.commit import DOCUMENTS, commit_digest, verify_release
from spark_deid.report.excerpts import ReleaseSample, SampledDocument
from spark_deid.report.render import sample_page
from spark_deid.storage.folder import folder_at

RISK = 0.05
"""How often a bound may fail, over all draws up to that of a page."""


def sample(options: SampleOptions, progress: Progress = no_progress) -> SampleFigures:
    """Write a page of documents that are drawn by the digest of their release's commit; one Spark job.

    Raises ReleaseError where there is no release, ChangedReleaseError, and UsageError where it is a table of people, or
    the page can't be written.
    """
    with open_session("sample", options.master, options.release, progress=progress, engine=options.engine) as spark:
        manifest = verify_release(options.release, spark=spark)
        if manifest.get("kind") == "table":
            raise UsageError(f"{options.release}: expected a release of documents, got a table of people")
        digest = commit_digest(folder_at(options.release, spark))
        seed = sha256(f"{digest} {options.draw}".encode()).hexdigest()
        drawn = F.sha2(F.encode(F.concat(F.lit(seed), "doc_id"), "utf-8"), 256)
        rows = read_table(spark, options.release, DOCUMENTS).select("doc_id", "text", drawn.alias("drawn"))
        found = rows.orderBy("drawn", "doc_id").limit(options.documents).collect()
    if not found:
        raise UsageError(f"{options.release}: expected at least one document, found no documents")
    number = max(int(str(manifest["documents"])), len(found))
    confidence = 1 - RISK / options.draw
    bounds = upper_bounds(number, len(found), confidence)
    documents = tuple(SampledDocument(row["doc_id"], row["text"]) for row in found)
    page = sample_page(ReleaseSample(documents, number, digest, options.draw, confidence, bounds))
    write_private_file(options.output, page)
    return SampleFigures(options.output, len(found), number, options.draw, bounds[0])
