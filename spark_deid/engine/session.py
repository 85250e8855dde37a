"""The only builder of Spark sessions: Delta, one time zone, quiet logs, encrypted spill, no web page."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pyspark import SparkConf
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.classic_part import Py4JError, SparkContext
from spark_deid.engine.embedded import embedded_runs, start_embedded, stop_embedded
from spark_deid.engine.engines import session_in_use
from spark_deid.engine.jars import are_cached, delta_jars, provide_jars
from spark_deid.engine.java import check_java
from spark_deid.engine.running import check_running, check_workers, refuse_connect, warnings_of_running
from spark_deid.engine.settings import COMMON, SessionPace, default_settings, is_local, read_properties

__all__ = ["SessionPace", "build_session", "embedded_scope", "running_session", "session_scope"]

LOCAL = "local[*]"
AUTHENTICATION_SECRET = "_SPARK_AUTH_SECRET"
"""The variable in which masters, workers and drivers read the secret of a cluster."""
_SPILL = "SPARK_LOCAL_DIRS"
_LOCAL_DIR, _WAREHOUSE = "spark.local.dir", "spark.sql.warehouse.dir"
# PySpark logs a failed query's message, values and all, to these.
_TALKATIVE = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
_FETCHED_ONCE = "Delta's JARs are fetched first, once, from Maven Central (SPARK_DEID_MAVEN names a mirror)"
_OF_A_SESSION = ("spark.sql.session.timeZone", "spark.databricks.delta.properties.defaults.dataSkippingNumIndexedCols")
_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


def build_session(
    *,
    app_name: str = "spark-deid",
    master: str | None = None,
    local_dir: Path | None = None,
    settings: Mapping[str, str] = _NO_SETTINGS,
    pace: SessionPace = SessionPace.LONG,
    engine: Literal["spark", "embedded"] = "spark",
) -> SparkSession:
    """Start a Spark session with Delta, or return the running one.

    Settings of a running session, of ``spark-submit`` and of ``spark-defaults.conf`` in the folder ``SPARK_CONF_DIR``
    are kept, the master included: only absent settings are added. Without a master the session is local, and its JVM
    gets 2 GB, or ``SPARK_DRIVER_MEMORY``.

    Args:
        app_name: The name of the session.
        master: A Spark master.
        local_dir: The folder of shuffle files, spill, the warehouse and the JVM's temporary files. By default, a local
            session creates one in the folder for temporary files, or in each of ``SPARK_LOCAL_DIRS`` or
            ``spark.local.dir``, which is removed when its JVM ends. Such folders are readable only by their owner (mode
            0700): one that others can enter gets a private folder inside. Spark chooses the place of saved tables.
        settings: Further settings, which replace all others.
        pace: Whether the session is for long or short work.
        engine: ``embedded`` starts Sail in this process, which needs no Java, and returns its session of Spark
            Connect. It ignores all arguments except ``local_dir``. A classic session can be built as well.

    Returns:
        The session.

    Raises:
        SparkDeidError: Delta's JARs or Java are missing.
        UsageError: Workers of a cluster have another Python or other files of this package.
    """
    if engine == "embedded":
        return start_embedded(local_dir=local_dir)
    for name in _TALKATIVE:
        logging.getLogger(name).disabled = True
    given = _given()
    chosen_master = given.get("spark.master") or master or LOCAL
    folders = _private_folders(chosen_master, local_dir, {**given, **settings}.get(_LOCAL_DIR))
    wanted = _added_settings(app_name, chosen_master, folders[0] if folders else local_dir, pace)
    if local_dir is None:
        wanted.pop(_WAREHOUSE, None)
    begins, jars = running_session() is None, {}
    if begins:
        if not is_submitted() and SparkContext._gateway is None:
            check_java()  # before Spark's own scripts report it in other words
        _prepare_process(chosen_master)
        jars = {"spark.jars": with_delta_jars(given.get("spark.jars", ""))}
    with _spilling_to(folders):
        spark = _start({key: value for key, value in wanted.items() if key not in given} | dict(settings) | jars)
    if local_dir is None:
        _remove_at_end(folders)
    if begins and not is_local(chosen_master):
        _check_workers(spark)
    return spark


def _added_settings(app_name: str, master: str, local_dir: Path | None, pace: SessionPace) -> dict[str, str]:
    """Return the settings that a session gets if they are absent."""
    added = default_settings(master, local_dir, pace)
    added["spark.app.name"] = app_name
    if is_submitted():
        # A JVM that runs already has Spark's own logs, which can quote documents; failures are reported without them.
        added["spark.log.level"] = "OFF"
    if AUTHENTICATION_SECRET in os.environ:
        # Spark takes the environment's value before this one, but wants to see the key.
        added["spark.authenticate.secret"] = "of-the-environment"
    return added


def running_session() -> SparkSession | None:
    """Return the session of this process as it is, whichever thread began it; None where none runs."""
    if SparkContext._active_spark_context is None:
        return None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def session_notice() -> str:
    """State where the session of a command comes from, and how a running one is less private than a new one."""
    running = running_session()
    if running is None:
        return "start Spark" if are_cached() else f"start Spark; {_FETCHED_ONCE}"
    return "\n".join(
        ["use the Spark session that runs", *(f"warning: {each}" for each in warnings_of_running(running))]
    )


@contextmanager
def embedded_scope(local_dir: Path | None = None, reason: str = "") -> Iterator[SparkSession]:
    """Give the session of the embedded engine, whose temporary files are in a private folder below ``local_dir``.

    If this begins the engine for ``local_dir``, the engine ends with the block; otherwise later calls use it too.
    """
    begins = not embedded_runs()
    spark = start_embedded(local_dir=local_dir)
    try:
        with session_in_use(spark, reason):
            yield spark
    finally:
        if begins and local_dir is not None:
            stop_embedded()


@contextmanager
def session_scope(
    *,
    app_name: str,
    master: str | None = None,
    local_dir: Path | None = None,
    settings: Mapping[str, str] = _NO_SETTINGS,
    pace: SessionPace = SessionPace.LONG,
    needs_delta: bool = True,
    reason: str = "",
) -> Iterator[SparkSession]:
    """Give a session as ``build_session`` does, and stop it at the end.

    If one runs, the given session shares its context and has separate settings. The running one is checked
    first, is unchanged afterwards, and continues. Otherwise a started JVM ends: ``local_dir`` would remain its
    folder of spill for the next session.

    Raises UsageError where the running session can't be used, which names what it lacks.
    """
    refuse_connect()
    running = running_session()
    if running is not None:
        check_running(running, needs_delta=needs_delta)
        with _sibling_session(running, settings) as spark, session_in_use(spark):
            yield spark
        return
    jvm_ran_before = is_submitted() or SparkContext._gateway is not None
    spark = build_session(app_name=app_name, master=master, local_dir=local_dir, settings=settings, pace=pace)
    try:
        with session_in_use(spark, reason):
            yield spark
    finally:
        spark.stop()
        if not jvm_ran_before:
            _end_jvm()


@contextmanager
def _sibling_session(running: SparkSession, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """Give a session of the running one's context with settings of our own, and leave that one active as it was."""
    given = dict(running.sparkContext.getConf().getAll())
    wanted = {key: value for key, value in COMMON.items() if key.startswith("spark.sql.execution")}
    wanted |= {key: COMMON[key] for key in _OF_A_SESSION if key not in given}
    spark = running.newSession()
    for key, value in (wanted | dict(settings)).items():
        if spark.conf.isModifiable(key):
            spark.conf.set(key, value)
    try:
        yield spark
    finally:
        SparkSession._activeSession = running
        _running_jvm().org.apache.spark.sql.classic.SparkSession.setActiveSession(running._jsparkSession)


