"""What every use case checks and tells of its input and output."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.losses import tell_first_rejects, tell_losses
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.errors import CorpusError, ModelError, UsageError
from spark_deid.core.plurals import plural
from spark_deid.corpus.formats import NO_OPTIONS, find_format
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.peek import check_columns, check_files, check_labelled
from spark_deid.greedy.shipped import check_named
from spark_deid.storage.files import is_remote, local_path
from spark_deid.storage.path_checks import check_creatable, check_outside, check_present
from spark_deid.storage.records import check_records

if TYPE_CHECKING:
    from spark_deid.core.document import Document

Progress = Callable[[str], None]


def no_progress(message: str) -> None:
    """Ignore the progress of a use case."""


def input_checks(*places: str | Path | None) -> tuple[Callable[[], None], ...]:
    """Return checks that the places which are given exist."""
    return tuple(partial(check_present, place) for place in places if place is not None)


def models_given(*places: str | Path | None) -> tuple[Callable[[], None], ...]:
    """Return checks that the models which are given exist; of names that are none the shipped ones are told."""
    return tuple(partial(_check_model, place) for place in places if place is not None)


def _check_model(place: str | Path) -> None:
    check_named(place)
    check_present(place)


def table_checks(*places: str | None, dialect: CsvDialect) -> tuple[Callable[[], None], ...]:
    """Return checks that the tables of people which are given are there and can be read."""
    return tuple(partial(check_records, place, dialect=dialect) for place in places if place is not None)


def reading_check(
    place: str | None, name: str | None, options: Mapping[str, str], metadata: Iterable[str] = ()
) -> tuple[Callable[[], None], ...]:
    """Return a check that an input, where one is given, exists and can be read by a format as its options say."""
    if place is None or name is None:
        return ()
    return (partial(check_reading, place, name, options, metadata),)


def check_reading(place: str, name: str, options: Mapping[str, str], metadata: Iterable[str] = ()) -> None:
    """Refuse a local input that is not there, or holds nothing of its format, or lacks what its options name."""
    find_format(name, options)
    check_present(place)
    check_files(place, name, options)
    check_columns(place, name, options, metadata)


def annotation_check(
    place: str | None, name: str | None, options: Mapping[str, str], unlabelled: str
) -> tuple[Callable[[], None], ...]:
    """Return a check that some text of a labelled input has annotations, unless those without are documents, too."""
    if place is None or name is None or unlabelled == "empty":
        return ()
    return (partial(check_annotations, place, name, options),)


def check_annotations(place: str, name: str, options: Mapping[str, str]) -> None:
    """Refuse a local input whose texts all lack their files of annotations; one that is not there is told of elsewhere.

    Raises UsageError.
    """
    if not is_remote(place) and Path(local_path(place)).exists():
        check_labelled(place, name, options)


def check_delta(place: str) -> None:
    """Refuse a local place that is no folder of a Delta table; raises UsageError."""
    check_present(place)
    check_files(place, "delta")


def check_all(*checks: Callable[[], object]) -> None:
    """Make checks of places that options name; raises UsageError with every one that fails."""
    wrong = []
    for check in checks:
        try:
            check()
        except (UsageError, ModelError) as error:
            wrong.append(str(error))
    if wrong:
        raise UsageError("\n".join(wrong))


def check_new(place: str) -> None:
    """Raise UsageError where a local place already holds something, or can't be written to."""
    path = Path(local_path(place))
    if not is_remote(place) and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{place}: is not empty. Choose a new or empty folder")
    check_creatable(place)


def check_output(source: str, target: str, name: str, options: Mapping[str, str] = NO_OPTIONS) -> None:
    """Raise UsageError where an input can't be read, or its output would lie in it or in something that is there."""
    check_reading(source, name, options)
    check_outside(source, target)
    check_new(target)


def read_labelled(
    path: str, name: str, options: Mapping[str, str], unlabelled: str, progress: Progress
) -> tuple["Document", ...]:
    """Read a labelled corpus on the driver, and say what of it was not taken.

    Documents that nobody annotated are left out, unless ``unlabelled`` says that they are ``empty``. Raises CorpusError
    where none is left.
    """
    progress(f"read {path}")
    reading = read_documents(path, name, options=options)
    tell_losses(reading.inventory, progress)
    tell_first_rejects([(each.source, each.detail) for each in reading.rejects], len(reading.rejects), progress)
    if unlabelled == "empty" or not reading.unlabelled:
        return reading.documents
    progress(f"warning: {unlabelled_notice(len(reading.unlabelled))}")
    labelled = tuple(document for document in reading.documents if document.doc_id not in reading.unlabelled)
    if not labelled:
        raise CorpusError(f"{path}: {unlabelled_notice(len(reading.unlabelled))}; nothing is left")
    return labelled


def unlabelled_notice(count: int) -> str:
    """Say what was left out of a labelled corpus."""
    are, documents = ("is", "reads it as a document") if count == 1 else ("are", "reads them as documents")
    return (
        f"{plural(count, '.txt file')} without .ann {are} skipped (--unlabelled empty {documents} without identifiers)"
    )
