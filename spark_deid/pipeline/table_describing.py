"""What is said of a recoded table: its manifest, without a value of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from spark_deid.anonymity.model_options import K
from spark_deid.anonymity.recodings import RECODINGS
from spark_deid.anonymity.risk import risk_of
from spark_deid.core.version import VERSION
from spark_deid.pipeline.table_run import TableReleaseContents, TableRun


def summary_of(run: TableRun) -> dict[str, Any]:
    """Return what may be said in public: counts, levels and shares."""
    contents = run.contents
    (k,) = contents.claim.models.numbers(K, 1)
    classes, units = contents.after.total(), sum(size * number for size, number in contents.after.items())
    own: dict[str, float] = {"discernibility": sum(size * size * number for size, number in contents.after.items())}
    average = units / max(classes, 1)
    own |= {"average_class_size": average, "average_class_size_over_k": average / float(k)}
    risks = {
        when: vars(risk_of({(size, 0): n for size, n in sizes.items()})) for when, sizes in _sizes(contents).items()
    }
    if run.with_kept is not None:
        risks["after_with_kept"] = vars(risk_of({(size, 0): n for size, n in run.with_kept.items()}))
    record = {
        "algorithm": run.recoding,
        "model": str(contents.claim.models),
        "unit": contents.unit,
        "classes": classes,
        _members(contents): units,
        **contents.summary,
        "loss": own | dict(contents.summary.get("loss", {})),
        "risk": risks,
        **({"respelled_ids": run.respelled} if run.respelled else {}),
    }
    return {"verdict": verdict_of(record, run.warnings).value, **record}


class TableVerdict(Enum):
    """The verdicts of a report on a recoded table that satisfies its models, from best to worst."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"

    @property
    def rank(self) -> int:
        """Return the number of better verdicts."""
        return list(TableVerdict).index(self)


def verdict_of(summary: Mapping[str, Any], warnings: Sequence[str]) -> TableVerdict:
    """Return the verdict: bad if kept columns raise the highest risk, otherwise fair if there are warnings.

    >>> risk = {"after": {"prosecutor": 0.2}, "after_with_kept": {"prosecutor": 0.5}}
    >>> verdict_of({"risk": risk}, []).value, verdict_of({"risk": {"after": risk["after"]}}, ["a warning"]).value
    ('bad', 'fair')
    """
    risks = summary["risk"]
    if "after_with_kept" in risks and risks["after_with_kept"]["prosecutor"] > risks["after"]["prosecutor"]:
        return TableVerdict.BAD
    return TableVerdict.FAIR if warnings else TableVerdict.GOOD


def reasons_of(summary: Mapping[str, Any], warnings: Sequence[str]) -> list[str]:
    """Return the reasons of a fair or bad verdict."""
    if verdict_of(summary, warnings) is TableVerdict.BAD:
        risks = summary["risk"]
        before, after = (risks[name]["prosecutor"] for name in ("after", "after_with_kept"))
        return [f"kept columns raise the highest risk from {before:.4g} to {after:.4g}"]
    return list(warnings)


def manifest_of(run: TableRun) -> dict[str, Any]:
    """Return counts, settings and versions; no values, paths or keys."""
    request, contents = run.request, run.contents
    claim = contents.claim
    shown = {name: mode.value for name, mode in request.recoding.items()}
    return {
        "kind": "table",
        "columns": {
            "quasi": list(claim.quasi),
            "sensitive": list(claim.sensitive),
            "person": claim.person,
            "kept": list(request.keep),
            "kept_identifying": list(request.keep_identifying),
            "with_hierarchy": sorted(claim.hierarchies),
        },
        "settings": {
            "recoding": shown if "recoding" in RECODINGS.find(run.recoding).heeds else None,
            "relaxed": request.is_relaxed,
            "suppression": request.suppression if request.fitted is not None else request.suppression or 0.0,
            "fail_on": request.fail_on,
            "distance": claim.distance.value,
        },
        **run.summary,
        "class_sizes": {
            when: {str(size): each[size] for size in sorted(each)} for when, each in _sizes(contents).items()
        },
        "assessments": [each.assessment._asdict() for each in run.assessed],
        "residuals": {place: dict(labels) for place, labels in run.residuals.items()},
        "warnings": list(run.warnings),
        "versions": {"spark_deid": VERSION},
        "times": {"started": run.started.isoformat(), "finished": datetime.now(UTC).isoformat()},
    }


def words_of_table(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what may stand in a table's manifest and report though it were removed: names that users gave, counts.

    What algorithms and models say in their summaries is not among these.
    """
    given = (manifest[name] for name in ("columns", "settings", "model", "algorithm", "verdict"))
    names = (word for each in given for word in _leaves(each) if isinstance(word, str))
    numbers = (str(leaf) for leaf in _leaves(dict(manifest)) if isinstance(leaf, int | float))
    sizes = (size for counts in manifest["class_sizes"].values() for size in counts)
    return tuple(dict.fromkeys((*names, *numbers, *sizes)))


def _leaves(value: object) -> Iterator[object]:
    """Yield what a value of JSON holds that holds nothing, and what names it."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from (name, *_leaves(each))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _members(contents: TableReleaseContents) -> str:
    """Return under which name the members of classes are counted."""
    return "members" if contents.claim.person is None else "persons"


def _sizes(contents: TableReleaseContents) -> dict[str, Counter[int]]:
    return {"before": contents.before, "after": contents.after}
