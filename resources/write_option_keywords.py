"""Write spark_deid/api/option_keywords.py: the types of the keywords of ``sd.*``, from the classes of options."""

import types
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from spark_deid import app
from spark_deid.app.options.tables import RecodingOptions
from spark_deid.core.options import CommandOptions

MODULE = Path(__file__).resolve().parents[1] / "spark_deid" / "api" / "option_keywords.py"
FUNCTIONS: dict[str, tuple[type[CommandOptions], frozenset[str]]] = {
    "train": (app.TrainOptions, frozenset({"input", "format", "output"})),
    "evaluate": (app.EvaluateOptions, frozenset({"gold", "format", "model", "spans", "plan"})),
    "attack": (app.AttackOptions, frozenset({"release", "workspace", "gold", "format"})),
    "anonymize": (
        RecodingOptions,
        frozenset({"quasi", "model", "sensitive", "keep", "population", "workspace", "previous"}),
    ),
    "representation.build_embeddings": (app.EmbeddingsOptions, frozenset({"source", "output"})),
    "representation.learn_embeddings": (app.LearnEmbeddingsOptions, frozenset({"input", "format", "output"})),
    "representation.pseudonymize": (
        app.PseudonymizeOptions,
        frozenset({"input", "format", "embeddings", "output"}),
    ),
    "representation.train": (
        app.TrainRepresentationOptions,
        frozenset({"input", "format", "embeddings", "output"}),
    ),
    "representation.transform": (
        app.TransformOptions,
        frozenset({"input", "format", "representation", "embeddings", "output"}),
    ),
    "representation.pool": (app.PoolOptions, frozenset({"releases", "representation", "embeddings", "output"})),
}
"""The options of each function, and those that are parameters of the function with names."""
_HEAD = '''\
"""Types of the keywords of ``sd.*``: the options of the commands. ``resources/write_option_keywords.py`` writes it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict
'''


def module() -> str:
    """Return the module."""
    return "\n".join([_HEAD, *(line for name in FUNCTIONS for line in _class(name))]).rstrip("\n") + "\n"


def _class(name: str) -> Iterator[str]:
    options, parameters = FUNCTIONS[name]
    yield from ("", f"class {options.__name__.removesuffix('Options')}Keywords(TypedDict, total=False):")
    yield from (f'    """Options of ``sd.{name}``."""', "")
    for field, info in options.model_fields.items():
        if field not in parameters:
            yield f"    {field}: {accepted(info.annotation)}"
    yield ""


def accepted(annotation: Any) -> str:
    """Write the type of values that an option accepts.

    >>> accepted(tuple[int, ...]), accepted(Path | None), accepted(Literal["a", "b"])
    ('Sequence[int]', 'str | Path | None', "Literal['a', 'b']")
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return accepted(parts[0])
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(accepted, parts)))
    if origin is tuple:
        return f"Sequence[{accepted(parts[0])}]"
    if origin is dict:
        return f"Mapping[{', '.join(map(accepted, parts))}]"
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, parts))}]"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"Literal[{', '.join(repr(str(each.value)) for each in annotation)}]"
    return {Path: "str | Path", type(None): "None"}.get(annotation) or annotation.__name__


if __name__ == "__main__":
    MODULE.write_text(module(), encoding="utf-8")
