"""Keyed hashes and fingerprints."""

import hashlib
import hmac
import json
import secrets
from pathlib import Path

from spark_deid.core.errors import UsageError

KEY_BYTES = 32


def random_key() -> bytes:
    """Draw a new secret key of 32 bytes."""
    return secrets.token_bytes(KEY_BYTES)


def read_key(path: Path) -> bytes:
    """Read a key file: hexadecimal digits, or raw bytes; at least 16 bytes either way."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot read the key file ({error.strerror}). Expected a file of 32 bytes") from error
    stripped = raw.strip()
    try:
        key = bytes.fromhex(stripped.decode("ascii"))
    except ValueError:
        key = raw
    if len(key) < 16:
        raise UsageError(f"{path}: expected a key of at least 16 bytes, got {len(key)}")
    return key


def write_key(path: Path, key: bytes) -> None:
    """Write a key as hexadecimal digits, readable by its owner only (mode 0600)."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(key.hex() + "\n", encoding="ascii")


def keyed_hash(key: bytes, *parts: str) -> str:
    """Return 32 hexadecimal digits that depend on the key and on every part and its place.

    >>> keyed_hash(b"k" * 32, "ab", "c") == keyed_hash(b"k" * 32, "a", "bc")
    False
    """
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


def keyed_number(key: bytes, *parts: str) -> int:
    """Return a number of 128 bits that depends on the key and on every part and its place; quicker than a keyed hash.

    >>> keyed_number(b"k" * 32, "ab", "c") == keyed_number(b"k" * 32, "a", "bc")
    False
    """
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = ",".join(map(str, map(len, encoded))).encode("ascii")
    text = b":".join((lengths, *encoded))
    return int.from_bytes(hashlib.blake2b(text, digest_size=16, key=_short(key)).digest(), "big")


class KeyedDraws:
    """Draw numbers that depend on a key and on parts, of which the first are shared by all of them.

    >>> draws = KeyedDraws(b"k" * 32, "subject p")
    >>> draws.number("ab", "c") == draws.number("a", "bc"), draws.number("ab").bit_length() <= KeyedDraws.BITS
    (False, True)
    """

    BITS = 512

    def __init__(self, key: bytes, *shared: str) -> None:
        self._begun = hashlib.blake2b(_framed(shared), digest_size=self.BITS // 8, key=_short(key))

    def number(self, *parts: str) -> int:
        """Return a number of 512 bits; no one can show it without the key."""
        digest = self._begun.copy()
        digest.update(_framed(parts))
        return int.from_bytes(digest.digest(), "big")


def _framed(parts: tuple[str, ...]) -> bytes:
    """Write parts with their lengths, so that no other parts are written in the same way."""
    return "".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")


def _short(key: bytes) -> bytes:
    return key if len(key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.sha512(key).digest()


def fingerprint(value: object) -> str:
    """Return the sha256 of a JSON value in canonical form."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file, read in blocks.

    Args:
        path: The file.

    Returns:
        64 hexadecimal digits.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
