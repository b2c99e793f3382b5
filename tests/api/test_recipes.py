"""The recipes of docs/api.md, run one after the other, in process."""

import re
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client
from requests.adapters import BaseAdapter

from annotation.models import Batch
from foundation.access.api_tokens import make_token
from foundation.models import Membership
from tests.api.callers import EVERY_SCOPE
from tests.conftest import build_world
from tests.test_house import ROOT

MANUAL = ROOT / "docs" / "api.md"


def recipes() -> str:
    """The manual's Python: what is indented under Recipes."""
    told = MANUAL.read_text().partition("## Recipes")[2]
    return "\n".join(textwrap.dedent(block) for block in re.findall(r"(?:^(?:    .*)?\n)+", told, re.MULTILINE))


class InProcess(BaseAdapter):
    """What `requests` would send over the network, answered by the application itself."""

    def send(self, request: Any, **options: Any) -> requests.Response:
        place = urlsplit(request.url)
        headers = {name: value for name, value in request.headers.items() if name != "Content-Length"}
        kind = headers.pop("Content-Type", "")
        told = Client(headers=headers).generic(
            request.method, f"{place.path}?{place.query}", request.body or b"", content_type=kind
        )
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = told.status_code, request.url, request
        answer.headers.update(dict(told.items()))
        answer._content = b"".join(told.streaming_content) if told.streaming else told.content
        return answer

    def close(self) -> None:
        pass


@pytest.mark.django_db
def test_the_recipes_do_what_they_say(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "words.csv").write_text("id,video,start,end,text\n1,film,1,2,Somebody waves.\n")
    monkeypatch.chdir(tmp_path)
    world = build_world(clips=True)
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    Batch.objects.update(status="decided")
    account = world["ada"].account
    assert account is not None
    token = make_token(account=account, name="recipes", scopes=EVERY_SCOPE).token
    monkeypatch.setattr(requests.sessions, "HTTPAdapter", InProcess)
    code = recipes().replace("https://SITE", "http://testserver").replace("TOKEN", token).replace("NAME", "paper")
    names: dict[str, Any] = {}
    exec(compile(code, str(MANUAL), "exec"), names)
    assert names["workers"] == ["w01", "w02", "w03", "w04", "w05", "w06"]
    assert world.collection.import_previews.get().pk == names["preview"]["preview"]
    assert names["link"].startswith("http://testserver/join/")
    assert "body.places" in capsys.readouterr().out
    assert world.collection.invitations.count() == 1
    assert names["opening"]["kind"] == "opening" and world.collection.openings.count() == 1
    assert set(Batch.objects.values_list("status", flat=True)) == {"finished"}
    assert names["newest"]["via"] == "api" and names["newest"]["account"] == "ada"
