from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from spark_deid.core.csv_dialect import LONGEST_TEXT, limit_cells
from spark_deid.core.errors import UsageError
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.ontology.sources.reading import build, read_source
from spark_deid.plausibility.term_generalization import climb

ANIMALS = "term,parent\nanimal,\ncat,animal\ndog,animal\ntabby,cat\nmanx,cat\npet,animal\ntabby,pet\n"


def built(place: Path, name: str = "made") -> Ontology:
    output = place.parent / f"{name}.npz"
    build(read_source(str(place)), name, output)
    return ontology_at(str(output))


def written(folder: Path, text: str, name: str = "x.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def told(folder: Path, text: str) -> list[str]:
    return [fault.message for fault in read_source(str(written(folder, text))).faults]


def path_of(ontology: Ontology, term: str) -> dict[str, int]:
    nodes, _, volumes = climb(ontology, [ontology.concept(term)])
    return {ontology.name_of(node): volume for node, volume in zip(nodes.tolist(), volumes.tolist(), strict=True)}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_of_hypernyms_becomes_an_ontology(tmp_path: Path, delimiter: str) -> None:
    animals = built(written(tmp_path, ANIMALS.replace(",", delimiter)))
    assert path_of(animals, "Tabbies") == {"cat": 2, "animal": 3}
    assert animals.about == {"name": "made", "source": "hypernyms"}
    assert [animals.name_of(node) for node in animals.path(animals.concept("tabby"), "smallest")][1] == "pet"


def test_terms_are_those_that_they_look_like(tmp_path: Path) -> None:
    terms = "term,parent\nsaloon,\ncaf\u00ad\u00e9,saloon\nc\u200bafe\u0301,saloon\n b\u00adar ,sa\u2060loon\n"
    assert path_of(built(written(tmp_path, terms)), "caf\u00e9") == {"saloon": 2}
    saloons = built(written(tmp_path, "caf\u00ade\u0301;sa\u200bloon;*\nbar;saloon;*\n", "y.csv"), "arx")
    assert path_of(saloons, "caf\u00e9") == {"saloon": 2, "*": 2}


def test_parquet_gives_the_ontology_that_csv_gives(tmp_path: Path) -> None:
    rows = [line.split(",") for line in ANIMALS.splitlines()[1:]]
    terms, parents = zip(*rows, strict=True)
    table = pa.table({"parent": [parent or None for parent in parents], "term": terms})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "folder").mkdir()
    pyarrow.parquet.write_table(table, tmp_path / "folder" / "part.parquet")
    built(written(tmp_path, ANIMALS), "csv")
    for name in ("x.parquet", "folder"):
        build(read_source(str(tmp_path / name)), "csv", tmp_path / f"{name}.npz")
        assert (tmp_path / f"{name}.npz").read_bytes() == (tmp_path / "csv.npz").read_bytes()


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (ANIMALS, []),
        ("parent;term\n;a\na;b\n", []),
        ("term,parent\na,\n,a\n", ["line 3: the term is empty"]),
        (
            "term,parent\na,\nb,c\nd,c\n",
            ['line 3, line 4: the parent "c" is not a term. Add a row for it, with'],
        ),
        ("term,parent\nroot,\na,b\nb,c\nc,a\nd,a\n", ["line 3: a circle: a > b > c > a"]),
        ("term,parent\na,a\n", ["line 2: a circle: a > a", "there is no root: every term has a parent"]),
        ("term,parent\na,\nb,\nc,b\n", ["2 roots, expected one: a, b"]),
        ("term,parent\nx,\nTurkey,x\nturkey,x\n", ['line 3, line 4: "Turkey" and "turkey" differ only in case']),
        ("term,parent\n", ["there are no rows"]),
        ("Paris;France;Europe\nRome;Italy;Europe\n", []),
        ("Paris;France\nRome;Italy\n", []),
        ("a;b;c\nd;e\n", ["line 2: expected 3 labels, found 2"]),
        ("a;b;c\nd;b;e\n", ['line 2: "b" has the parent "e", but "c" in line 1']),
        ("a;b\na;b\n", ['line 2: the base value "a" is already in line 1']),
        ("a;b\n;b\n", ["line 2: a label is empty"]),
        ("paris;F\nPARIS;F\n", ['line 1, line 2: "paris" and "PARIS" differ only in case']),
    ],
)
def test_each_fault_is_reported_in_a_line(tmp_path: Path, text: str, faults: list[str]) -> None:
    found = told(tmp_path, text)
    assert len(found) == len(faults)
    assert all(line.startswith(fault) for line, fault in zip(found, faults, strict=True))


