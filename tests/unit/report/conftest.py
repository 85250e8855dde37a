import pytest


@pytest.fixture
def manifest() -> dict[str, object]:
    return {
        "kind": "release",
        "versions": {"spark_deid": "0.1.0", "python": "3.11", "pyspark": "4.2.0", "delta": "4.4.0"},
        "times": {
            "started": "2024-05-01T10:00:00+00:00",
            "finished": "2024-05-01T10:01:00+00:00",
            "stages": [{"stage": "read text", "seconds": 1.5}, {"stage": "publish", "seconds": 3.0}],
        },
        "documents": 1234,
        "words": 20000,
        "published_words": 18000,
        "publish_ratio": 0.9,
        "rejects": {"nul": 2},
        "spans": {"model/round-1": {"NAME": 300, "<script>": 1}, "patterns/email": {"EMAIL": 20, "NAME": 1}},
        "edits": {"suppress": {"NAME": 290, "EMAIL": 20}},
        "placeholders": ["[EMAIL]", "[NAME]"],
        "handed_back": {},
        "counts_by": "document",
        "documents_with_subject": 0,
        "persons": 0,
        "gold_unedited": 0,
        "passed_over": 2,
        "gold_in_clear": {},
        "plan": {
            **{"sources": ["model", "patterns"], "unedited": ["gold"], "format": "text", "metadata": ["ward"]},
            "looked_for": {
                "model": {"labels": ["NAME", "WARD"], "also": []},
                "patterns": {"labels": ["EMAIL"], "also": ["ages over 89"]},
            },
            "not_looked_for": ["LOCATION", "AGE"],
        },
        "inputs": {"documents": 1234},
        "hmac_sha256": "abc123" * 10,
        "models": [{"name": "notes", "sha256": "def456" * 10, "labels": ["NAME"], "rounds": 1}],
        "assessments": [
            {"guarantee": "every-marked-character-edited", "value": 0.0, "threshold": 0.0, "satisfied": True}
        ],
    }


@pytest.fixture
def training() -> dict[str, object]:
    first: dict[str, object] = {
        **{"round": 1, "kept": True, "tokens": 5000, "sensitive_tokens": 400, "true_positives": 380},
        **{"false_positives": 7, "loss_before": 4000.0, "loss_after": 207.0},
    }
    last: dict[str, object] = {
        **{"round": 2, "kept": False, "tokens": 4613, "sensitive_tokens": 20, "true_positives": 0},
        **{"false_positives": 0, "loss_before": 207.0, "loss_after": 207.0},
    }
    figures = {"precision": 0.98, "recall": 0.95, "f1": 0.9648}
    scores = {"strict": figures, "binary_token": figures}
    return {
        "settings": {"labels": ["NAME"], "loss_ratio": 10.0, "counts": "oof", "max_rounds": 5, "placeholders": []},
        "data": {"documents": 50, "subjects": None, "annotations": 300, "tokens": 5000, "sensitive_tokens": 400},
        "rounds": [first, last],
        "ended_by": "test",
        "local_optimum": True,
        "message": "The stop test ended the loop.",
        "attacker": last,
        "cross_validation": {"rounds": [{"round": 1, "alone": scores, "union": scores}], "union": scores},
        "seconds": 754.0,
        "versions": {"numpy": "2.0"},
    }


@pytest.fixture
def evaluation() -> dict[str, object]:
    figures = {"precision": 0.98, "recall": 0.95, "f1": 0.9648}
    both = {"micro": figures, "labels": {"NAME": figures | {"support": 300}}}
    return {
        "documents": 1234,
        "publish_ratio": 0.9,
        "entity_recall": 0.97,
        "strict": both,
        "relaxed": both,
        "token": both,
        "binary_token": {"micro": figures},
    }
