"""Minisign's signatures of a release's manifest: made by any of its tools, checked here by `cryptography`.

The manifest states the SHA-256 of every file, so that its signature is one of the whole release. Source: minisign's
description of its formats: a key is `Ed`, 8 bytes of an id, 32 of Ed25519; a signature is `ED` (of the file's BLAKE2b)
or `Ed` (of the file), the id, 64 bytes; a second one signs the first and the trusted comment.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
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


def read_key(text: str) -> Key:
    """A public key. Args: text: its line, or the path of its file.

    Raises: EvaluationError for what is none, or without the package cryptography.

    >>> _name(read_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").identity)
    'E7620F1842B4E81F'
    """
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise EvaluationError("signatures need the package cryptography: pip install 'qreels-eval[signed]'") from error
    line = text
    try:
        if Path(text).is_file():
            line = Path(text).read_text(encoding="utf-8").strip().splitlines()[-1]
        raw = b64decode(line, validate=True)
    except (OSError, IndexError, ValueError):
        raw = b""
    if len(raw) != 42 or not raw.startswith(b"Ed"):
        raise EvaluationError(
            f"found the key {shown(text)}, expected a public key of minisign, or the file that has it"
        )
    return Key(raw[2:10], Ed25519PublicKey.from_public_bytes(raw[10:]))


def check_signature(path: Path, signature: Path, key: Key) -> Iterator[str]:
    """What is wrong with the signature of a file, if anything. Args: signature: the file's `.minisig`.

    Raises: EvaluationError for a signature that isn't there or can't be read.
    """
    from cryptography.exceptions import InvalidSignature

    algorithm, signer, signed, comment, whole = _read(signature)
    content = path.read_bytes()
    try:
        if signer != key.identity:
            yield f"{signature.name} is of the key {_name(signer)}, expected {_name(key.identity)}"
            return
        wrong = f"{signature.name} isn't the signature of this {path.name}"
        key.verifier.verify(signed, hashlib.blake2b(content).digest() if algorithm == b"ED" else content)
        wrong = f"{signature.name} has another trusted comment than was signed"
        key.verifier.verify(whole, signed + comment)
    except InvalidSignature:
        yield wrong


def _name(identity: bytes) -> str:
    """A key's id as minisign shows it."""
    return identity[::-1].hex().upper()


def _read(signature: Path) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Algorithm, id of the key, signature, trusted comment, signature of these two."""
    if not signature.is_file():
        raise InputError(signature, "", found="no such file", expected="a signature that minisign made of the manifest")
    try:
        lines = signature.read_bytes().decode().rstrip("\r\n").split("\n")
        first, one, second, two = (line.rstrip("\r") for line in lines)
        raw, whole = b64decode(one, validate=True), b64decode(two, validate=True)
        good = first.startswith(_COMMENT) and second.startswith(_TRUSTED) and len(raw) == 74 and len(whole) == 64
    except ValueError:
        good = False
    if not good or raw[:2] not in (b"Ed", b"ED"):
        raise InputError(signature, "", found="no signature", expected="the four lines of one of minisign's")
    return raw[:2], raw[2:10], raw[10:], second.removeprefix(_TRUSTED).encode(), whole
