"""Commands that try a finished release."""

from spark_deid import app
from spark_deid.cli.printing import OUT, print_assessed_table, print_attack, print_figures
from spark_deid.core.errors import GateRefused


def attack(attacked: "app.AttackFigures", options: "app.AttackOptions") -> None:
    """Attack a release like the paper's attacker, and count the identifiers found.

    Attackers train on labelled documents of the release and inspect the other ones. They use the publisher's method,
    then every learner with the publisher's features, then every learner with stronger features. With --public they also
    train on other data. Each attacker decodes in the plain and in the cost-sensitive way. The result has the number of
    remaining identifiers, and the number that an attacker finds within a budget of inspections.

    To these attackers, a missed name among surrogates is an ordinary word. With --surrogates, another attacker trains a
    model on half of the documents to imitate the publisher's model. In the other half, every name that its model does
    not find counts as real. For a last attacker, every name outside the surrogate lists counts as real.

    Example: spark-deid attack --release out/release --workspace out/workspace --gold notes/labelled --format brat
    """
    print_attack(attacked)


def verify(verified: "app.VerificationFigures", options: "app.VerifyOptions") -> None:
    """Check that a release is unchanged since its commit. Exit code 3 means that it was changed.

    verify compares manifest, report, documents and the log of their table with the digests of the commit. The log
    contains schema, partitions, properties and counts of rows. No further file that readers of the table would read may
    exist. Other extra files are listed.

    With --workspace, verify also applies the edits to the originals and compares the result with the release. It
    compares every file, also those of a table of people, with the record in the workspace. Without --workspace, verify
    cannot detect a change by someone who also recomputed all digests.

    Example: spark-deid verify out/release --workspace out/workspace
    """
    print_figures("Verified", verified.to_json())


def sample(drawn: "app.SampleFigures", options: "app.SampleOptions") -> None:
    """Write a page with random documents of a release, for a person to review.

    The digest of the release selects the documents, so no one can choose them. The page shows them complete and without
    originals. Tick each document that still contains a name. For each number of ticks, the page has an upper bound for
    the whole release, with 95% confidence. A further sample (--draw 2) has wider bounds.

    Example: spark-deid sample out/release --documents 100 --output out/sample.html
    """
    print_figures("Sampled", drawn.to_json())


def restore(restored: "app.RestorationFigures", options: "app.RestoreOptions") -> None:
    """Replace the pseudonyms of a text with the originals.

    The text of a released document is restored exactly. In other text, each pseudonym is replaced by the longest form
    of its original. The result contains originals, so keep it as private as the workspace.

    Example: spark-deid restore answer.txt --workspace out/workspace --document note-1
    """
    if options.output is None:
        OUT.print(restored.text, markup=False, highlight=False, soft_wrap=True)
    print_figures("Restored", restored.to_json())


def assess(assessed: "app.ReleaseAssessmentFigures | app.TableAssessmentFigures", options: "app.AssessOptions") -> int:
    """Count a release or a table again with a separate algorithm. Exit code 3 means that it fails.

    assess counts every run of text of a release, or the people of every equivalence class of a table.

    Example: spark-deid assess --release out/common --workspace out/private --k 5 --unit document

    Example: spark-deid assess --table out/table --quasi age,zip --sensitive disease --model k=5,l=2 --person patient
    """
    if isinstance(assessed, app.TableAssessmentFigures):
        print_assessed_table(assessed)
    else:
        print_figures("Assessed", assessed.to_json())
    return 0 if assessed.satisfied else GateRefused.exit_code
