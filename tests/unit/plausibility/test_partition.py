"""Partitions of originals, by the tool and by the recount, on random ontologies and on diseases."""

import random
from pathlib import Path

import pytest

from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.ontology import ontology_at
from spark_deid.plausibility.recount.partition import RebuiltPartition, partition_of
from spark_deid.plausibility.text.blocks import BlockForm, CutReading, cut_reading_of
from spark_deid.plausibility.text.partition import sizes_of
from spark_deid.plausibility.text.settings import CutDemand, OntologyReading
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule

NAMES = ("alba", "beta", "gamma", "delta", "kappa", "omicron", "sigma", "theta", "zeta", "rho", "tau", "phi")
HEADS = ("ulcer", "cyst", "asthma", "cold")
FORMS = (BlockForm(), BlockForm(counted=True), BlockForm(counted=True, several=True))


def demand(path: Path, draw: random.Random) -> CutDemand:
    """Draw an ontology whose names hold words of one another, and what is asked of it."""
    concepts = []
    for node in range(draw.randint(3, 25)):
        ups = tuple(f"c{up}" for up in draw.sample(range(node), min(node, draw.randint(1, 2))))
        words = [f"{draw.choice(NAMES)} {draw.choice(NAMES)}n{node}" for _ in range(draw.randint(1, 2))]
        words += [f"{draw.choice(NAMES)}n{node} {draw.choice(HEADS)}"] if draw.random() < 0.4 else []
        words[0] = words[0] if draw.random() < 0.7 else f"{NAMES[node % len(NAMES)]}{node}"
        concepts.append(SourceConcept(f"c{node}", tuple(dict.fromkeys(words)), ups))
    save_arrays(path, pack_source(ConceptSource(tuple(concepts))), {"name": path.stem})
    ontology = ontology_at(str(path))
    below = tuple(ontology.name_of(c) for c in draw.sample(range(ontology.n_concepts), draw.randint(0, 2)))
    reading = OntologyReading(str(path), draw.choice(("first", "shortest", "smallest")), below=below)
    return CutDemand(reading, draw.choice((2, 4, 9)))


def nodes_of(cut: CutReading, form: BlockForm = FORMS[0]) -> list[dict[int, tuple[int, int]]]:
    return [
        {c: (part.node, part.originals) for c in cut.block_of for part in (cut.part(c, level, form),)}
        for level in range(1, len(cut.sizes) + 1)
    ]


def nodes_again(again: RebuiltPartition, form: BlockForm = FORMS[0]) -> list[dict[int, tuple[int, int]]]:
    return [
        {
            c: (part.node, part.counted if form.counted else part.size)
            for c in again.parts[0]
            for part in (again.written(c, level, counted=form.counted, several=form.several),)
        }
        for level in range(1, len(again.sizes) + 1)
    ]


@pytest.mark.parametrize("seed", range(25))
def test_the_tool_and_the_recount_build_one_partition(tmp_path: Path, seed: int) -> None:
    asked = demand(tmp_path / "drawn.npz", random.Random(seed))
    cut, again = cut_reading_of(asked), partition_of(asked)
    assert cut.sizes == again.sizes
    levels = nodes_again(again)
    for form in FORMS:
        assert nodes_of(cut, form) == nodes_again(again, form)
    for finer, coarser, size in zip(levels[1:], levels, cut.sizes, strict=False):
        assert all(number >= size for _, number in coarser.values())
        by_finer: dict[int, set[int]] = {}
        for concept, (node, _) in finer.items():
            by_finer.setdefault(node, set()).add(coarser[concept][0])
        assert all(len(nodes) == 1 for nodes in by_finer.values())


@pytest.mark.parametrize("t", [10, 64])
def test_diseases_have_one_partition_any_author_who_builds_it(t: int) -> None:
    asked = CutDemand(OntologyReading("wordnet", below=("disease",)), t)
    cut, again = cut_reading_of(asked), partition_of(asked)
    for form in FORMS:
        assert nodes_of(cut, form) == nodes_again(again, form)
    assert len(again.parts[0]) > 400


@pytest.mark.parametrize("t", [10, 64])
def test_what_is_written_for_a_form_is_written_for_enough_originals_with_it(t: int) -> None:
    cut = cut_reading_of(CutDemand(OntologyReading("wordnet", below=("disease",)), t))
    for blocks, size in enumerate(cut.sizes, 1):
        written: dict[int, list[int]] = {}
        for concept, block in cut.block_of.items():
            if cut.has_counted(block, blocks):
                written.setdefault(cut.part(concept, blocks, FORMS[1]).node, []).append(concept)
        for concepts in written.values():
            assert len(cut.words.counted.intersection(concepts)) >= size


def test_no_original_shares_a_word_with_a_name_that_is_written() -> None:
    cut = cut_reading_of(CutDemand(OntologyReading("wordnet", below=("physical condition", "symptom")), 64))
    ontology = cut.senses.ontology
    names = {ontology.name_of(part[0]) for level in nodes_of(cut) for part in level.values()}
    parted = [f" {name.lower().replace('-', ' ')} " for name in names]
    for concept in cut.block_of:
        for word in cut.words.by_concept[concept]:
            assert not any(f" {word.lower().replace('-', ' ')} " in name for name in parted), word


@pytest.mark.parametrize("t", [2, 3, 64, 1000, 1 << 32, (1 << 32) + 1, (1 << 62) - 1])
def test_sizes_are_the_least_whole_numbers_whose_powers_reach_t(t: int) -> None:
    sizes = sizes_of(t)
    assert sizes[-1] == 2
    for power, size in enumerate(sizes, 1):
        assert size**power >= t
        assert size == 2 or (size - 1) ** power < t


def test_a_replacement_that_is_not_its_block_s_is_refused() -> None:
    text = "He has measles."
    spans, rules = marked(text, "measles"), rule(t=10, search="cut", below=["disease"])
    edits = decided(text, spans, rules).edits
    assert published(text, spans, rules) == "He has contagious disease."
    assert not recounted(text, spans, edits, rules).faults
    for other in ("communicable disease", "skin disease", "disease"):
        wrong = [edit._replace(replacement=other) for edit in edits]
        assert recounted(text, spans, wrong, rules).faults["part"] == 1


def test_more_blocks_in_a_segment_are_written_by_smaller_parts() -> None:
    rules = rule(t=10, search="cut", below=["disease"], segment="sentence")
    alone, together = "He has breast cancer.", "He has breast cancer and measles."
    assert published(alone, marked(alone, "breast cancer"), rules) == "He has carcinoma."
    found = published(together, marked(together, "breast cancer", "measles"), rules)
    assert not recounted(
        together,
        marked(together, "breast cancer", "measles"),
        decided(together, marked(together, "breast cancer", "measles"), rules).edits,
        rules,
    ).faults
    assert "cancer" not in found
