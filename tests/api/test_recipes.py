"""The recipes of docs/api.md, run one after the other over HTTP."""

import re
import textwrap
from typing import Any

import pytest

from corpus.access.api_tokens import make_token
from corpus.models import Membership
from tests.api.callers import EVERY_SCOPE
from tests.conftest import build_world
from tests.test_house import ROOT

MANUAL = ROOT / "docs" / "api.md"


def recipes() -> str:
    """The manual's Python: what is indented under Recipes."""
    told = MANUAL.read_text().partition("## Recipes")[2]
    return "\n".join(textwrap.dedent(one) for one in re.findall(r"(?:^(?:    .*)?\n)+", told, re.MULTILINE))


@pytest.mark.django_db(transaction=True)
def test_the_recipes_do_what_they_say(live_server: Any, capsys: Any) -> None:
    world = build_world(clips=True)
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    account = world["ada"].account
    assert account is not None
    token = make_token(account=account, name="recipes", scopes=EVERY_SCOPE).token
    code = recipes().replace("https://SITE", live_server.url).replace("TOKEN", token).replace("NAME", "paper")
    found: dict[str, Any] = {}
    exec(compile(code, str(MANUAL), "exec"), found)
    assert found["workers"] == ["w01", "w02", "w03", "w04", "w05", "w06"]
    assert found["link"].startswith(f"{live_server.url}/join/")
    assert "body.places" in capsys.readouterr().out
    assert world.collection.invitations.count() == 1
