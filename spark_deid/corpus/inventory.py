"""Counts of an input for the manifest, without names and text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from spark_deid.core.plurals import plural, was_or_were


@dataclass(frozen=True)
class FileInventory:
    """Count files and records.

    - ``ignored`` counts files of other suffixes by suffix, ``hidden`` names that begin with ``.`` or ``_``;
      ``skipped`` are the first names of these files.
    - ``rejects`` counts records by the reason of the rejected input that represents them. If their number is unknown,
      the input counts as one; ``unknown_rejects`` is the number of such inputs.
    - ``documents_with_subject`` are the documents that name their person; ``annotations`` counts those of the input.
    - ``whitespace_annotations`` and ``utf16_annotations`` are annotations whose surface is equal only after whitespace
      normalization, or only in UTF-16 units; ``mended_annotations`` got another end tag (i2b2-2006);
      ``relabelled_annotations`` had characters that labels can't have.
    - ``attachments`` counts the parts of mails that are not text, ``base64_values`` metadata that is not UTF-8.
    """

    files: int = 0
    bytes: int = 0
    hidden: int = 0
    ignored: Mapping[str, int] = field(default_factory=dict)
    documents: int = 0
    rejects: Mapping[str, int] = field(default_factory=dict)
    documents_with_subject: int = 0
    annotations: int = 0
    whitespace_annotations: int = 0
    utf16_annotations: int = 0
    mended_annotations: int = 0
    relabelled_annotations: int = 0
    attachments: int = 0
    base64_values: int = 0
    unknown_rejects: int = 0
    skipped: tuple[str, ...] = ()

    @property
    def passed_over(self) -> int:
        """Return how many files were not read: hidden names, and suffixes that are not the format's."""
        return self.hidden + sum(self.ignored.values())

    def skipped_notice(self) -> str:
        """Write how many files were not read, and the names of the first.

        >>> FileInventory(ignored={".pdf": 2}, hidden=1, skipped=("a.pdf", "b.pdf")).skipped_notice()
        '3 files were skipped because of their suffix or a hidden name: a.pdf, b.pdf and 1 more'
        """
        count, names = self.passed_over, ", ".join(self.skipped)
        rest = f" and {count - len(self.skipped):,} more" if count > len(self.skipped) else ""
        its = "its" if count == 1 else "their"
        skipped = f"{plural(count, 'file')} {was_or_were(count)} skipped"
        return f"{skipped} because of {its} suffix or a hidden name: {names}{rest}"

    def counts(self) -> dict[str, int]:
        """Return every count by name, ``ignored .pdf`` and ``rejected empty`` among them."""
        named = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        ignored = {f"ignored {suffix}": count for suffix, count in sorted(self.ignored.items())}
        rejected = {f"rejected {reason}": count for reason, count in sorted(self.rejects.items())}
        return named | ignored | rejected
