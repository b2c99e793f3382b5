"""What is made from the API's description: as it is now, and nothing of it is missing."""

import inspect
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, get_type_hints

import httpx2
import pytest
import qreels_client
from qreels_client import Collection, Qreels, operations, schemas

from tests.client_code import PACKAGE, operations_of, written
from tests.paths import ROOT

DESCRIBED = json.loads((ROOT / "docs" / "openapi.json").read_text())


def test_the_committed_files_are_of_this_description() -> None:
    """`.venv/bin/python -m tests.openapi` writes them anew."""
    for name, text in written(DESCRIBED).items():
        assert (PACKAGE / name).read_text() == text, name


class Recorder(httpx2.BaseTransport):
    """Notes each request and answers with an empty page, or some bytes."""

    def __init__(self) -> None:
        self.asked: list[httpx2.Request] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        return httpx2.Response(200, stream=httpx2.ByteStream(b'{"items": [], "next": null}'))


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [pytest.param(*operation, id=operation[2]["operationId"]) for operation in operations_of(DESCRIBED)],
)
def test_every_operation_has_its_method(method: str, path: str, operation: dict[str, Any], tmp_path: Path) -> None:
    recorder = Recorder()
    site = Qreels("https://qreels.example", "a-token", transport=recorder)
    of_collection = path == "/collections/{name}" or path.startswith("/collections/{name}/")
    place: Qreels | Collection = site.collection("a b") if of_collection else site
    ask = getattr(place, operation["operationId"])
    given = {
        parameter.name: tmp_path / "file" if parameter.name == "to" else b"x" if parameter.name == "content" else "7"
        for parameter in inspect.signature(ask).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    answer = ask(**given)
    if inspect.isgenerator(answer):
        assert list(answer) == []
    (asked,) = recorder.asked
    wanted = re.sub(r"\{\w+\}", "7", path.replace("{name}", "a%20b") if of_collection else path)
    assert (asked.method, asked.url.raw_path.decode().partition("?")[0]) == (method, f"/api/v1{wanted}")
    parameters = [(parameter["in"], parameter["name"]) for parameter in operation.get("parameters", [])]
    told = {name for place, name in parameters if place == "query"}
    assert set(asked.url.params) == told
    headers = {name for place, name in parameters if place == "header"} - {"If-None-Match"}
    assert headers <= {name.title() for name in asked.headers}
    assert ("requestBody" in operation) == bool(asked.content)
    assert "Scope of a token" in (inspect.getdoc(ask) or "")


def test_the_types_can_be_read_at_run_time_too() -> None:
    made = [kind for kind in vars(schemas).values() if isinstance(kind, type) and kind.__module__ == schemas.__name__]
    assert len(made) > 80 and all(get_type_hints(kind) for kind in made)
    assert get_type_hints(operations.CollectionCalls.get_job)["return"] is schemas.JobWithLog


def test_it_has_the_products_version_and_runs_on_its_pythons() -> None:
    product, alone = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"] for folder in ("", "client")
    )
    assert product["version"] == qreels_client.__version__
    assert product["requires-python"] == alone["requires-python"]


def test_it_imports_nothing_but_the_standard_library_and_httpx() -> None:
    program = (
        "import sys, qreels_client; print(*{name.partition('.')[0] for name in sys.modules} - set(sys.argv[1].split()))"
    )
    known = subprocess.run(
        [sys.executable, "-c", "import httpx2, sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    told = " ".join({name.partition(".")[0] for name in known.stdout.split()} | set(sys.stdlib_module_names))
    done = subprocess.run(
        [sys.executable, "-c", program, told], cwd=ROOT / "client", capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["qreels_client"]


def test_the_manual_names_what_there_is() -> None:
    told = (ROOT / "docs" / "api.md").read_text().partition("## The Python client")[2].partition("\n## ")[0]
    code = [line[4:] for line in told.splitlines() if line.startswith("    ")]
    compile("\n".join(code), "docs/api.md", "exec")
    used = set(re.findall(r"\b(site|home|judging)\.(\w+)", "\n".join(code)))
    kinds = {"site": Qreels, "home": Collection, "judging": qreels_client.Judging}
    assert len(used) > 8 and not {(name, attribute) for name, attribute in used if not hasattr(kinds[name], attribute)}
