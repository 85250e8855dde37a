"""What shards and ranges of prefixes send each other: one file a sender and round, with a message to each receiver.

Files and not Spark's shuffles, since the folder that keeps the shards' state is seen by every worker anyway: a shuffle
would take each byte from Python to the JVM and back, which costs as much processor time as merging it. And what was
sent is still there where a worker is lost.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def write_messages(path: Path, messages: Sequence[bytes]) -> int:
    """Write a message to each receiver, numbered from 0 on; return the bytes. The file is whole, or absent.

    It begins with where each message does, and the last ends, as 8 bytes each. Attempts of one task write the same.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    bounds = np.cumsum([8 * (len(messages) + 1), *(len(message) for message in messages)], dtype=np.int64)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with open(handle, "wb") as file:
            file.write(bounds.tobytes())
            file.writelines(messages)
        os.replace(unfinished, path)
    except BaseException:
        # A full disk would be fuller with each attempt.
        os.unlink(unfinished)
        raise
    return int(bounds[-1])


def read_message(path: Path, receiver: int) -> bytes:
    """Read what a sender wrote to one receiver."""
    with path.open("rb") as file:
        file.seek(8 * receiver)
        begin, end = np.frombuffer(file.read(16), np.int64).tolist()
        file.seek(begin)
        return file.read(end - begin)
