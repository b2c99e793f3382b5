"""The description in OpenAPI: valid, committed, and kept by every answer."""

import json
import sys
from typing import Any

from django.test import Client
from openapi_spec_validator import validate
from pydantic import BaseModel

from api.v1.api import SUBJECTS, description
from api.v1.schema_view import as_text
from tests.test_house import ROOT


def test_it_is_a_description_in_openapi_3_1_for_anybody(db: None) -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.json() == json.loads(as_text())
    assert description()["openapi"].startswith("3.1")
    validate(description())


def test_the_committed_one_is_of_this_code() -> None:
    """`.venv/bin/python -m tests.openapi` writes it anew."""
    assert (ROOT / "docs" / "openapi.json").read_text() == as_text()


def test_no_two_types_share_a_name() -> None:
    """The description knows them by it: the one would be told as the other."""
    description()
    modules_by_name: dict[str, set[str]] = {}
    waiting: list[type] = [BaseModel]
    while waiting:
        for model in waiting.pop().__subclasses__():
            waiting.append(model)
            if model.__module__.startswith("api.") and "[" not in model.__name__:
                modules_by_name.setdefault(model.__name__, set()).add(model.__module__)
    assert not {name: modules for name, modules in modules_by_name.items() if len(modules) > 1}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, operation)
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_endpoint_says_what_it_does_and_what_it_refuses() -> None:
    named = [operation["operationId"] for _, _, operation in operations()]
    assert len(named) == len(set(named))
    for method, path, operation in operations():
        assert operation["summary"] and "Scope of a token" in operation["description"], path
        assert {"401", "403", "404", "405", "429", "500", "503"} <= set(operation["responses"]), path
        assert method == "GET" or {"409", "413", "415"} <= set(operation["responses"]), path
    for name, schema in description()["components"]["schemas"].items():
        assert schema.get("description"), f"{name} says nothing of itself"


def test_each_path_is_of_one_subject() -> None:
    """Django asks the first alone, which would answer the other's methods with 405."""
    paths = [path for subject in SUBJECTS for path in subject.router.path_operations]
    assert len(paths) == len(set(paths))


def test_each_schema_has_a_name_of_its_own() -> None:
    """Two of one name would be described as one."""
    named: dict[str, set[str]] = {}
    for module in (vars(module) for name, module in sys.modules.items() if name.startswith("api.v1.")):
        for value in module.values():
            if isinstance(value, type) and issubclass(value, BaseModel):
                named.setdefault(value.__name__, set()).add(value.__module__)
    assert {name: rooms for name, rooms in named.items() if len(rooms) > 1} == {}
