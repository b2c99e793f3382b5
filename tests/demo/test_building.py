"""While the demo is being built, its people can log in and every page says what happens."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config import building
from demo import build

pytestmark = pytest.mark.django_db


def test_the_people_are_there_before_anything_is_built_and_pages_say_how_far_it_is() -> None:
    with building.under_way():
        build.begin(build.THEATRE)
        build.begin(build.THEATRE)
        client = Client()
        build.step("Cutting a clip for every moment")
        said = "Now: Cutting a clip for every moment."
        assert said in client.get("/login/").content.decode()
        assert client.login(username=build.LEAD, password=build.PASSWORD)
        overview = client.get("/", follow=True)
        assert overview.redirect_chain == [("/c/theatre/", 302)] and said in overview.content.decode()
        assert "import descriptions" in overview.content.decode()
        assert Client().login(username=build.ANNOTATORS[0], password=build.PASSWORD)
    assert "is being built" not in client.get("/c/theatre/").content.decode()
    build.step("Checking, exporting, scoring")
    assert building.told() == "", "only a demo under way is told of"


def test_what_a_killed_builder_said_is_said_no_longer(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("QREELS_VAR", str(tmp_path))
    program = (
        "import os\nfrom config import building\nwith building.under_way():\n"
        "    building.tell('x')\n    print(building.told(), flush=True)\n    os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    assert (done.returncode, done.stdout) == (-9, "x\n")
    assert (tmp_path / "run" / "building.json").exists()
    assert building.told() == ""
