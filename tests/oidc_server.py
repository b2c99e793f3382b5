"""A real OpenID Connect server on a port of 127.0.0.1, whose tokens are signed; a test can have it lie."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "qreels", "a secret of the client"


class OidcServer:
    """Whoever comes is `person`. `lies` are claims said otherwise in the ID token; `key` signs it."""

    def __init__(self) -> None:
        self.key = self.published = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.algorithm = "RS256"
        self.person: dict[str, Any] = {}
        self.lies: dict[str, Any] = {}
        self.other_person: dict[str, Any] | None = None
        self.denies = False
        self.takes_any_verifier = False
        self.issuer = ""
        self._codes: dict[str, dict[str, str]] = {}

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.lies.get("issuer", self.issuer),
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> dict[str, Any]:
        key = jwt.algorithms.RSAAlgorithm.to_jwk(self.published.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": "first", "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the person is sent back to."""
        assert asked["response_type"] == "code" and asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        if self.denies:
            return f"{asked['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, sent: dict[str, str]) -> dict[str, Any] | None:
        """None for what a server refuses: a code that was used, of somebody else, or without its verifier."""
        asked = self._codes.pop(sent.get("code", ""), None)
        if asked is None or (sent.get("client_id"), sent.get("client_secret")) != (CLIENT, SECRET):
            return None
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        fits = base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
        if not fits and not self.takes_any_verifier:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims |= {**self.person, **self.lies}
        claims = {name: said for name, said in claims.items() if said is not None}
        key: Any = "a" * 64 if self.algorithm == "HS256" else None if self.algorithm == "none" else self.key
        signed = jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": "first"})
        return {"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 300, "id_token": signed}


def _handler(server: OidcServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                asked = {name: said[0] for name, said in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", server.authorize(asked))
                self.end_headers()
                return
            answers = {
                "/.well-known/openid-configuration": server.configuration,
                "/keys": server.keys,
                "/userinfo": lambda: server.other_person or server.person,
            }
            self._answer(answers[parts.path]())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(server.token({name: said[0] for name, said in parse_qs(body).items()}))

        def _answer(self, said: dict[str, Any] | None) -> None:
            body = json.dumps(said or {"error": "invalid_grant"}).encode()
            self.send_response(200 if said else 400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@contextmanager
def oidc_server() -> Iterator[OidcServer]:
    """A server that runs, with its own key."""
    server = OidcServer()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    server.issuer = f"http://127.0.0.1:{listening.server_port}"
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
