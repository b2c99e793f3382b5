"""The Python client's types and methods, made from the API's description: `schemas.py` and `operations.py`.

`.venv/bin/python -m tests.openapi` writes them beside `docs/openapi.json`. A schema becomes a TypedDict, an operation a
method: of `CollectionCalls` where its path begins with a collection's name, of `SiteCalls` otherwise.
"""

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from tests.paths import ROOT

PACKAGE = ROOT / "client" / "qreels_client"
HERE = "/collections/{name}"
MADE = "`python -m tests.openapi` makes it of docs/openapi.json."
SIMPLE = {"integer": "int", "number": "float", "boolean": "bool", "null": "None", "string": "str"}
RICHER = {"date-time": "datetime | str", "date": "date | str", "uuid": "UUID | str", "binary": "bytes"}
"""What may be sent besides text, by format."""
WIDTH = 108


def written(described: dict[str, Any]) -> dict[str, str]:
    """The generated files' texts by name, as ruff formats them."""
    made = {"schemas.py": "\n".join(_schemas(described)), "operations.py": "\n".join(_operations(described))}
    return {name: _formatted(text) for name, text in made.items()}


def write(described: dict[str, Any]) -> None:
    for name, text in written(described).items():
        (PACKAGE / name).write_text(text)


def _formatted(text: str) -> str:
    for line in (["check", "--fix-only", "--select", "F401,F541,I"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *line, "--quiet", "--stdin-filename", str(PACKAGE / "made.py"), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


# --- types ---


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _type(schema: dict[str, Any], *, sent: bool = False) -> str:
    """The Python type of a schema. Args: sent: whether programs send it, and may send what is richer than JSON."""
    if "$ref" in schema:
        return _name(schema["$ref"])
    if "anyOf" in schema or "oneOf" in schema:
        return " | ".join(dict.fromkeys(_type(one, sent=sent) for one in schema.get("anyOf") or schema["oneOf"]))
    if "allOf" in schema and len(schema["allOf"]) == 1:
        return _type(schema["allOf"][0], sent=sent)
    if "enum" in schema or "const" in schema:
        return f"Literal[{', '.join(repr(one) for one in schema.get('enum', [schema.get('const')]))}]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}, sent=sent) for one in kind)
    if kind == "array":
        return _array(schema, sent)
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"dict[str, {_type(more, sent=sent) if isinstance(more, dict) else 'Any'}]"
    if kind == "string" and sent:
        return RICHER.get(schema.get("format", ""), "str")
    return SIMPLE.get(str(kind), "Any")


def _array(schema: dict[str, Any], sent: bool) -> str:
    if "prefixItems" in schema:
        each = [_type(one, sent=sent) for one in schema["prefixItems"]]
        # JSON has no tuples: what is answered comes as a list.
        return f"tuple[{', '.join(each)}]" if sent else f"list[{' | '.join(dict.fromkeys(each))}]"
    return f"list[{_type(schema.get('items', {}), sent=sent)}]"


def _named(within: Any) -> Iterator[str]:
    """The schemas that something refers to."""
    if isinstance(within, dict):
        for key, value in within.items():
            if key == "$ref" and isinstance(value, str) and "/schemas/" in value:
                yield _name(value)
            else:
                yield from _named(value)
    elif isinstance(within, list):
        for value in within:
            yield from _named(value)


def _reached(described: dict[str, Any], part: str) -> set[str]:
    """The schemas that requests or answers are made of. Args: part: requestBody or responses."""
    schemas = described["components"]["schemas"]
    found: set[str] = set()
    left = [
        name
        for methods in described["paths"].values()
        for operation in methods.values()
        for name in _named(operation.get(part, {}))
    ]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left.extend(_named(schemas[name]))
    return found


def _schemas(described: dict[str, Any]) -> Iterator[str]:
    sent, answered = _reached(described, "requestBody"), _reached(described, "responses")
    yield f'"""The fields of what is sent and answered, as TypedDicts. {MADE}"""\n'
    yield "from __future__ import annotations\n"
    yield "from datetime import date, datetime\nfrom typing import Any, Literal, NotRequired, TypedDict"
    yield "from uuid import UUID\n\n"
    for name, schema in described["components"]["schemas"].items():
        if name not in sent | answered or _is_page(schema):
            continue
        if schema.get("type") != "object" or "properties" not in schema:
            yield f"{name} = {_type(schema, sent=name in sent)}\n"
            continue
        yield f"class {name}(TypedDict):"
        yield _docstring(schema.get("description", ""))
        for field, told in schema["properties"].items():
            kind = _type(told, sent=name in sent - answered)
            # An answer has all its fields; what is sent may leave some out.
            needed = name not in sent or field in schema.get("required", [])
            yield f"    {field}: {kind if needed else f'NotRequired[{kind}]'}"
            if told.get("description"):
                yield _docstring(told["description"])
        yield "\n"


def _is_page(schema: dict[str, Any]) -> bool:
    return set(schema.get("properties", {})) == {"items", "next"}


def _docstring(words: str, indent: str = "    ") -> str:
    lines = [
        one
        for paragraph in words.replace("\\", "\\\\").split("\n\n")
        for one in [*textwrap.wrap(" ".join(paragraph.split()), WIDTH), ""]
    ][:-1]
    if len(lines) > 1:
        lines.append("")
    return textwrap.indent(f'"""{chr(10).join(lines)}"""', indent, lambda line: bool(line.strip()))


# --- methods ---


def operations_of(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(method, path below /api/v1, operation), in the order of the description."""
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path.removeprefix("/api/v1"), operation


def _operations(described: dict[str, Any]) -> Iterator[str]:
    yield f'"""A method for each thing that the API can do. {MADE}"""\n'
    yield "from __future__ import annotations\n"
    yield "from collections.abc import Iterator\nfrom datetime import date, datetime\nfrom pathlib import Path"
    yield "from typing import Any, Literal, Unpack\nfrom uuid import UUID\n"
    yield "from .calls import Calls, part"
    yield f"from .schemas import {', '.join(sorted(_used(described)))}\n\n"
    every = list(operations_of(described))
    for name, words, of_collections in (
        ("SiteCalls", "What a site can do.", False),
        ("CollectionCalls", "What can be done with a collection.", True),
    ):
        yield f'class {name}(Calls):\n    """{words}"""\n'
        for method, path, operation in every:
            if (path == HERE or path.startswith(f"{HERE}/")) == of_collections:
                yield from _method(method, path, operation, described["components"]["schemas"])
        yield "\n"


def _used(described: dict[str, Any]) -> set[str]:
    schemas = described["components"]["schemas"]
    found = set(_named([described["paths"]]))
    items = {name for page in found if _is_page(schemas[page]) for name in _named(schemas[page])}
    return {name for name in found | items if not _is_page(schemas[name])}


def _method(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    """A method's source: what stands in the path by position, what is asked for and sent by name."""
    asked = [one for one in operation.get("parameters", []) if (one["in"], one["name"]) != ("path", "name")]
    if not path.startswith(HERE):
        asked = operation.get("parameters", [])
    asked = [one for one in asked if one["name"] != "If-None-Match"]
    made = any(one["name"] == "Idempotency-Key" for one in asked)
    asked = [one for one in asked if one["name"] != "Idempotency-Key"]
    returns, content = _answer(operation, schemas)
    pages = returns.startswith("Iterator[")
    places = [one for one in asked if one["in"] == "path"]
    queries = [one for one in asked if one["in"] == "query" and not (pages and one["name"] in ("limit", "cursor"))]
    headers = [one for one in asked if one["in"] == "header"]

    positional = [f"{_python(one['name'])}: {_type(one['schema'], sent=True)}" for one in places]
    named = [_parameter(one) for one in [*queries, *headers]]
    sent = _sent(operation, schemas, taken={_python(one["name"]) for one in asked})
    words = [f'{method!r}, f"{_address(path)}"']
    if pages:
        words = [f'f"{_address(path)}"']
    if content:
        positional.append("to: Path | str")
        words = [f'f"{_address(path)}"', "to"]
    if made:
        named.append("idempotency_key: str | None = None")
        words.append("idempotency_key")
    if queries:
        words.append(f"query={{{', '.join(_as_item(one) for one in queries)}}}")
    if headers:
        words.append(f"headers={{{', '.join(_as_item(one) for one in headers)}}}")
    if sent:
        named.append(sent[0])
        words.append(sent[1])
    if not made and _has_own_key(operation, schemas):
        words.append("again=True")
    star = ["*"] if named and not named[0].startswith("**") else []
    called = "_fetch" if content else "_pages" if pages else "_make" if made else "request"
    yield f"    def {operation['operationId']}({', '.join(['self', *positional, *star, *named])}) -> {returns}:"
    yield _docstring(_words(operation), "        ")
    call = f"self.{called}({', '.join(words)})"
    if returns == "None":
        yield f"        {call}\n"
    else:
        yield f"        returned: {returns} = {call}\n        return returned\n"


def _python(name: str) -> str:
    return re.sub(r"\W", "_", name).lower()


def _parameter(one: dict[str, Any]) -> str:
    kind = _type(one["schema"], sent=True)
    if one.get("required"):
        return f"{_python(one['name'])}: {kind}"
    return f"{_python(one['name'])}: {kind}{'' if kind.endswith('None') else ' | None'} = None"


def _as_item(one: dict[str, Any]) -> str:
    value = _python(one["name"])
    if one["in"] == "header":
        value = f"str({value})" if one.get("required") else f"None if {value} is None else str({value})"
    return f"{one['name']!r}: {value}"


def _address(path: str) -> str:
    """A path as the inside of an f-string."""
    if path == HERE or path.startswith(f"{HERE}/"):
        path = "{self._here}" + path.removeprefix(HERE)
    return re.sub(r"\{(?!self)(\w+)\}", lambda found: f"{{part({_python(found[1])})}}", path)


def _sent(operation: dict[str, Any], schemas: dict[str, Any], taken: set[str]) -> tuple[str, str] | None:
    """The parameter by which a request's body is given, and how it is handed on; None: it has none."""
    if "requestBody" not in operation:
        return None
    kind, said = next(iter(operation["requestBody"]["content"].items()))
    if kind != "application/json":
        return "content: bytes", "content=content"
    schema = said["schema"]
    fields = schemas[_name(schema["$ref"])].get("properties") if "$ref" in schema else None
    if fields is None or taken & set(fields) or {"self", "idempotency_key"} & set(fields):
        return f"body: {_type(schema, sent=True)}", "body=body"
    return f"**body: Unpack[{_type(schema)}]", "body=body"


def _has_own_key(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether what is sent has a key of the sender's, by which it counts once however often it comes."""
    return any("key" in schemas[name].get("required", []) for name in _named(operation.get("requestBody", {})))


def _answer(operation: dict[str, Any], schemas: dict[str, Any]) -> tuple[str, bool]:
    """What a method returns, and whether it fetches a file."""
    status = min(status for status in operation["responses"] if status.startswith("2"))
    content = operation["responses"][status].get("content")
    if not content:
        return "None", False
    kind, said = next(iter(content.items()))
    if kind != "application/json":
        return "Path", True
    schema = said["schema"]
    if "$ref" in schema and _is_page(schemas[_name(schema["$ref"])]):
        items = schemas[_name(schema["$ref"])]["properties"]["items"]["items"]
        return f"Iterator[{_type(items)}]", False
    return _type(schema), False


def _words(operation: dict[str, Any]) -> str:
    more = operation.get("description", "")
    return f"{operation['summary']}.\n\n{more}" if more else f"{operation['summary']}."