def _end_jvm() -> None:
    """End the JVM of this process, and let the next session start another."""
    gateway: Any = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


def _given() -> dict[str, str]:
    active = running_session()
    if active is not None:
        return dict(active.sparkContext.getConf().getAll())
    if is_submitted():
        SparkContext._ensure_initialized()
        return dict(SparkConf().getAll())
    folder = os.environ.get("SPARK_CONF_DIR")
    return read_properties(Path(folder) / "spark-defaults.conf") if folder else {}


def is_submitted() -> bool:
    """Return whether ``spark-submit`` started this process."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _prepare_process(master: str) -> None:
    """Set the values that Spark reads only from the environment."""
    if is_submitted():
        return
    if not is_local(master):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _private_folders(master: str, local_dir: Path | None, named: str | None) -> tuple[Path, ...]:
    """Return the folders of spill of a local JVM that is about to start, their owner's only; none if it runs already.

    ``named`` are Spark's folders by settings, with commas between. Raises SparkDeidError.
    """
    if not is_local(master) or is_submitted() or SparkContext._gateway is not None or running_session() is not None:
        return ()
    chosen = str(local_dir) if local_dir is not None else os.environ.get(_SPILL) or named or tempfile.gettempdir()
    places = [Path(each.strip()).absolute() for each in chosen.split(",") if each.strip()]
    try:
        return tuple(_private_inside(place, keeps=local_dir is not None) for place in places)
    except OSError as error:
        raise SparkDeidError(
            f"{error.filename}: no private folder can be made for Spark's local files ({error.strerror}); set "
            f"{_SPILL} to a folder that can be written to"
        ) from None


def _private_inside(place: Path, *, keeps: bool) -> Path:
    """Return the folder if it ``keeps`` and is private, and otherwise a new private folder inside."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if keeps and not place.stat().st_mode & 0o077:
        return place
    return Path(tempfile.mkdtemp(prefix="spark-deid-", dir=place))


