"""The addresses that webhooks go to: public ones alone, every one of a name, looked up once, within a time for all."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from foundation.models import Account
from foundation.refused import Refused
from foundation.webhooks import sending
from foundation.webhooks.addresses import addresses_of, is_public, read_address
from foundation.webhooks.kinds import TEST
from foundation.webhooks.services import make_webhook
from tests.foundation.webhooks.receiver import HERE, receiver

pytestmark = pytest.mark.django_db


@contextmanager
def silent(*, lets_in: bool) -> Iterator[int]:
    """A port of all of 127.0.0.0/8 that says nothing: connections wait, or are let in and then wait."""
    with socket.socket() as door:
        door.bind(("0.0.0.0", 0))
        door.listen(50 if lets_in else 0)
        port = door.getsockname()[1]
        waiting = []
        for _ in range(0 if lets_in else 2):
            waiting.append(socket.socket())
            waiting[-1].setblocking(False)
            waiting[-1].connect_ex(("127.0.0.1", port))
        try:
            yield port
        finally:
            for connection in waiting:
                connection.close()


@pytest.mark.parametrize(("scheme", "lets_in"), [("http", False), ("http", True), ("https", True)])
def test_a_name_with_eight_silent_addresses_takes_no_longer_than_one(
    settings: Any, monkeypatch: Any, scheme: str, lets_in: bool
) -> None:
    """No connection stands, no answer comes, no handshake goes on: the time is over for all of them together."""
    settings.WEBHOOK_NETWORKS = HERE
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.4)
    real, tried = socket.create_connection, []

    asked = socket.getaddrinfo

    def eight(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if host != "hooks.example.org":
            return asked(host, port, *more, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{number}", port)) for number in range(1, 9)]

    def noted(address: Any, **more: Any) -> Any:
        tried.append(more["timeout"])
        return real(address, **more)

    monkeypatch.setattr(socket, "getaddrinfo", eight)
    with silent(lets_in=lets_in) as port:
        monkeypatch.setattr(socket, "create_connection", noted)
        event = {"secret": sending.PREFIX + "A" * 44, "number": "1", "kind": TEST, "attempt": 1, "body": "{}"}
        answer = sending.post(f"{scheme}://hooks.example.org:{port}/", **event)  # type: ignore[arg-type]
    assert (answer.status, answer.problem) == (None, "No answer came in time.")
    assert sum(tried[:1]) <= 0.4 / 8 + 0.01 and answer.seconds < sending.CONNECT_SECONDS


def test_a_name_server_that_says_nothing_is_not_waited_for(settings: Any, monkeypatch: Any) -> None:
    settings.WEBHOOK_NETWORKS = HERE
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.2)
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: answered.wait(30) and [])
    event = {"secret": sending.PREFIX + "A" * 44, "number": "1", "kind": TEST, "attempt": 1, "body": "{}"}
    answer = sending.post("https://hooks.example.org/", **event)  # type: ignore[arg-type]
    answered.set()
    assert "no name server answered in time" in answer.problem and answer.seconds < 20


def test_every_address_of_a_name_has_to_be_allowed_whichever_comes_first(settings: Any, monkeypatch: Any) -> None:
    settings.WEBHOOK_NETWORKS = HERE

    def answering(*addresses: str) -> None:
        infos = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: infos)

    place = read_address("https://hooks.example.org/")
    answering("127.0.0.1", "9.9.9.9")
    assert addresses_of(place, seconds=5) == ["127.0.0.1", "9.9.9.9"]
    for addresses in (("10.9.9.9", "127.0.0.1"), ("127.0.0.1", "10.9.9.9"), ("9.9.9.9", "127.0.0.1", "10.9.9.9")):
        answering(*addresses)
        with pytest.raises(Refused, match=r"10\.9\.9\.9, which isn't a public address"):
            addresses_of(place, seconds=5)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "192.0.2.7", "::1", "::", "fe80::1", "fc00::1", "::ffff:10.0.0.1"),
        *("64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::", "2001:0:a00:1::", "ff02::1", "ff0e::1"),
        *("fec0::1", "feff::1", "::127.0.0.1", "::ffff:0:127.0.0.1", "::ffff:127.0.0.1", "::1.1.1.1", "100::1"),
        *("2001:db8::1", "3fff::1", "5f00::1", "2001:10::1", "192.0.0.9", "192.88.99.1", "198.18.0.1", "240.0.0.1"),
        *("64:ff9b::8.8.8.8", "2002:808:808::1", "fd00::1", "4000::1"),
    ],
)
def test_no_address_of_one_s_own_network_is_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    shown = f"[{address}]" if ":" in address else address
    with pytest.raises(Refused, match="public address"):
        account = Account(pk=0)
        make_webhook(account=account, collection=None, address=f"https://{shown}/", kinds=["job.ended"])


PUBLIC = ("93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "2a00:1450::1", "2001:4860:4860::8888", "9.9.9.9")


def test_public_addresses_are() -> None:
    assert all(is_public(ipaddress.ip_address(address)) for address in PUBLIC)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("", "expected an address such as"),
        ("ftp://example.org/", "expected an address such as"),
        ("https://", "expected an address such as"),
        ("https://example.org:99999/", "expected an address such as"),
        ("https://example.org:0/", "expected an address such as"),
        ("https://example.org:00/", "expected an address such as"),
        ("https://exa mple.org/", "expected an address such as"),
        ("https://example.org/\r\nX: 1", "expected an address such as"),
        ("https://example.org/" + "x" * 500, "expected an address such as"),
        ("https://ada:secret@example.org/", "expected one without"),
        ("https://example.org/#top", "expected one without"),
        ("http://example.org/", "expected https"),
    ],
)
def test_an_address_that_can_t_be_is_refused_with_a_word(address: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        read_address(address)


def test_a_name_is_looked_up_once_and_the_address_that_was_checked_is_asked(
    settings: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    settings.WEBHOOK_NETWORKS = HERE
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.example.org")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example.org")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "site.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + secret)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    asked: list[str] = []
    context.sni_callback = lambda connection, host, context: asked.append(str(host))
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    answers = {"hooks.example.org": ["127.0.0.1", "10.9.9.9"], "other.example.org": ["127.0.0.1"]}
    real = socket.getaddrinfo

    def changing(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        # What a name server answers is another address each time.
        return real(answers[host].pop(0) if host in answers else host, port, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    event = {"secret": sending.PREFIX + "A" * 44, "number": "1", "kind": TEST, "attempt": 1, "body": "{}"}
    with receiver(context) as there:
        answer = sending.post(f"https://hooks.example.org:{there.port}/", **event)  # type: ignore[arg-type]
        assert (answer.status, answer.problem) == (204, "")
        assert there.got[0].headers["host"] == f"hooks.example.org:{there.port}" and asked == ["hooks.example.org"]
        wrong = sending.post(f"https://other.example.org:{there.port}/", **event)  # type: ignore[arg-type]
        assert wrong.status is None and "certificate" in wrong.problem.lower()
        changed = sending.post(f"https://hooks.example.org:{there.port}/", **event)  # type: ignore[arg-type]
        assert "10.9.9.9, which isn't a public address" in changed.problem and len(there.got) == 1
