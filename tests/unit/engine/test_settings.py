import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkContext

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine import session
from spark_deid.engine.settings import SessionPace, check_answers, check_master, default_settings, read_properties


def test_properties_are_read_as_spark_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "spark-defaults.conf"
    path.write_text("# a comment\n\nspark.a   one two\nspark.b=three\n  spark.c = four\nspark.d\n")

    read = read_properties(path)

    assert read == {"spark.a": "one two", "spark.b": "three", "spark.c": "four", "spark.d": ""}


def test_missing_file_gives_no_settings(tmp_path: Path) -> None:
    assert read_properties(tmp_path / "none") == {}


@pytest.mark.parametrize("master", ["local[2]", "spark://127.0.0.1:7077"])
def test_every_session_encrypts_spill_and_shows_no_page(master: str) -> None:
    settings = default_settings(master, None, SessionPace.LONG)

    assert settings["spark.io.encryption.enabled"] == "true"
    assert settings["spark.ui.enabled"] == settings["spark.eventLog.enabled"] == "false"


def test_size_of_a_cluster_is_left_to_its_files() -> None:
    settings = default_settings("spark://127.0.0.1:7077", None, SessionPace.SHORT)

    assert not {"spark.driver.memory", "spark.sql.shuffle.partitions", "spark.driver.host"} & settings.keys()
    assert "TieredStopAtLevel" not in settings["spark.driver.defaultJavaOptions"]


def test_the_full_compiler_and_more_partitions_of_a_shuffle_come_with_longer_runs() -> None:
    told = {pace: default_settings("local[1]", None, pace) for pace in SessionPace}

    compiled_in_full = {pace: "Tiered" not in told[pace]["spark.driver.defaultJavaOptions"] for pace in SessionPace}
    assert compiled_in_full == {SessionPace.SHORT: False, SessionPace.MEDIUM: False, SessionPace.LONG: True}
    assert [told[pace]["spark.sql.shuffle.partitions"] for pace in SessionPace] == ["2", "16", "16"]


def test_driver_memory_of_the_environment_occurs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_DRIVER_MEMORY", raising=False)
    assert default_settings("local[1]", None, SessionPace.SHORT)["spark.driver.memory"] == "2g"

    monkeypatch.setenv("SPARK_DRIVER_MEMORY", "5g")
    assert "spark.driver.memory" not in default_settings("local[1]", None, SessionPace.SHORT)


def test_temporary_files_are_in_the_local_folder_even_with_a_blank_in_its_name() -> None:
    settings = default_settings("local[1]", Path("/a folder"), SessionPace.SHORT)

    assert settings["spark.local.dir"] == "/a folder"
    assert '"-Djava.io.tmpdir=/a folder"' in settings["spark.driver.defaultJavaOptions"]
    assert settings["spark.sql.warehouse.dir"] == "file:///a%20folder/warehouse"


def test_workers_are_spoken_to_through_files_where_their_names_fit() -> None:
    key = "spark.python.unix.domain.socket.enabled"
    assert default_settings("local[1]", Path("/short"), SessionPace.SHORT)[key] == "true"
    assert key not in default_settings("local[1]", Path("/long" * 20), SessionPace.SHORT)
    assert key not in default_settings("spark://127.0.0.1:7077", Path("/short"), SessionPace.SHORT)


def test_cluster_file_is_as_safe_as_the_sessions() -> None:
    given = read_properties(Path(__file__).parents[3] / "conf" / "spark-defaults.conf")

    assert given["spark.authenticate"] == given["spark.io.encryption.enabled"] == "true"
    assert given["spark.eventLog.enabled"] == given["spark.ui.enabled"] == given["spark.master.rest.enabled"] == "false"
    assert not any("secret" in key for key in given)


DELTA, STORAGE = Path("/jars/delta-spark_4.2_2.13-4.4.0.jar"), Path("/jars/delta-storage-4.4.0.jar")


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ("", [DELTA, STORAGE]),
        ("/ivy/org.apache.hadoop_hadoop-aws-3.4.1.jar", [DELTA, STORAGE]),
        ("/ivy/io.delta_delta-storage-4.4.0.jar,/ivy/a.jar", [DELTA]),
        ("/ivy/io.delta_delta-spark_4.2_2.13-4.4.0.jar,file:///ivy/io.delta_delta-storage-4.4.0.jar", []),
    ],
)
def test_jars_that_are_given_get_those_of_delta_that_are_missing(
    given: str, added: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[object] = []
    monkeypatch.setattr(session, "provide_jars", lambda: (DELTA, STORAGE))
    monkeypatch.setattr(session, "_load_into_driver", loaded.append)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    expected = ",".join(filter(None, [given, *map(str, added)]))
    monkeypatch.setattr(SparkContext, "_gateway", None)
    assert (session.with_delta_jars(given), loaded) == (expected, [])
    monkeypatch.setattr(SparkContext, "_gateway", object())
    assert session.with_delta_jars(given) == expected
    assert loaded == ([tuple(added)] if added else [])


@pytest.mark.parametrize("master", ["spark:/host", "spark://host", "locale[2]", "local[2", "host:7077", ""])
def test_what_is_no_master_is_reported_with_what_is(master: str) -> None:
    with pytest.raises(UsageError, match=r"^--master: expected local\[4\], spark://host:7077"):
        check_master(master)


@pytest.mark.parametrize(
    "master",
    [
        "local",
        "local[*]",
        "local[2,3]",
        "local-cluster[2,1,1024]",
        "yarn",
        "k8s://https://h:1",
        "spark://a:7077,b:7077",
    ],
)
def test_masters_that_spark_knows_are_taken(master: str) -> None:
    check_master(master)


@pytest.fixture
def port() -> Iterator[tuple[socket.socket, int]]:
    """Give a port of this machine at which nothing listens yet."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken, taken.getsockname()[1]


def test_a_standalone_master_that_nothing_answers_for_is_reported(port: tuple[socket.socket, int]) -> None:
    place, number = port
    for master in (
        f"spark://127.0.0.1:{number}",
        f"spark://127.0.0.1:{number},no-such-host.invalid:7077",
        "spark://a:99999",
    ):
        with pytest.raises(SparkDeidError, match=f"^--master: nothing answers at {master}; "):
            check_answers(master, 1)
    place.listen()
    check_answers(f"spark://no-such-host.invalid:7077,127.0.0.1:{number}", 1)


def test_masters_of_other_kinds_are_not_tried() -> None:
    for master in ("local[2]", "yarn", "k8s://https://no-such-host.invalid:1"):
        check_answers(master, 0.1)