def _remove_at_end(folders: tuple[Path, ...]) -> None:
    """Let the JVM remove folders when it ends, after it has closed the files in them."""
    for folder in folders:
        with suppress(Py4JError):
            jvm = _running_jvm()
            jvm.org.apache.spark.util.ShutdownHookManager.registerShutdownDeleteDir(jvm.java.io.File(str(folder)))


@contextmanager
def _spilling_to(folders: tuple[Path, ...]) -> Iterator[None]:
    """Set the folders of spill where a JVM that starts looks first, and set them back for later ones."""
    before = os.environ.get(_SPILL)
    if folders:
        os.environ[_SPILL] = ",".join(map(str, folders))
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SPILL, None)
        else:
            os.environ[_SPILL] = before


def _running_jvm() -> Any:
    if SparkContext._jvm is None:
        raise SparkDeidError("spark-submit started no JVM")
    return SparkContext._jvm


def _check_workers(spark: SparkSession) -> None:
    """Check the workers of a session that has just begun, and end it where they can't do the work."""
    try:
        check_workers(spark)
    except BaseException:
        spark.stop()
        raise


def with_delta_jars(given: str) -> str:
    """Return JARs, commas between, with those of Delta that are not among them, in any version.

    Those that this machine lacks are fetched.
    """
    there = [jar.strip() for jar in given.split(",") if jar.strip()]
    names, pinned = [jar.rpartition("/")[2] for jar in there], delta_jars()
    if all(any(jar.artifact in name for name in names) for jar in pinned):
        return ",".join(there)
    paths = [
        path
        for path, jar in zip(provide_jars(), pinned, strict=True)
        if not any(jar.artifact in name for name in names)
    ]
    if is_submitted() or SparkContext._gateway is not None:
        _load_into_driver(tuple(paths))
    return ",".join([*there, *map(str, paths)])


def _load_into_driver(paths: tuple[Path, ...]) -> None:
    """Add JARs to the classes of a JVM that runs already; its executors get them by ``spark.jars``."""
    jvm = _running_jvm()
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for path in paths:
        loader.addURL(jvm.java.net.URI(path.as_uri()).toURL())


def _start(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise SparkDeidError(
            "Spark's JVM did not start: it needs Java 17 or later; `spark-deid doctor` names the problem"
        ) from error
