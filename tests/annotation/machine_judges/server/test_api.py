"""A program declares a model on a server and has it asked."""

from typing import Any

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging
from tests.annotation.machine_judges.server.conftest import declare
from tests.annotation.machine_judges.test_judges import declared
from tests.api.callers import Caller
from tests.conftest import World
from tests.queries.chat_server import completion

HERE = "/collections/paper/machine-judges"
NEW = {"kind": "server", "name": "watcher", "model": "m", "family": "seers", "frames": 2}


def test_a_model_is_declared_tried_and_asked(filmed: World, asked: Any) -> None:
    ada = Caller(filmed["ada"])
    with asked(lambda *_: completion("2")) as server:
        judge = ada.post(HERE, NEW).json()
        assert (judge["kind"], judge["prompt_version"], judge["parameters"]["server"]) == (
            "server",
            "grade-v1",
            server.url,
        )
        one = f"{HERE}/{judge['judge']}"
        tried = ada.post(f"{one}/asks", {"trial": True, "limit": "0.5"})
        assert tried.status_code == 202 and tried.json()["state"] == "queued"
        assert ada.post(f"{one}/asks", {}).status_code == 409
        judge_by_machine(MachineJudging.objects.get().pk)
        assert ada.get(one).json()["said"] == 5
        assert ada.post(f"{one}/asks", {"split": "test", "ranks": 4}).status_code == 202
        judge_by_machine(MachineJudging.objects.latest("pk").pk)
        assert ada.get(one).json()["without"] == 0 and len(server.requests) == 8


def test_what_wont_do_is_refused_with_its_field(filmed: World, asked: Any) -> None:
    ada = Caller(filmed["ada"])
    with asked(lambda *_: completion("2")) as server:
        for field, value in (("guideline", 1), ("frames", 65), ("parameters", {"samples": 3}), ("model", "")):
            refused = ada.post(HERE, {**NEW, field: value})
            assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, f"body.{field}")
        assert not MachineJudge.objects.exists()
        judge = declare(filmed)
        for field, value in (("ranks", 0), ("split", "train"), ("limit", "-1"), ("price_in", "1")):
            refused = ada.post(f"{HERE}/{judge.pk}/asks", {field: value})
            assert refused.status_code == 422 and refused.json()["errors"][0]["field"].startswith("body."), field
        assert ada.post(f"{HERE}/{declared(filmed).pk}/asks", {}).status_code in (409, 422)
        assert not MachineJudging.objects.exists() and not server.requests
