"""Signatures as minisign makes them, and a key to make them with."""

import hashlib
from base64 import b64encode

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

STATED = "timestamp:1767225600\tfile:manifest.json\thashed"
"""The first second of 2026."""


class Owner:
    """Somebody with a pair of keys."""

    def __init__(self, seed: int = 1) -> None:
        self._secret = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.identity = bytes([seed]) * 8
        raw = self._secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key = b64encode(b"Ed" + self.identity + raw).decode()

    def signs(self, content: bytes, comment: str = STATED) -> str:
        signed = self._secret.sign(hashlib.blake2b(content).digest())
        parts = (b"ED" + self.identity + signed, self._secret.sign(signed + comment.encode()))
        one, two = (b64encode(part).decode() for part in parts)
        return f"untrusted comment: signature\n{one}\ntrusted comment: {comment}\n{two}\n"
