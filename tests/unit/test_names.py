"""Names of classes have two words as a rule and each is used once. Locals and tests have plain names."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from resources.words import word_list

TESTS = Path(__file__).parent
PACKAGE = TESTS.parents[1] / "spark_deid"
GLOSSARY = frozenset(
    {"Assessment", "Attacker", "Corpus", "Document", "Edit", "Manifest", "Ontology", "Plan", "Round", "Span"}
)
"""Nouns that the whole package shares, of which one word states all."""
PUBLIC = frozenset({"Redactor", "Sanitized"})
"""Names that scripts import from the package itself."""
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@cache
def modules() -> dict[str, ast.Module]:
    """Return what is written in each module, by its path in the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def classes() -> dict[str, list[str]]:
    """Return the modules of each public class, by its name."""
    found = defaultdict(list)
    for place, module in modules().items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(place)
    return found


def test_no_two_classes_have_one_name() -> None:
    assert {name: modules for name, modules in classes().items() if len(modules) > 1} == {}


def test_a_class_of_one_word_is_a_noun_of_the_glossary() -> None:
    single = {name for name in classes() if len(WORD.findall(name)) == 1}
    assert single - PUBLIC == GLOSSARY


FORBIDDEN = {
    *("told", "asked", "shown", "left", "sought", "standing", "handed", "beside", "strange", "dealt", "board", "rest"),
    *("teller", "ladder", "having", "made", "ruled"),
}
"""Words that this program's authors have among themselves, where the field has own words."""
DOCUMENTED = {
    "api/anonymize.py AnonymizedTable.told",
    "core/detector_kind.py DetectorKind.asked",
    "corpus/format.py CorpusFormat.left_out",
    "corpus/reading.py CorpusRecord.left_out",
    "guarantees/spark.py DecisionCounts.handed_back",
    "pipeline/warnings.py handed_back_of",
    "release/manifest.py Manifest.handed_back",
    "rewriting/decide.py DocumentEdits.handed_back",
}
"""Names that users and packages read, and those of the manifest's key ``handed_back``."""
SIDES = {"ontology/kernels/words.py _equal(left)", "repeats/shards/tries.py RangeLeaves.left"}
SIDES |= {"text/kernels/tokens.py _joins(left)"}
"""Left as against right."""


def named(node: ast.AST, path: str) -> Iterator[tuple[str, str]]:
    """Yield each class, function, parameter and field below a node: its own name, and where it is."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            place = f"{path}{'.' if ' ' in path else ' '}{child.name}"
            yield child.name, place
            if isinstance(child, ast.FunctionDef):
                given = child.args
                yield from ((each.arg, f"{place}({each.arg})") for each in (*given.args, *given.kwonlyargs))
            else:
                fields = [each.target for each in child.body if isinstance(each, ast.AnnAssign)]
                yield from ((each.id, f"{place}.{each.id}") for each in fields if isinstance(each, ast.Name))
            yield from named(child, place)
        else:
            yield from named(child, path)


def test_names_are_the_field_s_words() -> None:
    found = set()
    for place, module in modules().items():
        names = [(Path(place).stem, place), *named(module, place)]
        found |= {where for name, where in names if FORBIDDEN & {word.lower() for word in WORD.findall(name)}}
    assert found == DOCUMENTED | SIDES


SINGLE_WORDS = {
    *(
        "tell",
        "tells",
        "told",
        "telling",
        "say",
        "says",
        "said",
        "stand",
        "stands",
        "stood",
        "standing",
        "stay",
        "stays",
    ),
    *("alone", "apart", "alike", "anew", "beside", "lie", "lies", "brings", "brought", "mend", "mends", "mended"),
    *("nobody", "somebody", "everybody", "whoever", "whom", "capitals", "persons"),
}
"""The single words of level E in ``resources/words.txt``: names of locals and of tests contain not one of them."""


def listed_words(name: str) -> set[str]:
    """Return the words of a name that its authors replace in prose."""
    return SINGLE_WORDS & {word.lower() for word in WORD.findall(name)}


def local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that a function binds, without its parameters and names of other scopes."""
    nodes = [*ast.walk(function)]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return (
        bound - given - {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    )


def test_single_words_are_those_of_the_list_of_words() -> None:
    rules = [rule for rule in word_list().rules if rule.level == "E"]
    assert {word for word in SINGLE_WORDS if not any(rule.pattern.search(word) for rule in rules)} == set()


def test_locals_have_plain_names() -> None:
    functions = [
        (place, node)
        for place, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = {f"{place} {node.name}: {name}" for place, node in functions for name in local_names(node)}
    assert [each for each in sorted(found) if listed_words(each.rpartition(": ")[2])] == []


def test_tests_have_plain_names() -> None:
    tests = TESTS.parent
    names = {
        f"{path.relative_to(tests)} {name}"
        for path in tests.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert [each for each in sorted(names) if listed_words(each.rpartition(" ")[2])] == []


def test_folders_of_unit_tests_are_those_of_the_package() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    assert [str(folder) for folder in sorted(folders) if not (PACKAGE / folder).is_dir()] == []


PARTICIPLES = {"compiled", "inlined"}
"""Decorators state what a function is."""


def test_a_function_of_one_word_is_no_participle() -> None:
    named = {node.name for module in modules().values() for node in module.body if isinstance(node, ast.FunctionDef)}
    assert {name for name in named if re.fullmatch(r"[a-z]+(ed|ing)", name)} == PARTICIPLES
