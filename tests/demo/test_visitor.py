"""What simulated people read of the API."""

from typing import Any

import pytest

from demo.simulated_annotators import Visitor


class Answer:
    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def json(self) -> dict[str, Any]:
        return self.content


def test_a_list_is_read_to_its_last_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"": {"items": [{"flag": 1}, {"flag": 2}], "next": "b"}, "b": {"items": [{"flag": 3}], "next": None}}
    asked = []

    def get(self: Visitor, path: str, *, params: dict[str, str]) -> Answer:
        asked.append((path, params["status"]))
        return Answer(pages[params["cursor"]])

    monkeypatch.setattr(Visitor, "get", get)
    flags = Visitor.__new__(Visitor).api_list("paper", "flags", status="open")
    assert [flag["flag"] for flag in flags] == [1, 2, 3]
    assert asked == [("/api/v1/collections/paper/flags", "open")] * 2
