"""Whether a local input holds files of its format, by their names: nothing is opened."""

import os
from collections.abc import Mapping
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import NO_OPTIONS, find_format, usable_formats
from spark_deid.corpus.items import OUTSIDE, InputListing, list_items, unlabelled_ids, without_suffix
from spark_deid.storage.files import is_hidden, is_remote, local_path


def check_files(path: str, format: str, options: Mapping[str, str] = NO_OPTIONS) -> None:
    """Refuse a local folder or glob without any file that a format reads; a file that is named itself is read anyway.

    Raises UsageError, which tells by suffix what is there instead, and which formats read that; CorpusError for what
    can't be listed.
    """
    kernel = find_format(format, options)
    if is_remote(path) or Path(local_path(path)).is_file():
        return
    if not kernel.suffixes:
        _check_table(path)
    elif not _is_met(path, kernel):
        listing = list_items(path, kernel)
        if not listing.items:
            raise UsageError(f"{path}: {_absence_notice(listing, kernel)}")
        if all(item.reason == OUTSIDE for item in listing.items):
            raise UsageError(f"{path}: {_links_notice(len(listing.items))}")


def check_labelled(path: str, format: str, options: Mapping[str, str] = NO_OPTIONS) -> None:
    """Refuse a local folder, glob or file without any file of annotations, in a format that has them beside the texts.

    Raises UsageError; CorpusError for what can't be listed.
    """
    kernel = find_format(format, options)
    if is_remote(path) or not kernel.companions:
        return
    items = list_items(path, kernel).items
    texts = sum(item.reason is None for item in items)
    if texts and len(unlabelled_ids(items, kernel)) == texts:
        raise UsageError(
            f"{path}: expected {_either(kernel.companions)} files beside the texts, and none of {texts} has one; name "
            "a labelled folder, or --unlabelled empty takes them as documents without identifiers"
        )


def _check_table(path: str) -> None:
    """Look above the folder too: that of a partition is read as the part of its table."""
    folder = Path(local_path(path)).absolute()
    if not any((each / "_delta_log").is_dir() for each in (folder, *folder.parents)):
        raise UsageError(f"{path}: expected the folder of a Delta table, with _delta_log in it; name that one")


def _is_met(path: str, format: CorpusFormat) -> bool:
    """Tell whether a walk through a folder meets a file of a format that is no link; it ends at the first."""
    for folder, folders, files in os.walk(local_path(path)):
        folders[:] = [name for name in folders if not is_hidden(name)]
        visible = (name for name in files if not is_hidden(name) and without_suffix(name, format.suffixes) is not None)
        if any(not os.path.islink(os.path.join(folder, name)) for name in visible):
            return True
    return False


def _links_notice(count: int) -> str:
    what = "its one file is a link that leads" if count == 1 else f"all its {count} files are links that lead"
    return f"{what} out of it, and those are not followed; name the folder that holds the files, or copy them here"


def _absence_notice(listing: InputListing, format: CorpusFormat) -> str:
    """Say what is there instead of files of a format, and what to do next."""
    wanted = f"format {format.name} reads names that end in {_either(format.suffixes)}"
    there = [f"{count} of {suffix}" for suffix, count in sorted(listing.ignored.items())]
    if listing.hidden:
        there.append(f"{listing.hidden} hidden (names that begin with . or _ are passed over)")
    if not there:
        return f"no file is there; {wanted}: name the folder that holds them"
    others = [
        f"{suffix} is read by format {_either(names)}" for suffix in listing.ignored if (names := _readers(suffix))
    ]
    return "; ".join(
        [f"no file is there that can be read; {wanted}, and there are {', '.join(there)}"]
        + (sorted(others) or ["name another folder, or one file itself, which is read whatever its name"])
    )


def _readers(suffix: str) -> list[str]:
    """Return the formats that read files of a suffix."""
    plain = suffix.lower().removesuffix(".gz")
    return [format.name for format in usable_formats() if plain in format.suffixes]


def _either(names: tuple[str, ...] | list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
