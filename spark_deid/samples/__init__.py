"""Real clinical text, and invented mail, that ships with the package; `ATTRIBUTION.md` names its source and licence."""

from importlib.resources import files
from os.path import exists
from pathlib import Path

from spark_deid.core.errors import UsageError

SAMPLES = {
    "meddocan-train": "meddocan-train-sample.jsonl.gz",
    "meddocan-dev": "meddocan-dev-sample.jsonl.gz",
    "mail": "mail-sample.jsonl.gz",
    "mailbox": "mailbox-sample.mbox",
}


def sample_path(name: str) -> Path:
    """Return the file of a bundled sample: JSON lines in gzip with spans in code points, or an mbox for ``mailbox``.

    Args:
        name: The name of the sample.

    Returns:
        The path.

    Raises:
        UsageError: No sample has this name.

    >>> sample_path("meddocan-dev").name
    'meddocan-dev-sample.jsonl.gz'
    """
    try:
        file = SAMPLES[name]
    except KeyError:
        raise UsageError(f"sample {name!r}: expected one of {', '.join(SAMPLES)}") from None
    return Path(str(files(__name__).joinpath(file)))


_FOLDER = "spark_deid/samples/"


def locate_sample(path: str) -> str:
    """Return a path as it is; one of a bundled sample, ``spark_deid/samples/...``, that is not here is the package's.

    So plans and pages can name samples in any folder.

    >>> locate_sample("notes"), Path(locate_sample("spark_deid/samples/mailbox-sample.mbox")).is_file()
    ('notes', True)
    """
    name = path.removeprefix(_FOLDER)
    if name != path and name in SAMPLES.values() and not exists(path):
        return str(files(__name__).joinpath(name))
    return path
