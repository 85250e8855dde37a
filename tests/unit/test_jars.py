import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from spark_deid import jars
from spark_deid.core.errors import SparkDeidError
from spark_deid.jars import MavenJar, are_cached, cache_folders, fetch_jars, find_jars, provide_jars

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
    monkeypatch.setattr(jars, "DELTA_JARS", (SMALL,))


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
    monkeypatch.setattr(jars, "DELTA_JARS", (SMALL._replace(sha256="0" * 64),))

    with pytest.raises(SparkDeidError, match="sha256"):
        fetch_jars({"SPARK_DEID_JARS": str(tmp_path), "SPARK_DEID_MAVEN": repository})
    assert list(tmp_path.iterdir()) == []


def test_failed_download_says_what_to_do(tmp_path: Path, repository: str) -> None:
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


def test_named_folder_is_the_only_one() -> None:
    assert cache_folders({"SPARK_DEID_JARS": "/named", "HOME": "/home/x"}) == (Path("/named"),)


def test_home_comes_before_the_installation() -> None:
    first, second = cache_folders({"HOME": "/home/x"})

    assert first == Path("/home/x/.cache/spark-deid/jars")
    assert second.parts[-3:] == ("share", "spark-deid", "jars")
