"""The keywords of ``sd.*`` are typed by the classes of options."""

import ast
import inspect
from functools import reduce
from typing import Any, get_args, get_type_hints

import pytest

import spark_deid as sd
from resources import write_option_keywords


def test_the_module_is_written_from_the_options() -> None:
    written = ast.parse(write_option_keywords.MODULE.read_text(encoding="utf-8"))
    expected = ast.parse(write_option_keywords.module())
    assert ast.dump(written) == ast.dump(expected), "run resources/write_option_keywords.py"


@pytest.mark.parametrize("name", write_option_keywords.FUNCTIONS)
def test_parameters_and_keywords_are_all_options(name: str) -> None:
    function: Any = reduce(getattr, name.split("."), sd)
    options, parameters = write_option_keywords.FUNCTIONS[name]
    (keywords,) = get_args(inspect.signature(function).parameters["options"].annotation)
    assert set(get_type_hints(keywords)) | parameters == set(options.model_fields)
    assert parameters <= set(inspect.signature(function).parameters)
