"""Minisign's signatures of a release's manifest: made by any of its tools, checked here by `cryptography`.

The manifest states the SHA-256 of every file, so that its signature is one of the whole release. Source: minisign's
description of its formats: a key is `Ed`, 8 bytes of an id, 32 of Ed25519; a signature is `ED` (of the file's BLAKE2b)
or `Ed` (of the file), the id, 64 bytes; a second one signs the first and the trusted comment.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import EvaluationError, InputError, shown

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_COMMENT, _TRUSTED = "untrusted comment: ", "trusted comment: "


@dataclass(frozen=True, slots=True)
class Key:
    """A public key: its id, 8 bytes, and what verifies by it."""

    identity: bytes
    verifier: Ed25519PublicKey

    @property
    def name(self) -> str:
        """Its id as minisign shows it."""
        return _name(self.identity)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a `.minisig` has. Attributes: identity: of the key. signed: the file. whole: both others."""

    algorithm: bytes
    identity: bytes
    signed: bytes
    comment: str
    whole: bytes

    @property
    def time(self) -> datetime | None:
        """When it was made, by its trusted comment, as minisign writes that."""
        stated = re.search(r"\btimestamp:(\d{1,11})(?!\d)", self.comment)
        return datetime.fromtimestamp(int(stated[1]), UTC) if stated else None


def read_key(text: str) -> Key:
    """A public key. Args: text: its line, or the path of its file.

    Raises: EvaluationError for what is none, or without the package cryptography.
    """
    try:
        content = Path(text).read_text(encoding="utf-8") if Path(text).is_file() else text
    except (OSError, ValueError):
        content = ""
    return key_of(content, told=text)


def key_of(text: str, *, told: str = "") -> Key:
    """A public key. Args: text: its line, or all of its file. told: what messages call it, which may be no public one.

    Raises: EvaluationError as of `read_key`.

    >>> key_of("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").name
    'E7620F1842B4E81F'
    """
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise EvaluationError("signatures need the package cryptography: pip install 'qreels-eval[signed]'") from error
    try:
        raw = b64decode(text.strip().splitlines()[-1], validate=True)
    except (IndexError, ValueError):
        raw = b""
    if len(raw) != 42 or not raw.startswith(b"Ed"):
        raise EvaluationError(
            f"found the key {shown(told or text)}, expected a public key of minisign, or the file that has it"
        )
    return Key(raw[2:10], Ed25519PublicKey.from_public_bytes(raw[10:]))


def check_signature(path: Path, signature: Path, key: Key) -> Iterator[str]:
    """What is wrong with the signature of a file, if anything. Args: signature: the file's `.minisig`.

    Raises: EvaluationError for a signature that isn't there or can't be read.
    """
    if not signature.is_file():
        raise InputError(signature, "", found="no such file", expected="a signature that minisign made of the manifest")
    read = read_signature(signature.read_bytes(), signature)
    yield from faults_of(read, path.read_bytes(), key, names=(signature.name, path.name))


def faults_of(signature: Signature, content: bytes, key: Key, *, names: tuple[str, str]) -> Iterator[str]:
    """What is wrong with the signature of a file's content, if anything. Args: names: the signature's, the file's."""
    from cryptography.exceptions import InvalidSignature

    name, signed = names
    try:
        if signature.identity != key.identity:
            yield f"{name} is of the key {_name(signature.identity)}, expected {key.name}"
            return
        wrong = f"{name} isn't the signature of this {signed}"
        hashed = signature.algorithm == b"ED"
        key.verifier.verify(signature.signed, hashlib.blake2b(content).digest() if hashed else content)
        wrong = f"{name} has another trusted comment than was signed"
        key.verifier.verify(signature.whole, signature.signed + signature.comment.encode())
    except InvalidSignature:
        yield wrong


def _name(identity: bytes) -> str:
    """A key's id as minisign shows it."""
    return identity[::-1].hex().upper()


def read_signature(content: bytes, path: Path) -> Signature:
    """The signature that a file has. Args: path: its name, for messages. Raises: InputError."""
    try:
        lines = content.decode().rstrip("\r\n").split("\n")
        first, one, second, two = (line.rstrip("\r") for line in lines)
        raw, whole = b64decode(one, validate=True), b64decode(two, validate=True)
        good = first.startswith(_COMMENT) and second.startswith(_TRUSTED) and len(raw) == 74 and len(whole) == 64
        good = good and b"\0" not in content
    except ValueError:
        good = False
    if not good or raw[:2] not in (b"Ed", b"ED"):
        raise InputError(path, "", found="no signature", expected="the four lines of one of minisign's")
    return Signature(raw[:2], raw[2:10], raw[10:], second.removeprefix(_TRUSTED), whole)
