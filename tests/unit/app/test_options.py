"""Wrong options of every command: told with exit code 2, before an input is read or Spark is started."""

from pathlib import Path

import pytest

from spark_deid import cli
from spark_deid.app import EvaluateOptions, PlausibilityExperimentOptions, TrainOptions
from spark_deid.core.errors import UsageError

PLAN = "input: {path: notes, format: text}\nworkspace: w\nrelease: r\nsources: [patterns]\npatterns: {kinds: all}\n"
TRAIN = ("train", "--input", "notes", "--format", "brat", "--output", "new")
EVALUATE = ("evaluate", "--gold", "notes", "--format", "brat")
DETECT = ("detect", "--model", "model", "--input", "notes", "--format", "text", "--output", "new")
ATTACK = ("attack", "--release", "release", "--workspace", "workspace", "--gold", "notes", "--format", "brat")
ASSESS = ("assess", "--release", "release")
ANONYMIZE = ("anonymize", "--input", "notes", "--output", "new", "--quasi", "age")
TABLE = ("assess", "--table", "release", "--quasi", "age")
GREEDY = ("experiment", "greedy", "--input", "notes", "--format", "brat", "--output", "new")
REPEATS = ("experiment", "repeats", "--input", "notes", "--format", "brat")
HIDE = ("repeats", "--input", "notes", "--format", "text", "--output", "new")
SYNTHESIZE = ("synthesize", "--documents", "3")

