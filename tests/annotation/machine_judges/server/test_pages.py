"""A lead declares a model on a server, sees what it would cost, tries it, has it judge, stops and resumes it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.machine_judges.jobs import judge_by_machine
from annotation.machine_judges.judges import retire_judge
from annotation.models import MachineJudge, MachineJudging
from foundation.infra.job_control import stop_job
from foundation.models import Account
from queries.models import LlmServer
from tests.annotation.machine_judges.server.conftest import declare, judged
from tests.annotation.machine_judges.test_pages import sent, shown
from tests.conftest import World
from tests.queries.chat_server import completion, graded

FACTS = {"name": "watcher", "model": "seer-7b", "family": "seers", "frames": "4"}


def sure(*_: Any) -> Any:
    return graded("3", {"3": 0.9, "2": 0.1})


def test_a_lead_declares_a_model_on_the_server_and_tries_it_before_it_judges_all(filmed: World, asked: Any) -> None:
    with asked(sure) as server:
        response = sent(filmed, "machine-judge-declare-server", **FACTS, parameters='{"seed": 3}')
        judge = MachineJudge.objects.get()
        assert response["Location"] == judge.get_absolute_url()
        assert (judge.kind, judge.model, judge.frames, judge.prompt_version) == ("server", "seer-7b", 4, "grade-v1")
        assert (judge.parameters["server"], judge.parameters["seed"]) == (server.url, 3)
        page = shown(filmed, judge)
        assert "Try it on 5 pairs" in page and "four characters each" in page
        assert sent(filmed, "machine-judge-ask", judge, trial="1", limit="").status_code == 302
        judge_by_machine(MachineJudging.objects.get().pk)
        assert judge.judgments.count() == 5
        page = shown(filmed, judge)
        assert "Tokens are estimated from this judge" in page and "answers paid" in page
        assert "Try it on" not in page, "these few are judged"
        assert sent(filmed, "machine-judge-ask", judge).status_code == 302
        judge_by_machine(MachineJudging.objects.latest("pk").pk)
        assert judge.judgments.count() == 8 == len(server.requests)
        assert "8 of 8" in _list(filmed)


def test_the_estimate_is_of_the_pairs_that_are_chosen(filmed: World, asked: Any) -> None:
    with asked(sure):
        judge = declare(filmed, frames=3)
        everything, some = (_asking(filmed, judge, query) for query in ("", "?split=test&ranks=1"))
        assert (everything.estimate.pairs, everything.estimate.pictures) == (8, 24)
        assert (some.estimate.pairs, some.estimate.requests) == (2, 2)
        assert everything.estimate.cost == some.estimate.cost * 4 > 0
        assert _asking(filmed, judge, "?ranks=few").faults["ranks"].startswith("Found “few”")


def test_an_estimate_is_near_what_it_then_costs(filmed: World, asked: Any) -> None:
    with asked(sure):
        judge = declare(filmed)
        sent(filmed, "machine-judge-ask", judge, trial="1")
        judge_by_machine(MachineJudging.objects.get().pk)
        estimate = _asking(filmed, judge).estimate
        sent(filmed, "machine-judge-ask", judge)
        judge_by_machine(MachineJudging.objects.latest("pk").pk)
    found = MachineJudging.objects.latest("pk").found
    assert estimate.learned and estimate.tokens_in == pytest.approx(found["tokens_in"], rel=0.1)


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("frames", "65", "expected a whole number from 1 to 64"),
        ("model", "", "This field is required"),
        ("parameters", '{"samples": 3}', "expected a temperature above 0"),
        ("parameters", '{"heat": 1, "seed": -1}', "expected some of samples"),
        ("parameters", '{"server": "http://evil"}', "expected some of samples"),
        ("parameters", '{"least_mass": true}', "expected a number from 0 to 1"),
        ("parameters", '{"seed": 1.5}', "expected a whole number"),
    ],
)
def test_a_wrong_field_is_marked_and_what_was_typed_stays(
    filmed: World, asked: Any, field: str, typed: str, says: str
) -> None:
    with asked(sure):
        response = sent(filmed, "machine-judge-declare-server", **(FACTS | {"version": "kept-typed", field: typed}))
    assert response.status_code == 400
    assert says in response.content.decode() and "kept-typed" in response.content.decode()
    assert not MachineJudge.objects.exists()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"limit": "much"}, "expected an amount"),
        ({"ranks": "0"}, "expected how many of each query"),
        ({"split": "train"}, "Choose one of the offered values."),
        ({"price_in": "1", "price_out": "1"}, "so are its prices"),
    ],
)
def test_a_wrong_wish_asks_nobody(filmed: World, asked: Any, typed: dict[str, str], says: str) -> None:
    with asked(sure) as server:
        judge = declare(filmed)
        response = sent(filmed, "machine-judge-ask", judge, **typed)
        assert response.status_code == 400 and says in response.content.decode()
        assert not MachineJudging.objects.exists() and not server.requests


def test_a_second_wish_meanwhile_is_refused_and_a_stopped_job_is_resumed(filmed: World, asked: Any) -> None:
    with asked(sure):
        judge = declare(filmed)
        sent(filmed, "machine-judge-ask", judge)
        again = sent(filmed, "machine-judge-ask", judge)
        assert again.status_code == 400 and "A job of this judge is under way" in again.content.decode()
        job = MachineJudging.objects.get()
        stop_job(job)
        page = shown(filmed, judge)
        assert "Resume" in page and "Judge these pairs" in page, "another wish is possible, too"
        retire_judge(judge=judge)
        assert "Resume" not in shown(filmed, judge), "it judges no more"


def test_a_site_with_a_limit_asks_a_model_of_unknown_price_for_nobody(filmed: World, asked: Any) -> None:
    with asked(sure, REWRITER_LIMIT="5") as server:
        judge = declare(filmed)
        response = sent(filmed, "machine-judge-ask", judge, limit="6")
        assert response.status_code == 400 and "expected at most 5" in response.content.decode()
        sent(filmed, "machine-judge-declare-server", **(FACTS | {"name": "dear"}))
        dear = MachineJudge.objects.get(model="seer-7b")
        response = sent(filmed, "machine-judge-ask", dear, price_in="0.001", price_out="0.001")
        assert response.status_code == 400 and "so are its prices" in response.content.decode()
        assert "A limit needs the prices of the model" in sent(filmed, "machine-judge-ask", dear).content.decode()
        assert not server.requests


def test_the_installations_default_server_is_asked_with_its_key(filmed: World, asked: Any) -> None:
    from foundation.infra.sealed import seal

    with asked(sure) as server:
        address = server.url
    with asked(sure) as other:
        LlmServer.objects.create(
            name="ours", address=other.url, model="m", key=seal("their-secret-key"), is_default=True
        )
        judge = declare(filmed)
        assert judge.parameters["server"] == other.url != address
        judged(judge)
        assert set(other.keys) == {"Bearer their-secret-key"}


def test_odd_answers_are_shown_and_no_grade_of_an_undecided_pair(filmed: World, asked: Any) -> None:
    with asked(lambda request, number: completion("4" if number % 2 else "<b>what a film</b>")):
        judge = declare(filmed)
        judged(judge)
    page = shown(filmed, judge)
    assert "&lt;b&gt;what a film&lt;/b&gt;" in page
    assert "until then nobody sees them" in page


def test_without_a_server_none_can_be_declared(filmed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "None is set for this collection" in _list(filmed)
    response = sent(filmed, "machine-judge-declare-server", **FACTS)
    assert response.status_code == 400 and "None is set for this collection" in response.content.decode()


def _list(world: World) -> str:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client.get(reverse("machine-judges", args=["paper"])).content.decode()


def _asking(world: World, judge: MachineJudge, query: str = "") -> Any:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client.get(judge.get_absolute_url() + query).context["asking"]
