"""`machine_judge` declares a model on a server, says what it would cost, and hands it to a worker."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging
from tests.conftest import World
from tests.queries.chat_server import completion

DECLARED = ("--server", "--model", "m", "--family", "seers", "--frames", "2")


def said(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    call_command("machine_judge", "paper", "watcher", *options)
    return capsys.readouterr().out


def test_a_model_is_declared_estimated_tried_and_asked(filmed: World, asked: Any, capsys: Any) -> None:
    with asked(lambda *_: completion("2")) as server:
        assert "is declared, and has judged 0 pairs" in said(capsys, *DECLARED)
        assert "is declared" in said(capsys, *DECLARED)
        told = said(capsys, "--estimate", "--ranks", "1")
        assert (
            told.startswith("2 pairs left, 0 of them without a clip: 2 requests, 4 pictures, ") and "about 0.00" in told
        )
        assert "A worker asks its server" in said(capsys, "--ask", "--trial", "--limit", "1")
        judge_by_machine(MachineJudging.objects.get().pk)
        assert MachineJudge.objects.get().judgments.count() == 5 == len(server.requests)
        assert said(capsys, "--estimate").startswith("3 pairs left")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--server", "--model", "m"), "needs --model and --family"),
        ((*DECLARED, "--guideline", "1"), "name neither"),
        ((*DECLARED, "--parameters", '{"seed": "one"}'), "expected a whole number"),
        ((*DECLARED[:-1], "65"), "expected from 1 to 64 pictures"),
        (("--model", "m", "--family", "f", "--ask"), "nobody to ask"),
        (("--model", "m", "--family", "f", "--estimate"), "nobody to ask"),
        ((*DECLARED, "--ask", "--ranks", "x"), "Found “x”"),
        ((*DECLARED, "--ask", "--limit", "-1"), "expected an amount"),
    ],
)
def test_a_wrong_option_is_said_and_asks_nobody(filmed: World, asked: Any, options: tuple[str, ...], says: str) -> None:
    with asked(lambda *_: completion("2")) as server, pytest.raises(CommandError, match=says):
        call_command("machine_judge", "paper", "watcher", *options)
    assert not MachineJudging.objects.exists() and not server.requests
