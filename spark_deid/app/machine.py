"""Examine the machine."""

from collections.abc import Callable

from spark_deid.app.examining import (
    DoctorFinding,
    check_disk,
    check_jars,
    check_java,
    check_loopback,
    check_memory,
    check_methods,
    check_packages,
    check_python,
    check_temporary_folder,
)
from spark_deid.engine.installed import CLASSIC, CLIENT, installed_version


def doctor(*, deep: bool = False) -> tuple[DoctorFinding, ...]:
    """Check Python, Java, the JARs, packages, memory, disk and network names; touch no network but loopback.

    ``deep`` also starts Spark, and writes and reads a small Delta table, which takes some ten seconds.
    """
    checks: tuple[Callable[[], DoctorFinding], ...] = (
        check_python,
        check_java,
        check_jars,
        check_packages,
        check_methods,
        check_memory,
        check_disk,
        check_temporary_folder,
        check_loopback,
    )
    if installed_version(CLASSIC) is None:
        checks = tuple(check for check in checks if check not in (check_java, check_jars))  # Sail needs neither
    findings = tuple(check() for check in checks)
    if all(installed_version(name) is None for name in (CLASSIC, CLIENT)):
        return findings  # check_packages reports it
    # Optional: an engine.
    from spark_deid.app.engine_checks import check_delta_table, check_engine

    findings = (*findings, check_engine())
    return (*findings, check_delta_table()) if deep else findings
