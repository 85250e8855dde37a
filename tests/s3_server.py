"""Serve S3 on this machine until stdin ends: prints where, and the only keys that it lets in, as a line of JSON."""

import json
import sys
from urllib.request import Request, urlopen

import boto3
from moto.server import ThreadedMotoServer

_POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


def main(bucket: str, *places: str) -> None:
    """Serve a bucket; ``places`` are keys and the local files that are there, in turn."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    given = {
        "endpoint_url": endpoint,
        "region_name": "us-east-1",
        "aws_access_key_id": "any",
        "aws_secret_access_key": "any",
    }
    iam, s3 = (boto3.client(name, **given) for name in ("iam", "s3"))
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(_POLICY))
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    s3.create_bucket(Bucket=bucket)
    for name, path in zip(places[::2], places[1::2], strict=True):
        s3.upload_file(path, bucket, name)
    # From now on every request is checked: its key, its signature, and what the key's owner may do.
    urlopen(Request(f"{endpoint}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"}, method="POST")).read()
    print(
        json.dumps({"endpoint": endpoint, "access": key["AccessKeyId"], "secret": key["SecretAccessKey"]}), flush=True
    )
    sys.stdin.read()
    server.stop()


main(*sys.argv[1:])