def test_grave_faults_are_refused_all_at_once(tmp_path: Path) -> None:
    place = written(tmp_path, "term,parent\na,b\nb,a\nc,x\n")
    with pytest.raises(UsageError, match=r"(?s)the parent .x. is not a term.*a circle.*no root"):
        built(place)
    assert not (tmp_path / "made.npz").exists()


def test_several_roots_are_built_all_the_same(tmp_path: Path) -> None:
    assert path_of(built(written(tmp_path, "term,parent\na,\nb,\nc,b\nd,b\n")), "c") == {"b": 2}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\nc,d\n", "line 1: expected columns"),
        ("", "line 1: expected"),
        ("term,parent\n" + "x" * 200_000, "at most 131,072"),
    ],
)
def test_other_text_is_refused(tmp_path: Path, text: str, line: str) -> None:
    limit_cells(LONGEST_TEXT)  # as after reading a corpus
    with pytest.raises(UsageError, match=line):
        read_source(str(written(tmp_path, text)))


def test_other_files_are_refused_by_what_they_lack(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"term,parent\n\xff,a\n")
    pyarrow.parquet.write_table(pa.table({"word": ["a"]}), tmp_path / "x.parquet")
    for name, expected in (("x.csv", "UTF-8, byte 12"), ("x.parquet", "columns named term"), ("y.csv", "no such file")):
        with pytest.raises(UsageError, match=expected):
            read_source(str(tmp_path / name))


def test_a_hierarchy_keeps_its_levels_and_is_given_a_root(tmp_path: Path) -> None:
    cities = built(written(tmp_path, "Paris;Paris;France\nVersailles;Paris;France\nRome;Lazio;Italy\n"))
    assert path_of(cities, "Versailles") == {"Paris": 2, "France": 2, "*": 3}
    assert path_of(cities, "Rome") == {"*": 3}
    assert len(cities.senses_of(cities.lemma("Paris") or 0)) == 2


SYNSETS = (  # words, file and number in it, hypernyms by number, gloss
    (("entity", 3, 0), (), "that which exists"),
    (("plant", 20, 0), (0,), "a living thing that grows in soil"),
    (("drug", 6, 0), (0,), "a substance that is smoked"),
    (("pot_plant", 20, 0), (1,), "hemp that grows"),
    (("pot", 6, 0), (2,), "what is smoked"),
)


def test_wordnet_is_read_through_nltk(tmp_path: Path) -> None:
    folder = wordnet_in(tmp_path)
    read = read_source(f"nltk:{folder}")
    build(read, "small", tmp_path / "small.npz")
    small = ontology_at(str(tmp_path / "small.npz"))
    pot = small.lemma("pots") or 0
    assert [[small.name_of(node) for node in small.path(sense)] for sense in small.senses_of(pot).tolist()] == [
        ["pot", "drug", "entity"],
        ["pot plant", "plant", "entity"],
    ]
    assert small.sense_key(pot, 0) == "pot%1:06:00::"
    assert small.concept("pot", "pot%1:20:01::") == small.concept("pot plant")
    assert small.lemma("potten") == pot


def wordnet_in(folder: Path) -> Path:
    """Write WordNet's own files of a few synsets; "pot" is a synonym of "pot plant" too, and its second sense."""
    offsets, data = [], ""
    for (word, file, _), above, gloss in SYNSETS:
        offsets.append(len(data))
        words = f"02 {word} 0 pot 1" if word == "pot_plant" else f"01 {word} 0"
        pointers = "".join(f" @ {offsets[number]:08d} n 0000" for number in above)
        data += f"{offsets[-1]:08d} {file:02d} n {words} {len(above):03d}{pointers} | {gloss}  \n"
    senses = {word: [offset] for ((word, *_), *_), offset in zip(SYNSETS, offsets, strict=True)}
    senses["pot"].append(offsets[3])
    index = "".join(
        f"{word} n {len(own)} 1 @ {len(own)} 0 {' '.join(f'{offset:08d}' for offset in own)}  \n"
        for word, own in sorted(senses.items())
    )
    files = {"data.noun": data, "index.noun": index, "noun.exc": "potten pot\n"}
    files |= {f"{kind}.{part}": "" for kind in ("data", "index") for part in ("adj", "adv", "verb")}
    files |= {f"{part}.exc": "" for part in ("adj", "adv", "verb")} | {"cntlist.rev": "", "index.sense": ""}
    files["lexnames"] = "".join(f"{number:02d}\tname.{number}\t1\n" for number in range(30))
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_a_folder_without_wordnet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a WordNet; data\.noun"):
        read_source(f"nltk:{tmp_path}")
