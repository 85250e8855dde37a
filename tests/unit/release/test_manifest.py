import json
from dataclasses import replace

import pytest

from spark_deid.core.guarantee import Assessment
from spark_deid.release.manifest import InputRecord, Manifest, ModelRecord, Times, Words, release_view, write_json

KEY = b"k" * 32
SECRETS = ("/secret/input", "/secret/model", "c0ffee", "f1f1f1", "patient-7", "Mustermann", "key_file")


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        plan={"input": {"path": "/secret/input"}, "terms": ["Mustermann"], "key_file": "/secret/key"},
        public_plan={"sources": ["model"]},
        fingerprint="f1f1f1",
        inputs=(InputRecord("/secret/input", "brat", 2, 30, "c0ffee", inventory={"hidden": 1}),),
        models=(ModelRecord("/secret/model", "abc", ("NAME",), 2),),
        times=Times(
            "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", (("read", 1.23456), ("apply /secret/model: all", 2.0))
        ),
        words=Words(10, 9),
        documents=2,
        rejects={"nul": 1},
        spans={"round-1": {"NAME": 3}},
        edits={"NAME": 2},
        counts_by="document",
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
    assert view["spans"] == {"round-1": {"NAME": 3}}
    assert view["models"] == [{"sha256": "abc", "labels": ["NAME"], "rounds": 2}]
    assert view["rejects"] == {"nul": 1}
    assert '"stage": "apply"' in written


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
    assert Words(0, 0).publish_ratio == 1.0
