"""The numbers of a release's report, all of which may be published."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ReportData:
    """The release's own manifest, and beside it what else the report may tell.

    ``manifest`` is the value of ``release.manifest.release_view``, so a report shows nothing that its release does
    not say anyway. ``evaluation`` has the keys of ``evaluate``, ``training`` is the model's training report; each is
    None where there is none. ``notes`` are doubts that the reader should know, in sentences, ``remarks`` what
    techniques note of how they worked, ``figures`` what detectors and techniques report, by their names. ``plan`` and
    ``release`` are names without folders; ``checks`` has the options of the command that counts an assessment again, by
    the assessment's name. ``residual_places`` names where text that was removed stands in what is published,
    ``found_in`` the labels of what detectors find in columns that are let out as they are.
    """

    manifest: Mapping[str, object]
    evaluation: Mapping[str, object] | None = None
    training: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    figures: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    plan: str = ""
    release: str = ""
    checks: Mapping[str, str] = field(default_factory=dict)
    residual_places: tuple[str, ...] = ()
    found_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
