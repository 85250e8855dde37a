import pickle

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.items import list_items
from spark_deid.storage import s3
from spark_deid.storage.s3 import S3Settings, open_s3, s3_arguments, s3_settings

KEYS = {"access.key": "ak", "secret.key": "sk"}
OWN = {"AWS_ACCESS_KEY_ID": "eak", "AWS_SECRET_ACCESS_KEY": "esk", "AWS_SESSION_TOKEN": "et"}
IDENTITIES = [
    (KEYS, OWN, {"access_key": "ak", "secret_key": "sk"}),
    (KEYS | {"session.token": "t"}, OWN, {"access_key": "ak", "secret_key": "sk", "session_token": "t"}),
    ({"access.key": "ak"}, OWN, {"access_key": "eak", "secret_key": "esk", "session_token": "et"}),
    ({}, {key: OWN[key] for key in list(OWN)[:2]}, {"access_key": "eak", "secret_key": "esk"}),
    ({}, {"AWS_ACCESS_KEY_ID": "eak"}, {}),
    (
        KEYS
        | {"aws.credentials.provider": "\n x.EnvironmentVariableCredentialsProvider,\n o.SimpleAWSCredentialsProvider"},
        OWN,
        {"access_key": "eak", "secret_key": "esk", "session_token": "et"},
    ),
    (
        KEYS | {"session.token": "t", "aws.credentials.provider": "o.SimpleAWSCredentialsProvider"},
        OWN,
        {"access_key": "ak", "secret_key": "sk"},
    ),
    (KEYS | {"aws.credentials.provider": "o.AnonymousAWSCredentialsProvider"}, OWN, {"anonymous": True}),
    (KEYS | {"aws.credentials.provider": "o.IAMInstanceCredentialsProvider"}, OWN, {}),
    (KEYS | {"bucket.b.access.key": "bk", "bucket.c.secret.key": "no"}, {}, {"access_key": "bk", "secret_key": "sk"}),
]
PLACES = [
    ({}, {}, {"scheme": "https"}),
    ({"endpoint": "s3.amazonaws.com"}, {}, {"scheme": "https"}),
    ({"endpoint.region": "eu-west-3"}, {}, {"scheme": "https", "region": "eu-west-3"}),
    (
        {"endpoint": "s3.amazonaws.com", "endpoint.region": "eu-west-3"},
        {"AWS_ENDPOINT_URL": "http://other"},
        {"scheme": "https", "region": "eu-west-3", "endpoint_override": "s3.eu-west-3.amazonaws.com"},
    ),
    (
        {"endpoint": "s3.eu-central-1.amazonaws.com"},
        {},
        {
            "scheme": "https",
            "endpoint_override": "s3.eu-central-1.amazonaws.com",
            "region": "eu-central-1",
            "force_virtual_addressing": True,
        },
    ),
    (
        {"endpoint": "http://minio.example:9000/", "path.style.access": "true"},
        {"AWS_ENDPOINT_URL": "http://other"},
        {
            "scheme": "http",
            "endpoint_override": "minio.example:9000",
            "region": "us-east-2",
            "force_virtual_addressing": False,
        },
    ),
    (
        {"endpoint": "minio.example", "connection.ssl.enabled": "false", "endpoint.region": "r"},
        {},
        {"scheme": "http", "endpoint_override": "minio.example", "region": "r", "force_virtual_addressing": True},
    ),
    (
        {},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:5000"},
        {
            "scheme": "http",
            "endpoint_override": "127.0.0.1:5000",
            "region": "us-east-2",
            "force_virtual_addressing": False,
        },
    ),
    (
        {"bucket.b.endpoint": "https://near", "endpoint": "https://far"},
        {},
        {"scheme": "https", "endpoint_override": "near", "region": "us-east-2", "force_virtual_addressing": True},
    ),
]


@pytest.mark.parametrize(("given", "environment", "expected"), IDENTITIES)
def test_credentials_are_those_of_the_first_provider_that_has_some(
    given: dict[str, str], environment: dict[str, str], expected: dict[str, str | bool]
) -> None:
    settings = S3Settings(tuple((given | {"endpoint.region": "r"}).items()))
    assert s3_arguments(settings, "b", environment) == expected | {"scheme": "https", "region": "r"}


@pytest.mark.parametrize(("given", "environment", "expected"), PLACES)
def test_the_place_is_that_of_the_settings(
    given: dict[str, str], environment: dict[str, str], expected: dict[str, str | bool]
) -> None:
    settings = S3Settings(tuple((given | KEYS).items()))
    arguments = s3_arguments(settings, "b", environment)
    assert arguments == {"access_key": "ak", "secret_key": "sk"} | expected


@pytest.mark.parametrize("provider", ["org.example.VaultProvider", "org.apache.AssumedRoleCredentialProvider"])
def test_a_provider_that_pyarrow_cannot_follow_is_refused_by_name(provider: str) -> None:
    settings = S3Settings((("aws.credentials.provider", provider), *KEYS.items()))
    with pytest.raises(
        UsageError, match=rf"fs\.s3a\.aws\.credentials\.provider: workers cannot use {provider.rpartition('.')[2]}"
    ):
        s3_arguments(settings, "b", {})


def test_providers_without_credentials_are_reported() -> None:
    settings = S3Settings((("aws.credentials.provider", "o.SimpleAWSCredentialsProvider"),))
    with pytest.raises(UsageError, match="no listed provider has credentials"):
        s3_arguments(settings, "b", OWN)


def test_values_of_settings_are_not_shown_and_travel_to_workers() -> None:
    settings = S3Settings(tuple(KEYS.items()))
    assert "sk" not in repr(settings) + str(settings) + f"{(settings,)}"
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_settings_hold_within_their_block(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[S3Settings] = []
    monkeypatch.setattr(s3, "_file_system", lambda settings, bucket, environment: seen.append(settings))
    mine = S3Settings(tuple(KEYS.items()))
    with s3_settings(mine):
        assert open_s3("s3a://b/x/y")[1] == "b/x/y"
    open_s3("S3n://b/x")
    assert seen == [mine, S3Settings()]


def test_credentials_in_a_path_are_refused_without_being_shown() -> None:
    with pytest.raises(UsageError, match="contains credentials") as refused:
        list_items("s3a://ak:sk@bucket/x", find_format("text"))
    assert "ak:" not in str(refused.value)
