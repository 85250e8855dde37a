"""Token classifiers that packages ship: a name in place of a folder.

A package brings one with an entry point of the group ``spark_deid.token_classifiers`` whose value is the
``pathlib.Path`` of a folder as plans name them; its ``card.json`` may say what it is::

    [project.entry-points."spark_deid.token_classifiers"]
    deutsch = "my_package:MODEL"
"""

from pathlib import Path
from types import MappingProxyType

from spark_deid.core.error_wording import did_you_mean, likely_word
from spark_deid.core.errors import UsageError
from spark_deid.core.registry import MethodRegistry

ENGLISH_NEURAL = "english-neural"
"""The name of the one that belongs to this project, as a package of its own."""
TOKEN_CLASSIFIERS = MethodRegistry(
    noun="token classifier",
    group="spark_deid.token_classifiers",
    built_in=MappingProxyType({}),
    kind=Path,
    expected="the pathlib.Path of the folder of a token classifier",
)
INSTALL_ENGLISH = (
    f"{ENGLISH_NEURAL} comes by pip install '.[onnx]' ./packages/english_neural in a checkout, or by the wheels that"
    " ./dev build makes there"
)


def classifier_folder(place: str | Path) -> Path:
    """Return the folder of a token classifier.

    Args:
        place: A path, or the name of an installed classifier.

    Returns:
        The folder.

    Raises:
        UsageError: The name is also a file or folder here, which would change the meaning of a plan. Or it is neither:
            then the message lists the installed classifiers.
    """
    name, known = str(place), TOKEN_CLASSIFIERS.names()
    is_there = _is_there(place)
    if name in known:
        if is_there:
            raise UsageError(
                f"onnx: {name}: an installed token classifier and a local file have this name. To use the "
                f"local file, write {Path(place).resolve()}"
            )
        return TOKEN_CLASSIFIERS.find(name)
    if is_there:
        return Path(place)
    meant = "" if name == ENGLISH_NEURAL else did_you_mean(likely_word(name, {*known, ENGLISH_NEURAL}))
    raise UsageError(
        f"onnx: {name}: expected the folder of a token classifier in ONNX, or the name of an installed one "
        f"(installed: {', '.join(known) or 'none'}){meant or '.'} {INSTALL_ENGLISH}"
    )


def belongs_to_package(folder: Path) -> bool:
    """Tell whether a folder is that of an installed token classifier; one whose package is broken is none."""
    for name in TOKEN_CLASSIFIERS.names():
        try:
            if TOKEN_CLASSIFIERS.find(name).resolve() == folder.resolve():
                return True
        except UsageError:
            continue
    return False


def _is_there(place: str | Path) -> bool:
    try:
        return Path(place).exists()
    except OSError:  # a name that is too long for one, or a folder that may not be read
        return False
