import hashlib
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine import jars
from spark_deid.engine.jars import (
    DELTA,
    JAR_PACKAGE,
    SPARKS,
    MavenJar,
    are_cached,
    cache_folders,
    delta_jars,
    fetch_jars,
    find_jars,
    jars_for,
    pinned_jars,
    provide_jars,
)

ROOT = Path(__file__).parents[3]

CONTENT = b"a small archive"
SMALL = MavenJar("org.example", "small", "1.0", hashlib.sha256(CONTENT).hexdigest())


class Repository(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path == "/maven/org/example/small/1.0/small-1.0.jar"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(CONTENT if known else b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def repository() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Repository)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/maven/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def one_small_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "delta_jars", lambda: (SMALL,))


def test_fetched_jar_is_found_afterwards(tmp_path: Path, repository: str) -> None:
    environment = {"SPARK_DEID_JARS": str(tmp_path / "jars"), "SPARK_DEID_MAVEN": repository}

    fetched = fetch_jars(environment)

    assert fetched == find_jars(environment) == (tmp_path / "jars" / "small-1.0.jar",)
    assert fetched[0].read_bytes() == CONTENT


def test_intact_jar_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / SMALL.file_name).write_bytes(CONTENT)

    assert fetch_jars({"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": "http://127.0.0.1:9"})


def test_damaged_jar_is_neither_used_nor_kept(tmp_path: Path, repository: str) -> None:
    environment = {"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": repository}
    (tmp_path / SMALL.file_name).write_bytes(b"torn")

    with pytest.raises(SparkDeidError, match="fetch them once"):
        find_jars(environment)
    assert fetch_jars(environment)[0].read_bytes() == CONTENT


def test_first_use_fetches_and_the_next_one_does_not(tmp_path: Path, repository: str) -> None:
    environment = {"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": repository}
    assert not are_cached(environment)
    assert provide_jars(environment)[0].read_bytes() == CONTENT
    assert are_cached(environment)
    assert provide_jars({**environment, "SPARK_DEID_MAVEN": "http://127.0.0.1:9"})


def test_another_checksum_leaves_nothing(tmp_path: Path, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "delta_jars", lambda: (SMALL._replace(sha256="0" * 64),))

    with pytest.raises(SparkDeidError, match="sha256"):
        fetch_jars({"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": repository})
    assert list(tmp_path.iterdir()) == []


def test_failed_download_reports_what_to_do(tmp_path: Path, repository: str) -> None:
    environment = {"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": f"{repository}elsewhere"}

    with pytest.raises(SparkDeidError, match="SPARK_DEID_MAVEN"):
        fetch_jars(environment)
    assert list(tmp_path.iterdir()) == []


def test_next_folder_serves_where_the_home_takes_no_files(
    tmp_path: Path, repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("a file, not a folder")
    monkeypatch.setattr("sys.prefix", str(tmp_path / "python"))

    fetched = fetch_jars({"HOME": str(tmp_path / "home"), "SPARK_DEID_MAVEN": repository})

    assert fetched[0].is_relative_to(tmp_path / "python")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site" / JAR_PACKAGE / "jars"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / SMALL.file_name).write_bytes(CONTENT)
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder


def test_the_package_that_provides_jars_comes_before_what_is_fetched(package: Path, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path / "home"), "SPARK_DEID_MAVEN": "http://127.0.0.1:9"}
    assert are_cached(environment)
    assert provide_jars(environment) == find_jars(environment) == (package / SMALL.file_name,)
    with pytest.raises(SparkDeidError, match="spark-deid-jars"):
        find_jars({"SPARK_DEID_JARS": str(tmp_path / "named")})


def test_of_another_version_of_the_package_nothing_is_taken(package: Path, tmp_path: Path, repository: str) -> None:
    (package / SMALL.file_name).write_bytes(b"of another version")
    environment = {"HOME": str(tmp_path / "home"), "SPARK_DEID_MAVEN": repository}
    assert provide_jars(environment)[0].is_relative_to(tmp_path / "home")


def test_the_package_of_jars_has_the_version_that_its_extra_names() -> None:
    of_jars, own = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"] for folder in ("packages/jars", ".")
    )
    assert own["optional-dependencies"]["jars"] == [f"{of_jars['name']}=={own['version']}"]
    assert of_jars["version"] == own["version"]


def test_named_folder_is_the_only_one() -> None:
    assert cache_folders({"SPARK_DEID_JARS": "/named", "HOME": "/home/x"}) == (Path("/named"),)


def test_home_comes_before_the_installation() -> None:
    first, second = cache_folders({"HOME": "/home/x"})

    assert first == Path("/home/x/.cache/spark-deid/jars")
    assert second.parts[-3:] == ("share", "spark-deid", "jars")


def test_each_spark_has_jars_of_its_own_and_of_one_delta() -> None:
    named = {minor: jars_for(f"{minor}.1") for minor in SPARKS}
    assert [pair[0].artifact for pair in named.values()] == [f"delta-spark_{minor}_2.13" for minor in SPARKS]
    assert len({pair[0].sha256 for pair in named.values()}) == len(SPARKS)
    assert len({pair[1] for pair in named.values()}) == 1
    assert {*pinned_jars()} == {jar for pair in named.values() for jar in pair}
    assert {jar.version for pair in named.values() for jar in pair} == {DELTA} == {version("delta-spark")}
    with pytest.raises(SparkDeidError, match=r"pyspark 4\.30\.0: expected one of 4\.0, 4\.1, 4\.2"):
        jars_for("4.30.0")


def test_the_spark_that_is_imported_counts_whatever_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.1.9")
    assert delta_jars() == jars_for("4.1.9")
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(SparkDeidError, match="pyspark can't be imported"):
        delta_jars()


def test_the_package_asks_for_the_versions_that_are_pinned() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["spark"]
    assert f"delta-spark=={DELTA}" in asked
    (spark,) = (SpecifierSet(each.removeprefix("pyspark[connect]")) for each in asked if each.startswith("pyspark"))
    assert [minor for minor in ("3.5", *SPARKS, "4.3") if f"{minor}.1" in spark or f"{minor}.0" in spark] == [*SPARKS]
