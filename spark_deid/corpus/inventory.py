"""What an input held: counts for the manifest, no names and no text."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FileInventory:
    """Count files and records.

    ``ignored`` counts files of other suffixes by suffix; ``hidden`` names that begin with ``.`` or ``_``;
    ``rejects`` by reason; ``documents_with_subject`` those that name their person; ``annotations`` what the input
    marked; then annotations whose surface was equal after whitespace normalization only, or under the UTF-16 reading
    only, whose end tag was mended (i2b2-2006), and whose label had characters that labels can't have; ``attachments``
    what of mails is no text.
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

    @property
    def passed_over(self) -> int:
        """Return how many files were not read: hidden names, and suffixes that are not the format's."""
        return self.hidden + sum(self.ignored.values())

    def counts(self) -> dict[str, int]:
        """Return every count by name, ``ignored .pdf`` and ``rejected empty`` among them."""
        named = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        ignored = {f"ignored {suffix}": count for suffix, count in sorted(self.ignored.items())}
        rejected = {f"rejected {reason}": count for reason, count in sorted(self.rejects.items())}
        return named | ignored | rejected
