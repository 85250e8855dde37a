"""Commands that try a finished release."""

from spark_deid import app
from spark_deid.cli.printing import OUT, print_assessed_table, print_attack, print_figures
from spark_deid.core.errors import GateRefused


def attack(attacked: "app.AttackFigures", options: "app.AttackOptions") -> None:
    """Attack a finished release as the paper's attacker does, and count what he finds.

    Attackers learn on labelled documents of the published text and inspect the others: the publisher's own way, every
    learner with the publisher's features, every learner with stronger ones, and with --public every learner on other
    data; all with plain and with cost-sensitive decoding. Says how many identifiers are left, and how many of them an
    attacker finds on a budget of inspections.

    Names that stay among surrogates are ordinary words to these attackers. With --surrogates another one learns to
    tag all that looks like a name in half of the documents, as the publisher's model did, and takes what he does not
    find in the other half for real; one more takes what is in none of the lists that surrogates are drawn from.

    Example: spark-deid attack --release out/release --workspace out/workspace --gold notes/labelled --format brat
    """
    print_attack(attacked)


def verify(verified: "app.VerificationFigures", options: "app.VerifyOptions") -> None:
    """Check that a release is what was committed; exit code 3 says that it was changed.

    Manifest, report, documents and the log of their table (schema, partitions, properties, counts of rows) must have
    the digests of the commit, and nothing else may lie beside them that readers of the table would look at. With
    --workspace the edits of the originals must give what is published, and manifest, report, log, schema and every
    file, those of tables of people too, must be those of the workspace's record. Without it nothing can tell whether
    somebody changed the release and made all its digests anew. What else lies beside a release is named.

    Example: spark-deid verify out/release --workspace out/workspace
    """
    print_figures("Verified", verified.to_json())


def sample(drawn: "app.SampleFigures", options: "app.SampleOptions") -> None:
    """Draw documents of a release for a person to look through, on a page that says what ticks tell of all of it.

    The documents are drawn by the release's own digest, so that nobody chooses them, and shown whole, without
    originals. Tick each one in which a name is left; the page has, for each number of ticks, the most of all documents
    that are so, with 95% confidence. Further draws (--draw 2) are counted: their bounds are wider.

    Example: spark-deid sample out/release --documents 100 --output out/sample.html
    """
    print_figures("Sampled", drawn.to_json())


def restore(restored: "app.RestorationFigures", options: "app.RestoreOptions") -> None:
    """Put originals back in place of pseudonyms, into a released text or into one that was made of it.

    The text of a released document comes back exactly; in other text each pseudonym becomes the longest form that it
    stands for. What is written shows originals: keep it where the workspace is.

    Example: spark-deid restore answer.txt --workspace out/workspace --document note-1
    """
    if options.output is None:
        OUT.print(restored.text, markup=False, highlight=False, soft_wrap=True)
    print_figures("Restored", restored.to_json())


def assess(assessed: "app.ReleaseAssessmentFigures | app.TableAssessmentFigures", options: "app.AssessOptions") -> int:
    """Count a release or a table again, by another algorithm; exit code 3 says that it does not hold.

    Of a release every run of text is counted (--k, --unit), of a table the persons of every class: rows that agree on
    the quasi-identifiers (--quasi, --model).

    Example: spark-deid assess --release out/common --workspace out/private --k 5 --unit document

    Example: spark-deid assess --table out/table --quasi age,zip --sensitive disease --model k=5,l=2 --person patient
    """
    if isinstance(assessed, app.TableAssessmentFigures):
        print_assessed_table(assessed)
    else:
        print_figures("Assessed", assessed.to_json())
    return 0 if assessed.satisfied else GateRefused.exit_code
