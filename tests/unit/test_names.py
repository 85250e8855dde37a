"""Names of classes say what they hold: two words as a rule, each name once in the whole package."""

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "spark_deid"
GLOSSARY = frozenset(
    {"Assessment", "Attacker", "Corpus", "Document", "Edit", "Manifest", "Ontology", "Plan", "Round", "Span"}
)
"""Nouns that the whole package shares, of which one word says all."""
PUBLIC = frozenset({"Sanitized"})
"""Names that scripts import from the package itself."""
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def classes() -> dict[str, list[str]]:
    """Return the modules of each public class, by its name."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def test_no_two_classes_have_one_name() -> None:
    assert {name: modules for name, modules in classes().items() if len(modules) > 1} == {}


def test_a_class_of_one_word_is_a_noun_of_the_glossary() -> None:
    single = {name for name in classes() if len(WORD.findall(name)) == 1}
    assert single - PUBLIC == GLOSSARY
