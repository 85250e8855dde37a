"""Models that packages ship, this one and others: a name instead of a model folder.

A package brings one with an entry point of the group ``spark_deid.models`` whose value is the ``pathlib.Path`` of an
ordinary model folder; its key comes with it, so it is public, as the text that the model was trained on should be::

    [project.entry-points."spark_deid.models"]
    deutsch = "my_package:MODEL"
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import AfterValidator

from spark_deid.core.error_wording import did_you_mean, likely_word
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.registry import MethodRegistry

RECORD = "model.json"
"""The file that makes a folder a model folder."""
_DATA = Path(__file__).parent / "data"
LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "english": "en",
        "spanish": "es",
        "portuguese": "pt",
        "german": "de",
        "french": "fr",
        "dutch": "nl",
        "swedish": "sv",
        "norwegian": "no",
    }
)
"""The models that come with this package and their languages (ISO 639): names of people, places and organizations.

``resources/train_english.py`` and ``resources/train_names.py`` make them.
"""
ENGLISH, SPANISH, PORTUGUESE, GERMAN, FRENCH, DUTCH, SWEDISH, NORWEGIAN = (_DATA / name for name in LANGUAGES)
MODELS = MethodRegistry(
    noun="model",
    group="spark_deid.models",
    built_in=MappingProxyType({name: f"spark_deid.greedy.shipped:{name.upper()}" for name in LANGUAGES}),
    kind=Path,
    expected="the pathlib.Path of a model folder",
)


def model_folder(place: str | Path) -> Path:
    """Return the folder of a model that is named by a shipped one's name, or by its path.

    Names are compared without loading anything, so a broken package is in no one's way but of those who name its model.
    Raises UsageError where a name is both, or none but like a shipped one's, or where the package can't be loaded.
    """
    name = str(place)
    if name not in MODELS.names():
        meant = likely_word(name, MODELS.names())
        if meant and not Path(place).exists():
            raise UsageError(f"model {name}: no such folder, and no such shipped model{did_you_mean(meant)}")
        return Path(place)
    if (Path(place) / RECORD).exists():
        raise UsageError(
            f"model {name}: a shipped model and a local folder have this name. To use the folder, write "
            f"{Path(place).resolve()}"
        )
    return MODELS.find(name)


def check_named(place: str | Path) -> None:
    """Raise UsageError, with the names of shipped models, where a name is neither one of these nor a folder here."""
    name = str(place)
    if name not in MODELS.names() and len(Path(place).parts) == 1 and not Path(place).exists():
        known = ", ".join(sorted(MODELS.names()))
        raise UsageError(f"model {name}: no such folder, and no such shipped model. Installed models: {known}")


def _folder(place: Path | None) -> Path | None:
    try:
        return None if place is None else model_folder(place)
    except SparkDeidError as error:
        raise ValueError(str(error)) from None


NamedModel = AfterValidator(_folder)
"""Let an option that is a model folder be the name of a shipped model as well."""
