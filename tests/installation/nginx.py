"""nginx with the files that script/install writes, in a folder of its own and on free ports."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path

from config.embedded import free_port
from tests.paths import ROOT

FILES = ROOT / "installation" / "nginx"
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
MAIN = """
user root;
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    include /etc/nginx/mime.types;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log {folder}/other.log;
    include conf.d/qreels.conf;
    include sites-enabled/qreels;
}}
"""


@dataclass
class Answer:
    """A response, read to its end."""

    status: int
    headers: dict[str, str]
    body: bytes

    def __getitem__(self, header: str) -> str:
        return self.headers.get(header.lower(), "")


@dataclass
class Nginx:
    """Where it answers, and how to ask it."""

    folder: Path
    plain: int
    port: int

    @property
    def log(self) -> str:
        return (self.folder / "qreels.log").read_text()

    def connect(self, source: str = "127.0.0.1") -> HTTPSConnection:
        """A connection from an address of this machine, which checks the certificate."""
        context = ssl.create_default_context(cafile=str(self.folder / "site.pem"))
        return HTTPSConnection("localhost", self.port, context=context, source_address=(source, 0), timeout=30)

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        body: bytes = b"",
        cookies: str = "",
        source: str = "127.0.0.1",
        **headers: str,
    ) -> Answer:
        """One request over a connection of its own; in names of headers `_` stands for `-`, and `__` for itself."""
        line = self.connect(source)
        sent = {name.replace("_", "-").replace("--", "_"): value for name, value in headers.items()}
        if cookies:
            sent["Cookie"] = cookies
        try:
            line.request(method, path, body or None, sent)
            return read(line.getresponse())
        finally:
            line.close()

    def ask_plainly(self, path: str) -> Answer:
        """By http without s."""
        line = HTTPConnection("localhost", self.plain, timeout=30)
        try:
            line.request("GET", path)
            return read(line.getresponse())
        finally:
            line.close()


def read(response: HTTPResponse) -> Answer:
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


@contextmanager
def running(folder: Path, *, upstream: int, media: Path) -> Iterator[Nginx]:
    """nginx before the web server at this port, with clips from `media`; ended afterwards."""
    nginx = Nginx(folder, free_port(), free_port())
    make_certificate(folder)
    instead = {
        "@PORT@": str(upstream),
        "@UPLOAD@": "513",
        "@NAME@": "localhost",
        "@CERTIFICATE@": f"{folder}/site.pem",
        "@KEY@": f"{folder}/site.key",
        "/var/log/nginx/qreels.log": f"{folder}/qreels.log",
        "/var/lib/qreels/media/": f"{media}/",
        "listen 80;": f"listen 127.0.0.1:{nginx.plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{nginx.port} ssl;",
        "listen [::]:80;": "",
        "listen [::]:443 ssl;": "",
        "https://$host$": f"https://$host:{nginx.port}$",
        "/var/www/html": f"{folder}/html",
    }
    places = {"qreels-http.conf": "conf.d/qreels.conf", "qreels-site.conf": "snippets/qreels-site.conf"}
    written = ""
    for name, place in {**places, "site": "sites-enabled/qreels"}.items():
        text = (FILES / name).read_text()
        written += text
        for old, new in instead.items():
            text = text.replace(old, new)
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text)
    assert all(old in written for old in instead), "a file has changed what this one replaces"
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    process = subprocess.Popen([str(PROGRAM), "-q", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        while process.poll() is None:
            try:
                nginx.ask_plainly("/")
                break
            except OSError:
                time.sleep(0.02)
        assert process.poll() is None, (folder / "error.log").read_text()
        yield nginx
    finally:
        process.terminate()
        process.wait(30)


def make_certificate(folder: Path) -> None:
    line = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(folder / "site.key"), "-out"]
    subprocess.run([*line.split(), *files, str(folder / "site.pem")], check=True, capture_output=True)