WRONG = (
    (*TRAIN, "--format", "docx"),
    (*TRAIN, "--input", "absent"),
    (*TRAIN, "--output", "full"),
    (*TRAIN, "--labels", ""),
    (*TRAIN, "--labels", "A", "--auxiliary", "A"),
    (*TRAIN, "--auxiliary", "A"),
    (*TRAIN, "--learner", "tree"),
    (*TRAIN, "--loss-ratio", "0"),
    (*TRAIN, "--loss-ratio", "inf"),
    (*TRAIN, "--max-rounds", "0"),
    (*TRAIN, "--decoding", "beam"),
    (*TRAIN, "--publish-budget", "0.5"),
    (*TRAIN, "--publish-budget", "1", "--decoding", "cost"),
    (*TRAIN, "--counts", "some"),
    (*DETECT, "--to", "brat", "--decoding", "beam"),
    (*TRAIN, "--features", "most"),
    (*TRAIN, "--background", "absent"),
    (*TRAIN, "--tagger", "nltk:absent"),
    (*TRAIN, "--tagger", "absent"),
    (*TRAIN, "--iterations", "0"),
    (*TRAIN, "--patterns", "absent.yaml"),
    (*TRAIN, "--context", "absent.yaml"),
    (*TRAIN, "--context", "plan.yaml"),
    (*TRAIN, "--key-file", "absent"),
    (*TRAIN, "--folds", "1"),
    (*TRAIN, "--workers", "0"),
    (*TRAIN, "--workers", "1", "--master", "local[1]"),
    EVALUATE,
    (*EVALUATE, "--model", "model", "--spans", "release"),
    (*EVALUATE, "--spans", "release", "--rounds"),
    (*EVALUATE, "--model", "absent"),
    (*EVALUATE, "--spans", "absent"),
    (*EVALUATE, "--model", "model", "--labels", ""),
    (*EVALUATE, "--model", "model", "--labels", "PER:"),
    (*EVALUATE, "--model", "model", "--labels", "PER=NAME=PATIENT"),
    (*EVALUATE, "--model", "model", "--labels", "PER:NAME,PER=PATIENT"),
    (*EVALUATE, "--model", "model", "--gold", "absent"),
    (*EVALUATE, "--model", "model", "--format", "docx"),
    (*EVALUATE, "--model", "model", "--format", "text"),
    (*TRAIN, "--format", "eml"),
    (*TRAIN, "--seed", "-1"),
    (*EVALUATE, "--model", "model", "--option", "encoding=klingon"),
    (*TRAIN, "--option", "text_column=note"),
    (*TRAIN, "--option", "encoding"),
    (*TRAIN, "--option", "encoding=cp1252", "--option", "encoding=latin-1"),
    (*HIDE, "--option", "delimiter=;"),
    (*GREEDY, "--option", "columns=x"),
    (*REPEATS, "--output", "new", "--option", "columns=x"),
    ("run", "plan.yaml", "--option", "delimiter=;"),
    ("explain", "plan.yaml", "--option", "delimiter=;"),
    DETECT,
    (*DETECT, "--to", "text"),
    (*DETECT, "--to", "docx"),
    (*DETECT, "--to", "brat", "--model", "absent"),
    (*DETECT, "--to", "brat", "--option", "columns=x"),
    (*DETECT, "--to", "brat", "--input", "absent"),
    (*DETECT, "--to", "brat", "--output", "full"),
    (*DETECT, "--to", "brat", "--output", "notes/inside"),
    ("export", "absent", "new"),
    ("export", "model", "full"),
    ("export", "model", "new", "--gold", "notes"),
    ("export", "model", "new", "--gold", "notes", "--format", "brat", "--option", "columns=x"),
    ("export", "model", "new", "--gold", "absent", "--format", "brat"),
    ("export", "model", "new", "--gold", "notes", "--format", "docx"),
    (*ATTACK, "--release", "absent"),
    (*ATTACK, "--workspace", "absent"),
    (*ATTACK, "--gold", "absent"),
    (*ATTACK, "--format", "docx"),
    (*ATTACK, "--labels", ""),
    (*ATTACK, "--learners", "svm,tree"),
    (*ATTACK, "--learners", ""),
    (*ATTACK, "--features", "most"),
    (*ATTACK, "--stronger", "most"),
    (*ATTACK, "--background", "absent"),
    (*ATTACK, "--loss-ratio", "0"),
    (*ATTACK, "--budgets", "10,0"),
    (*ATTACK, "--budgets", "ten"),
    (*ATTACK, "--public", "notes"),
    (*ATTACK, "--option", "columns=x"),
    (*ATTACK, "--public", "notes", "--public-format", "brat", "--public-option", "columns=x"),
    (*ATTACK, "--public-format", "brat"),
    (*ATTACK, "--public", "absent", "--public-format", "brat"),
    (*ATTACK, "--folds", "1"),
    (*ATTACK, "--simulate", "-1"),
    (*ATTACK, "--vc-dimension", "0"),
    (*ATTACK, "--workers", "1", "--master", "local[1]"),
    (*ASSESS, "--k", "1", "--unit", "document", "--published"),
    (*ASSESS, "--k", "2", "--unit", "word", "--published"),
    (*ASSESS, "--k", "2", "--unit", "document"),
    (*ASSESS, "--k", "2", "--unit", "subject", "--published"),
    (*ASSESS, "--k", "2", "--unit", "document", "--published", "--sample", "0"),
    (*ASSESS, "--k", "2", "--unit", "document", "--workspace", "absent"),
    (*ASSESS, "--k", "2", "--unit", "document", "--published", "--release", "absent"),
    ("assess", "--k", "2", "--unit", "document", "--published"),
    (*ASSESS, "--k", "2", "--unit", "document", "--published", "--quasi", "age"),
    (*ASSESS, "--unit", "document", "--published"),
    (*ASSESS, "--table", "release", "--quasi", "age", "--model", "k=2"),
    (*TABLE, "--model", "k=2", "--table", "absent"),
    (*TABLE, "--model", "k=2", "--k", "2"),
    (*TABLE, "--model", "k=1"),
    (*TABLE, "--model", "j=2"),
    (*TABLE, "--model", "l=2"),
    (*TABLE, "--model", "k=2", "--quasi", ""),
    (*TABLE, "--model", "k=2", "--person", "age"),
    (*TABLE, "--model", "t=0.2", "--sensitive", "disease", "--distance", "far"),
    (*TABLE, "--model", "t=0.2", "--sensitive", "disease", "--distance", "hierarchical"),
    (*TABLE, "--model", "k=2", "--hierarchies", "notes"),
    (*TABLE, "--model", "k=2", "--delimiter", ";;"),
    (*TABLE, "--model", "delta=0.1:0.5"),
    (*TABLE, "--model", "delta=0.1:0.5", "--population", "absent"),
    TABLE,
    ANONYMIZE,
    (*ANONYMIZE, "--model", "k=1"),
    (*ANONYMIZE, "--model", "j=2"),
    (*ANONYMIZE, "--model", "l=2"),
    (*ANONYMIZE, "--model", "k=2", "--quasi", ""),
    (*ANONYMIZE, "--model", "k=2", "--input", "absent"),
    (*ANONYMIZE, "--model", "k=2", "--output", "notes/inside"),
    (*ANONYMIZE, "--model", "k=2", "--algorithm", "datafly"),
    (*ANONYMIZE, "--model", "k=2", "--recoding", "wide"),
    (*ANONYMIZE, "--model", "k=2", "--recoding", "zip=tight"),
    (*ANONYMIZE, "--model", "k=2", "--suppression", "1"),
    (*ANONYMIZE, "--model", "k=2", "--loss", "most"),
    (*ANONYMIZE, "--model", "k=2,delta=0.1:0.5", "--population", "notes"),
    (*ANONYMIZE, "--model", "k=2", "--key-file", "absent"),
    ("convert", "--from", "text", "--to", "jsonl", "notes", "new", "--option", "text_column=note"),
    ("convert", "--from", "docx", "--to", "text", "notes", "new"),
    ("convert", "--from", "text", "--to", "docx", "notes", "new"),
    ("convert", "--from", "text", "--to", "jsonl", "absent", "new"),
    ("convert", "--from", "text", "--to", "jsonl", "notes", "full"),
    ("convert", "--from", "text", "--to", "jsonl", "notes", "notes"),
    ("synthesize", "--documents", "0", "--output", "new"),
    (*SYNTHESIZE, "--output", "full"),
    (*SYNTHESIZE, "--output", "new", "--persons", "full"),
    (*SYNTHESIZE, "--output", "new", "--format", "docx"),
    GREEDY,
    (*GREEDY, "--labels", ""),
    (*GREEDY, "--labels", "A", "--methods", "greedy-tree"),
    (*GREEDY, "--labels", "A", "--methods", ""),
    (*GREEDY, "--labels", "A", "--attackers", "tree"),
    (*GREEDY, "--labels", "A", "--folds", "2"),
    (*GREEDY, "--labels", "A", "--loss-ratios", "1,0"),
    (*GREEDY, "--labels", "A", "--loss-ratios", "one"),
    (*GREEDY, "--labels", "A", "--loss-ratios", ""),
    (*GREEDY, "--labels", "A", "--features", "most"),
    (*GREEDY, "--labels", "A", "--auxiliary", "A"),
    (*GREEDY, "--labels", "A", "--background", "absent"),
    (*GREEDY, "--labels", "A", "--documents", "-1"),
    (*GREEDY, "--labels", "A", "--output", "full"),
    (*GREEDY, "--labels", "A", "--output", "s3a://bucket/x"),
    (*GREEDY, "--labels", "A", "--input", "absent"),
    (*GREEDY, "--labels", "A", "--workers", "1", "--master", "local[1]"),
    REPEATS,
    (*REPEATS, "--output", "full"),
    (*REPEATS, "--output", "new", "--unit", "auto"),
    (*REPEATS, "--output", "new", "--tokens", "letter"),
    (*REPEATS, "--output", "new", "--covering", "best"),
    (*REPEATS, "--output", "new", "--input", "absent"),
    (*HIDE, "--k", "1"),
    (*HIDE, "--format", "docx"),
    ("run", "absent.yaml"),
    ("run", "plan.yaml", "--set", "input.format=docx"),
    ("run", "plan.yaml", "--set", "input.path=absent"),
    ("explain", "absent.yaml"),
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of things to name, in which no input is opened and no Spark started."""
    for name in ("notes", "full", "model", "release", "workspace"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("Ann Lee")
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")  # else main silences the logging of every later test

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("opened")

    for name in ("corpus.local.read_documents", "app.sessions.session_scope", "greedy.sanitizer.model_hash"):
        monkeypatch.setattr(f"spark_deid.{name}", refuse)


def with_last_values(command: tuple[str, ...]) -> list[str]:
    """Return a command with the last value of each option that must not be given twice."""
    several = ("--option", "--public-option", "--set")
    places = {word: at for at, word in enumerate(command) if word.startswith("--") and word not in several}
    replaced = {at for at, word in enumerate(command) if places.get(word, at) != at}
    return [word for at, word in enumerate(command) if at not in replaced and at - 1 not in replaced]


@pytest.mark.parametrize("command", WRONG, ids=" ".join)
def test_wrong_options_are_refused_first(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(with_last_values(command))
    told = capsys.readouterr().err
    assert caught.value.code == 2, told
    assert "Input should" not in told
    assert "Value error" not in told
    assert "expected once" not in told
    assert not Path("new").exists()


def test_all_wrong_values_of_a_call_are_reported_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        TrainOptions(input="x", format="docx", output=Path("m"), folds=1, learner="tree", loss_ratio=0)
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["--learner", "--loss-ratio", "--folds", "--format"]
    assert "--folds: expected an integer >= 2, got 1" in lines


def test_a_list_of_wrong_values_is_not_reported_to_be_empty() -> None:
    with pytest.raises(UsageError) as refused:
        PlausibilityExperimentOptions(output="x", t=(1,), size=())
    assert str(refused.value).splitlines() == ["--size: expected at least one", "--t: expected an integer >= 2, got 1"]


def test_all_wrong_places_of_a_call_are_reported_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    places = ("--input", "absent", "--output", "full", "--key-file", "no-key", "--background", "no-model")
    with pytest.raises(SystemExit):
        cli.main(with_last_values((*TRAIN, *places)))
    told = capsys.readouterr().err
    assert all(name in told for name in ("absent", "full", "no-key", "no-model"))


def test_a_slip_in_the_name_of_a_shipped_model_is_reported_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["models", "englsh"])
    assert capsys.readouterr().err.startswith(
        "error: NAME: expected one of english, spanish, portuguese, german, french, dutch, swedish, norwegian, "
        "got 'englsh'; did you mean english?"
    )


def test_labels_of_gold_are_given_those_of_detectors() -> None:
    options = EvaluateOptions(gold="g", format="brat", model=Path("m"), labels=("PER=NAME", "LOC:PLACE", "ORG"))
    assert options.renamed == {"PER": "NAME", "LOC": "PLACE", "ORG": "ORG"}


def test_making_options_touches_nothing() -> None:
    options = EvaluateOptions(gold="nowhere", format="brat", model=Path("nothing"))
    assert (options.labels, options.rounds) == (None, False)
    with pytest.raises(UsageError, match="--gold: missing"):
        EvaluateOptions(format="brat", spans="x")  # type: ignore[call-arg]
