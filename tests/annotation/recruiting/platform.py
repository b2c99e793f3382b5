"""A platform on this machine: it sends people by an address, and hears of them again at the end."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from annotation.models import Recruitment
from annotation.recruiting.recruitments import Terms, make_recruitment
from foundation.models import Membership


class Platform:
    """What came back, as (method, path, parameters), and where it listens."""

    def __init__(self) -> None:
        heard: list[tuple[str, str, dict[str, list[str]]]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._hear("")

            def do_POST(self) -> None:
                self._hear(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _hear(self, body: str) -> None:
                address = urlsplit(self.path)
                heard.append((self.command, address.path, parse_qs(body or address.query)))
                self.send_response(200)
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"Done.")

            def log_message(self, *args: Any) -> None:
                pass

        self.heard = heard
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"

    def press(self, page: str) -> None:
        """Press the button of a page that leads here, as a browser would: its form or its link."""
        form = re.search(rf'<form method="post" action="({self.origin}[^"]*)">(.*?)</form>', page, re.DOTALL)
        if form:
            pairs = re.findall(r'name="(\w+)" value="([^"]*)"', form[2])
            body = "&".join(f"{name}={unescape(value)}" for name, value in pairs).encode()
            urlopen(Request(form[1], body)).close()
            return
        link = re.search(rf'href="({self.origin}[^"]*)"', page)
        assert link, "no way back on this page"
        urlopen(unescape(link[1])).close()


@contextmanager
def platform() -> Iterator[Platform]:
    made = Platform()
    thread = Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()


def recruit(lead: Membership, **terms: Any) -> Recruitment:
    """A recruitment on Prolific whose sessions are complete by two judgments, but for what is said otherwise."""
    usual = {"name": "First wave", "platform": "prolific", "until": "judgments", "amount": 2, "code": "DONE1"}
    return make_recruitment(lead=lead, terms=Terms(**usual | terms))


def entry(recruitment: Recruitment, person: str = "pid1", session: str = "s1", study: str = "st1") -> str:
    """The address by which a platform sends a person."""
    names = (recruitment.person_parameter, recruitment.session_parameter, recruitment.study_parameter)
    query = "&".join(f"{name}={value}" for name, value in zip(names, (person, session, study), strict=True) if name)
    return f"/take-part/{recruitment.token}/?{query}"
