"""A small Hugging Face Hub for the tests: the part of its protocol that publishing a dataset takes, over HTTP."""

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest
import yaml

LARGE = 2_000
"""Bytes from which a file goes by LFS here."""


class Hub(ThreadingHTTPServer):
    """What it holds, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.repositories: dict[str, dict[str, dict[str, Any]]] = {}
        self.objects: dict[str, bytes] = {}
        self.tags: dict[str, list[str]] = {}
        self.commits: list[str] = []
        self.uploads: list[str] = []
        self.commit_faults: list[str] = []
        """What happens to the next commits, one each: "tired" (500), "busy" (429), "cut", "garbage"."""
        self.hold, self.held = threading.Event(), threading.Event()
        """A commit waits for the first and sets the second while it does."""
        self.hold.set()

    def content(self, repository: str, path: str) -> bytes:
        file = self.repositories[repository][path]
        return self.objects[file["lfs"]] if file.get("lfs") else file["content"]


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _say(self, found: Any, status: int = 200, **headers: str) -> None:
        content = json.dumps(found).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_PUT(self) -> None:
        oid = self.path.rsplit("/", 1)[-1]
        content = self._body()
        assert hashlib.sha256(content).hexdigest() == oid
        self.server.objects[oid] = content
        self.server.uploads.append(oid)
        self._say({})

    def do_POST(self) -> None:
        body = self._body()
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}" if asked.get("organization") else asked["name"]
            if name in self.server.repositories:
                self._say({"error": "exists", "url": f"{self.server.address}/datasets/{name}"}, 409)
                return
            assert asked["private"] is True
            self.server.repositories[name] = {}
            self._say({"url": f"{self.server.address}/datasets/{name}"})
            return
        if self.path == "/api/validate-yaml":
            said = _said_of_a_card(json.loads(body)["content"])
            self._say(said, 400 if said["errors"] else 200)
            return
        if match := re.fullmatch(r"/datasets/(.+)\.git/info/lfs/objects/batch", self.path):
            self._batch(json.loads(body))
            return
        match = re.fullmatch(r"/api/datasets/([^/]+/[^/]+)/(preupload|paths-info|commit|tag)/([^/?]+)", self.path)
        assert match, self.path
        name, what, _ = match.groups()
        if name not in self.server.repositories:
            self._say({"error": "Repository not found"}, 404, X_Error_Code="RepoNotFound")
        elif what == "preupload":
            files = [
                {
                    "path": file["path"],
                    # A card never goes by LFS on the Hub either.
                    "uploadMode": "lfs" if file["size"] >= LARGE and file["path"] != "README.md" else "regular",
                    "shouldIgnore": False,
                }
                for file in json.loads(body)["files"]
            ]
            self._say({"files": files})
        elif what == "paths-info":
            wanted = parse_qs(body.decode())["paths"]
            there = self.server.repositories[name]
            self._say([_info(path, there[path]) for path in wanted if path in there])
        elif what == "commit":
            self._commit(name, body)
        else:
            tags = self.server.tags.setdefault(name, [])
            asked = json.loads(body)["tag"]
            if asked in tags:
                self._say({"error": "Tag reference exists already"}, 409)
                return
            tags.append(asked)
            self._say({})

    def _batch(self, asked: dict[str, Any]) -> None:
        objects = []
        for one in asked["objects"]:
            found = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.server.objects:
                found["actions"] = {"upload": {"href": f"{self.server.address}/upload/{one['oid']}"}}
            objects.append(found)
        self._say({"transfer": "basic", "objects": objects}, Content_Type="application/vnd.git-lfs+json")

    def _commit(self, name: str, body: bytes) -> None:
        if self.server.commit_faults:
            self._fail(self.server.commit_faults.pop(0))
            return
        if not self.server.hold.is_set():
            self.server.held.set()
            self.server.hold.wait(60)
            self.close_connection = True
            return
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "header":
                self.server.commits.append(value["summary"])
            elif line["key"] == "lfsFile":
                assert value["oid"] in self.server.objects
                self.server.repositories[name][value["path"]] = {"lfs": value["oid"]}
                self.server.repositories[name][value["path"]]["size"] = value["size"]
            else:
                assert (line["key"], value["encoding"]) == ("file", "base64")
                content = base64.b64decode(value["content"])
                self.server.repositories[name][value["path"]] = {"content": content, "size": len(content)}
        oid = f"{len(self.server.commits):040x}"
        self._say({"commitUrl": f"{self.server.address}/datasets/{name}/commit/{oid}", "commitOid": oid})

    def _fail(self, fault: str) -> None:
        if fault == "tired":
            self._say({"error": "the hub is tired"}, 500)
        elif fault == "busy":
            self._say({"error": "too many requests"}, 429, Retry_After="60")
        elif fault == "garbage":
            content = b"<html>Welcome to the hotel's network</html>"
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        else:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)


def _said_of_a_card(content: str) -> dict[str, Any]:
    try:
        metadata = yaml.safe_load(content.split("---\n")[1])
    except (IndexError, yaml.YAMLError) as error:
        return {"errors": [{"message": str(error)}], "warnings": []}
    missing = [] if metadata.get("license") else [{"message": "empty or missing license"}]
    return {"errors": [], "warnings": missing}


def _info(path: str, file: dict[str, Any]) -> dict[str, Any]:
    found = {"type": "file", "path": path, "size": file["size"]}
    if file.get("lfs"):
        lfs = {"oid": file["lfs"], "size": file["size"], "pointerSize": 130}
        return found | {"oid": "0" * 40, "lfs": lfs}
    blob = b"blob %d\0" % file["size"] + file["content"]
    return found | {"oid": hashlib.sha1(blob, usedforsecurity=False).hexdigest()}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub on this machine, which huggingface_hub is told to use; elsewhere in the tests it is offline."""
    from huggingface_hub import constants
    from huggingface_hub.utils import reset_sessions

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_tests")
    reset_sessions()
    server = Hub()
    monkeypatch.setattr(constants, "ENDPOINT", server.address)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
    reset_sessions()
