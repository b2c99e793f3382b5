"""A small archive for the tests: the part of InvenioRDM's REST API that a deposit takes, over HTTP."""

import copy
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

TOKEN = "a-token-of-the-tests"


class Archive(ThreadingHTTPServer):
    """What it holds, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.records: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, dict[str, Any]]] = {}
        """Record -> key -> its entry, with `content` once it was sent."""
        self.asked: list[tuple[str, str]] = []
        self.broken: dict[str, int] = {}
        """Part of a path -> the status that it is answered with, once."""
        self.gone: set[str] = set()
        """Records that were deleted."""
        self.of_others: set[str] = set()

    def draft(self, parent: str, metadata: dict[str, Any]) -> dict[str, Any]:
        """A new draft of a record, or of the next version of one."""
        name = f"abcd{len(self.records)}-e1f23"
        before = [one for one in self.records.values() if one["parent"]["id"] == parent]
        for one in before:
            one["versions"]["is_latest_draft"] = False
        self.records[name] = {
            "id": name,
            "is_published": False,
            "links": {"self_html": f"http://{self.host}/uploads/{name}"},
            "pids": {},
            "parent": copy.deepcopy(before[0]["parent"]) if before else {"id": f"p-{name}"},
            "versions": {"index": len(before) + 1, "is_latest": not before, "is_latest_draft": True},
            "metadata": metadata,
        }
        self.files[name] = {}
        return self.records[name]


class _Handler(BaseHTTPRequestHandler):
    server: Archive
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def _say(self, found: Any, status: int = 200) -> None:
        content = b"" if status == 204 else json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append((self.command, path))
        for part, status in list(self.server.broken.items()):
            if part in path:
                del self.server.broken[part]
                wrong = [{"field": "metadata.title", "messages": ["Not today."]}]
                self._say({"message": "The archive is tired.", "errors": wrong}, status)
                return
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._say({"message": "Unauthenticated."}, 401)
        elif not self.headers["Accept"].startswith("application/vnd.inveniordm.v1+json"):
            self._say({"message": "This would be the former API's record."}, 406)
        elif path == "/api/user/records":
            query = parse_qs(urlsplit(self.path).query)
            hits = [
                one
                for name, one in self.server.records.items()
                if query["q"][0].strip('"') in one["metadata"].get("description", "")
                and (one["versions"]["is_latest_draft"] or query.get("allversions") == ["true"])
                and name not in self.server.gone | self.server.of_others
            ]
            self._say({"hits": {"hits": hits, "total": len(hits)}})
        elif (self.command, path) == ("POST", "/api/records"):
            made = self.server.draft("", {})
            made.update(json.loads(body))
            self._say(made, 201)
        else:
            match = re.fullmatch(r"/api/records/([^/]+)(/draft)?(?:/(.+))?", path)
            assert match, path
            self._of_record(match[1], bool(match[2]), match[3] or "", body)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def _of_record(self, name: str, draft: bool, rest: str, body: bytes) -> None:
        record, files = self.server.records[name], self.server.files[name]
        if name in self.server.gone:
            self._say({"message": "The record has been deleted."}, 410)
        elif (self.command, rest, draft) == ("GET", "", False):
            self._say(record)
        elif (self.command, rest, draft) == ("POST", "versions", False):
            self._next_version(record)
        elif draft and record["is_published"]:
            self._say({"message": "The draft was published."}, 404)
        elif (self.command, rest) == ("PUT", ""):
            record.update(json.loads(body))
            self._say(record)
        elif (self.command, rest) == ("POST", "pids/doi"):
            assert not record["pids"], "reserved twice"
            record["pids"] = {"doi": {"identifier": f"10.5072/test.{name}", "provider": "datacite"}}
            self._say(record, 201)
        elif (self.command, rest) == ("POST", "actions/publish"):
            assert all(file["status"] == "completed" for file in files.values())
            record["is_published"] = True
            record["parent"]["pids"] = {"doi": {"identifier": f"10.5072/test.{record['parent']['id']}"}}
            record["links"] = {"self_html": f"http://{self.server.host}/records/{name}"}
            self._say(record, 202)
        elif (self.command, rest) == ("GET", "files"):
            self._say({"entries": [_told(file) for file in files.values()]})
        elif (self.command, rest) == ("POST", "files"):
            for one in json.loads(body):
                assert one["key"] not in files and "/" not in one["key"]
                files[one["key"]] = {"key": one["key"], "status": "pending"}
            self._say({"entries": [_told(file) for file in files.values()]}, 201)
        else:
            self._of_file(files, rest, body)

    def _next_version(self, record: dict[str, Any]) -> None:
        """As InvenioRDM: one draft of a next version at a time, with the metadata but for date and version."""
        of_it = [one for one in self.server.records.values() if one["parent"]["id"] == record["parent"]["id"]]
        draft = next((one for one in of_it if not one["is_published"]), None)
        if draft is None:
            kept = {key: copy.deepcopy(value) for key, value in record["metadata"].items()}
            del kept["publication_date"], kept["version"]
            draft = self.server.draft(record["parent"]["id"], kept)
        self._say(draft, 201)

    def _of_file(self, files: dict[str, dict[str, Any]], rest: str, body: bytes) -> None:
        match = re.fullmatch(r"files/([^/]+)(?:/(content|commit))?", rest)
        assert match, rest
        if self.command == "DELETE":
            del files[match[1]]
            self._say(None, 204)
            return
        file = files[match[1]]
        if (self.command, match[2]) == ("PUT", "content"):
            assert self.headers["Content-Type"] == "application/octet-stream"
            file["content"] = body
            self._say(None, 204)
            return
        assert (self.command, match[2]) == ("POST", "commit")
        file["checksum"] = f"md5:{hashlib.md5(file['content'], usedforsecurity=False).hexdigest()}"
        file |= {"status": "completed", "size": len(file["content"])}
        self._say(_told(file))


def _told(file: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in file.items() if name != "content"}


@pytest.fixture
def archive(settings: Any) -> Iterator[Archive]:
    """An archive on this machine, of which the site has a token."""
    server = Archive()
    settings.DEPOSIT_TOKENS = {server.host: TOKEN}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
