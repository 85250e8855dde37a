import json
from dataclasses import replace

import pytest

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import UsedModel
from spark_deid.guarantees.content import NO_SUMS, content_of
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.spark import DecisionCounts, RunTotals
from spark_deid.pipeline.describing import placeholders_of
from spark_deid.release.manifest import InputRecord, Manifest, RunTimes, WordCounts, release_view, write_json
from spark_deid.rewriting.registry import TECHNIQUES

KEY = b"k" * 32
SECRETS = ("/secret/input", "/secret/model", "c0ffee", "f1f1f1", "patient-7", "Mustermann", "key_file")


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        plan={"input": {"path": "/secret/input"}, "terms": ["Mustermann"], "key_file": "/secret/key"},
        public_plan={"sources": ["model"]},
        fingerprint="f1f1f1",
        inputs=(InputRecord("/secret/input", "brat", 2, 30, "c0ffee", inventory={"hidden": 1}),),
        models=(UsedModel("/secret/model", "abc", ("NAME",), 2),),
        times=RunTimes(
            "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", (("read", 1.23456), ("apply /secret/model: all", 2.0))
        ),
        words=WordCounts(10, 9),
        documents=2,
        rejects={"nul": 1},
        spans={"model/round-1": {"NAME": 3}},
        edits={"suppress": {"NAME": 2, "CITY": 1}, "surrogate": {"NAME": 1}},
        placeholders=("[CITY]", "[NAME]"),
        handed_back={"surrogate": {"raised": 1}},
        statements={"residual_risk": {"sensitive": 7}},
        counts_by={"k": "subject"},
        subjects=2,
        persons=1,
        assessments=(Assessment("k", "k=4 in patient-7", 0.0, 0.0, True, "patient-7"),),
        warnings=("/secret/input/Mustermann.txt: file names may name people",),
    )


def test_workspace_has_everything(manifest: Manifest) -> None:
    written = write_json(manifest.to_json())
    for secret in SECRETS:
        assert secret in written
    assert json.loads(written)["publish_ratio"] == 0.9
    assert json.loads(written)["versions"]["pyspark"]


def test_release_has_counts_and_no_secret(manifest: Manifest) -> None:
    view = release_view(manifest, KEY)
    written = write_json(view)
    for secret in SECRETS:
        assert secret not in written
    assert view["spans"] == {"model/round-1": {"NAME": 3}}
    assert view["models"] == [{"name": "model", "sha256": "abc", "labels": ["NAME"], "rounds": 2}]
    assert view["rejects"] == {"nul": 1}
    assert '"stage": "apply"' in written


@pytest.mark.parametrize("kind", ["workspace", "release"])
def test_edits_are_reported_by_technique_and_label_and_placeholders_by_name(manifest: Manifest, kind: str) -> None:
    told = manifest.to_json() if kind == "workspace" else release_view(manifest, KEY)
    assert told["kind"] == kind
    assert told["edits"] == {"suppress": {"NAME": 2, "CITY": 1}, "surrogate": {"NAME": 1}}
    assert told["placeholders"] == ["[CITY]", "[NAME]"]
    assert told["handed_back"] == {"surrogate": {"raised": 1}}
    assert told["residual_risk"] == {"sensitive": 7}


def test_nothing_that_is_made_of_the_original_is_listed() -> None:
    edits = {"suppress": {"NAME": 2, "CITY": 1}, "mask": {"RARE": 3}}
    counted = DecisionCounts(content_of(NO_SUMS), CoverageFaults(), RunTotals(), {}, edits, {}, None, True)
    assert placeholders_of(counted) == ("[CITY]", "[NAME]", "★")


def test_a_technique_whose_replacements_may_show_lists_none(monkeypatch: pytest.MonkeyPatch) -> None:
    surrogate = replace(TECHNIQUES.find("mask"), placeholder=None)
    monkeypatch.setattr(type(TECHNIQUES), "find", lambda registry, name: surrogate)
    edits = {"surrogate": {"NAME": 1}}
    assert (
        placeholders_of(DecisionCounts(content_of(NO_SUMS), CoverageFaults(), RunTotals(), {}, edits, {}, None, True))
        == ()
    )


def test_hmac_depends_on_key_inputs_and_plan(manifest: Manifest) -> None:
    changed = replace(manifest.inputs[0], content="decaf")
    seals = {
        release_view(manifest, KEY)["hmac_sha256"],
        release_view(manifest, b"other" * 8)["hmac_sha256"],
        release_view(replace(manifest, inputs=(changed,)), KEY)["hmac_sha256"],
        release_view(replace(manifest, public_plan={}), KEY)["hmac_sha256"],
    }
    assert len(seals) == 4
    moved = replace(manifest.inputs[0], path="/elsewhere")
    assert release_view(replace(manifest, inputs=(moved,)), KEY) == release_view(manifest, KEY)


def test_corpus_without_words_publishes_everything() -> None:
    assert WordCounts(0, 0).publish_ratio == 1.0


def test_hashes_of_the_users_own_files_are_keyed_in_a_release(manifest: Manifest) -> None:
    told = {"t_plausible": {"ontologies": {"wordnet": "aa"}, "sealed": ["ab" * 32]}}
    view = release_view(replace(manifest, statements=told), KEY)
    statement = view["t_plausible"]
    assert isinstance(statement, dict)
    assert statement["ontologies"] == {"wordnet": "aa"}
    assert statement["sealed"] != ["ab" * 32]
    assert statement == release_view(replace(manifest, statements=told), KEY)["t_plausible"]
    assert statement != release_view(replace(manifest, statements=told), KEY[1:])["t_plausible"]
    assert replace(manifest, statements=told).to_json()["t_plausible"] == told["t_plausible"]
