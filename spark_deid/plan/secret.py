"""The secret of a run: from a file, from the environment, or a random one."""

import os
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import random_key, read_key

VARIABLE = "SPARK_DEID_KEY_FILE"


class SecretKey(NamedTuple):
    """A key, and whether a later run can have the same one."""

    key: bytes
    repeatable: bool


def find_secret(key_file: Path | None) -> SecretKey:
    """Read the plan's key file, else the one that SPARK_DEID_KEY_FILE names, else draw a random key.

    Raises UsageError where a named file can't be read.
    """
    if key_file is not None:
        return SecretKey(read_key(key_file), True)
    named = os.environ.get(VARIABLE)
    if named is not None:
        if not named:
            raise UsageError(f"{VARIABLE}: expected the path of a key file, got nothing")
        return SecretKey(read_key(Path(named)), True)
    return SecretKey(random_key(), False)
