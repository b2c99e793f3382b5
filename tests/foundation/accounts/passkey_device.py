"""A security key made of Python: it holds keys, counts its uses, and answers as a browser would for it."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

FLAG = AuthenticatorData.FLAG


@dataclass
class Device:
    """One key of it. `verifies`: whether it asks for a PIN; `origin`: the page that the browser shows."""

    origin: str = "http://localhost"
    verifies: bool = True
    count: int = 0
    counts: bool = True
    number: bytes = field(default_factory=lambda: os.urandom(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    owner: str = ""
    """The user handle that it was made with."""

    def _data(self, domain: str, made: AttestedCredentialData | None = None) -> AuthenticatorData:
        self.count += self.counts
        flags = FLAG.UP | (FLAG.UV if self.verifies else FLAG(0)) | (FLAG.AT if made else FLAG(0))
        return AuthenticatorData.create(hashlib.sha256(domain.encode()).digest(), flags, self.count, made or b"")

    def _answer(self, response: dict[str, bytes | str], **extensions: Any) -> str:
        number = websafe_encode(self.number)
        coded = {name: value if isinstance(value, str) else websafe_encode(value) for name, value in response.items()}
        whole = {"id": number, "rawId": number, "type": "public-key", "response": coded}
        return json.dumps(whole | {"clientExtensionResults": extensions})

    def create(self, options: dict[str, Any]) -> str:
        """The answer to what `navigator.credentials.create` was asked."""
        asked = options["publicKey"]
        self.owner = asked["user"]["id"]
        client = CollectedClientData.create("webauthn.create", asked["challenge"], self.origin)
        public = ES256.from_cryptography_key(self.key.public_key())
        made = AttestedCredentialData.create(b"\0" * 16, self.number, public)
        statement = AttestationObject.create("none", self._data(asked["rp"]["id"], made), {})
        return self._answer({"clientDataJSON": client, "attestationObject": statement}, credProps={"rk": True})

    def get(self, options: dict[str, Any]) -> str:
        """The answer to what `navigator.credentials.get` was asked."""
        asked = options["publicKey"]
        client = CollectedClientData.create("webauthn.get", asked["challenge"], self.origin)
        data = self._data(asked["rpId"])
        signature = self.key.sign(data + client.hash, ec.ECDSA(hashes.SHA256()))
        parts: dict[str, bytes | str] = {"clientDataJSON": client, "authenticatorData": data, "signature": signature}
        return self._answer(parts | {"userHandle": self.owner})
