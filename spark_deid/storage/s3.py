"""S3 by pyarrow as Spark reaches it: Hadoop's settings ``fs.s3a.*`` of a session, and without them the environment."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from pyarrow import fs

from spark_deid.core.errors import UsageError

_SCHEME = re.compile(r"s3[an]?://", re.IGNORECASE)
_REGION = re.compile(r"(?:.*\.)?s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?")
_CENTRAL = ("", "s3.amazonaws.com")
_OTHER_REGION = "us-east-2"
"""Region for which Hadoop signs at an endpoint that shows none (DefaultS3ClientFactory of hadoop-aws 3.5)."""
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_PROVIDERS = "fs.s3a.aws.credentials.provider"
_TEMPORARY, _SIMPLE = "TemporaryAWSCredentialsProvider", "SimpleAWSCredentialsProvider"
_ENVIRONMENT, _MACHINE = "EnvironmentVariableCredentialsProvider", "IAMInstanceCredentialsProvider"
_ANONYMOUS = ("AnonymousAWSCredentialsProvider", "AnonymousCredentialsProvider")
_BY_PYARROW = (
    _MACHINE,
    "ContainerCredentialsProvider",
    "DefaultAWSCredentialsProviderChain",
    "DefaultCredentialsProvider",
    "InstanceProfileCredentialsProvider",
    "ProfileCredentialsProvider",
    "WebIdentityTokenFileCredentialsProvider",
)
"""Providers whose credentials pyarrow finds separately."""


@dataclass(frozen=True)
class S3Settings:
    """Hadoop's settings of S3 as pairs of names, without ``fs.s3a.``, and values; those of a bucket are ``bucket.B.N``.

    Values are secrets: they are not shown.
    """

    pairs: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def of_bucket(self, bucket: str) -> dict[str, str]:
        """Return the settings for a bucket, its own before those of all."""
        own = f"bucket.{bucket}."
        common = {name: value.strip() for name, value in self.pairs if not name.startswith("bucket.")}
        return common | {name.removeprefix(own): value.strip() for name, value in self.pairs if name.startswith(own)}


NO_S3_SETTINGS = S3Settings()
_IN_FORCE = ContextVar("s3_settings", default=NO_S3_SETTINGS)


@contextmanager
def s3_settings(settings: S3Settings) -> Iterator[None]:
    """Let files of S3 be opened with a session's settings within the block."""
    token = _IN_FORCE.set(settings)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def is_s3(path: str) -> bool:
    """Return whether a path is a URI of S3, by any of Hadoop's names of it.

    >>> is_s3("s3a://bucket/x"), is_s3("S3://bucket/x"), is_s3("gs://bucket/x")
    (True, True, False)
    """
    return _SCHEME.match(path) is not None


def open_s3(path: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a URI of S3, and the path in it, which begins with the bucket.

    Raises UsageError for credentials in the URI and for providers of credentials that pyarrow can't follow; OSError.
    """
    inner = _SCHEME.sub("", path, count=1)
    bucket = inner.partition("/")[0]
    if "@" in bucket:
        raise UsageError(
            "a path of S3 contains credentials. Set fs.s3a.access.key and fs.s3a.secret.key, or environment "
            "variables, instead"
        )
    environment = tuple((name, os.environ[name]) for name in (*_KEYS, *_ENDPOINTS) if os.environ.get(name))
    return _file_system(_IN_FORCE.get(), bucket, environment), inner


@lru_cache(maxsize=8)
def _file_system(settings: S3Settings, bucket: str, environment: tuple[tuple[str, str], ...]) -> fs.FileSystem:
    arguments = s3_arguments(settings, bucket, dict(environment))
    if "region" not in arguments:
        arguments["region"] = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(**arguments)


def s3_arguments(settings: S3Settings, bucket: str, environment: Mapping[str, str]) -> dict[str, str | bool]:
    """Return the arguments of pyarrow's S3FileSystem for a bucket; without a region where AWS has to be asked for it.

    As hadoop-aws 3.5 reads them. An endpoint that is none of AWS gets the bucket in its path where
    ``path.style.access`` states it, or where it is a number or this machine, whose names have no parts.

    Raises UsageError.
    """
    given = settings.of_bucket(bucket)
    return _identity(given, environment) | _place(given, environment)


def _identity(given: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str | bool]:
    """Return the credentials of the first provider that has some, in the order of Hadoop or of the setting."""
    access, secret, token = (given.get(name, "") for name in ("access.key", "secret.key", "session.token"))
    own = [environment.get(name, "") for name in _KEYS]
    order = (_TEMPORARY, _SIMPLE, _ENVIRONMENT, _MACHINE)
    named = [name for name in re.split(r"[\s,]+", given.get("aws.credentials.provider", "")) if name]
    for provider in [name.rpartition(".")[2] for name in named] or order:
        if provider == _TEMPORARY and access and secret and token:
            return {"access_key": access, "secret_key": secret, "session_token": token}
        if provider == _SIMPLE and access and secret:
            return {"access_key": access, "secret_key": secret}
        if provider == _ENVIRONMENT and own[0] and own[1]:
            token_of_own: dict[str, str | bool] = {"session_token": own[2]} if own[2] else {}
            return {"access_key": own[0], "secret_key": own[1], **token_of_own}
        if provider in _ANONYMOUS:
            return {"anonymous": True}
        if provider in _BY_PYARROW:
            return {}
        if provider not in (_TEMPORARY, _SIMPLE, _ENVIRONMENT):
            raise UsageError(
                f"{_PROVIDERS}: workers cannot use {provider}, because pyarrow does not support it. Expected "
                f"one of {', '.join((_TEMPORARY, _SIMPLE, _ENVIRONMENT, _ANONYMOUS[0], *_BY_PYARROW))}"
            )
    raise UsageError(
        f"{_PROVIDERS}: no listed provider has credentials. Expected fs.s3a.access.key and fs.s3a.secret.key, "
        f"or {_KEYS[0]} and {_KEYS[1]}"
    )


def _place(given: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str | bool]:
    """Return endpoint, scheme, region and where the bucket occurs."""
    result = given.get("endpoint", "")
    elsewhere = next((environment[name] for name in _ENDPOINTS if environment.get(name)), "")
    if not result and "endpoint" not in given:
        result = elsewhere
    scheme, _, host = result.rpartition("://")
    host, region = host.rstrip("/"), given.get("endpoint.region", "")
    plain = given.get("connection.ssl.enabled", "true").lower() == "false"
    place: dict[str, str | bool] = {"scheme": scheme.lower() or ("http" if plain else "https")}
    if host in _CENTRAL:
        # pyarrow would take the environment's endpoint where it is given none.
        place |= {"endpoint_override": f"s3.{region}.amazonaws.com"} if region and elsewhere else {}
        return place | ({"region": region} if region else {})
    match = _REGION.fullmatch(host)
    place |= {"endpoint_override": host, "region": region or (match[1] if match else _OTHER_REGION)}
    in_path = given.get("path.style.access", "false").lower() == "true" or _has_no_parts(host)
    return place | {"force_virtual_addressing": not in_path}


def _has_no_parts(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    return name == "localhost" or re.fullmatch(r"[\d.]+|.*:.*", name) is not None
