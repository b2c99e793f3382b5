"""Blindness is a contract: whatever an annotator asks of whatever address, no answer betrays what they must not know.

Every address of the site is asked, with GET and POST, with sense and with nonsense, before and after each event; the
answers are searched, headers and all, for what is planted in the collection.
"""

import json
import re
import uuid
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from annotation.assignment import gold
from annotation.assignment.slipped_in import slip_in
from annotation.gold.gold_list import remove_gold
from annotation.judging import even_time
from annotation.judging.flags import answer_flag
from annotation.models import (
    Batch,
    ExamItem,
    Flag,
    GoldPair,
    JudgedFactor,
    Judgment,
    Pair,
    Repeat,
    WorkedItem,
)
from annotation.qualification.exams import answer_exam, begin_exam, close_cohort, hand_in, items_left
from annotation.review.decisions import review_batch
from annotation.studies.services import start_study
from corpus.models import Clip, ContextClip
from foundation.models import Membership
from queries.models import Query
from tests.addresses import patterns
from tests.annotation.factors.declaring import with_factors
from tests.annotation.gold_worlds import make_exam_gold
from tests.annotation.judging_steps import judge, let_seats_expire, sit
from tests.conftest import World, build_world
from tests.planted_secrets import open_an_exam, planted_world, secrets_of

pytestmark = pytest.mark.long

MANUALS = {"help", "help-page", "about", "api-openapi"}
"""They have the words, and say the same whatever is judged (tests/desk/help, tests/api)."""
METHOD_NOT_ALLOWED, FORBIDDEN = 405, 403
NEVER_TAKEN: set[tuple[str, str]] = set()
"""Methods with names of addresses that don't take them: that answer is looked at once, since which those are is written
at the view, whatever is judged. What a guard says before it, it says to the method that is taken, too."""
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""The real one takes a quarter of a second, by design, for every password that is sent to one of the forms."""
ALLOWED_KEYS = {"tasks", "message", "empty", "saved", "stands", "confirm", "feedback"}
"""`stands` is one's own grade that counts, where somebody grades a pair again."""


@pytest.fixture
def world(db: None, settings: Any) -> World:
    """Two queries with clips; captions, descriptions and the video's name are words found nowhere else."""
    settings.API_PER_MINUTE = 10**9  # a refusal for too many requests would betray nothing, and prove nothing
    settings.PASSWORD_HASHERS = QUICK_HASHERS
    return planted_world()


def addresses(world: World) -> Iterator[tuple[str, str]]:
    """Name and path of each address of the site, with numbers that exist and one that doesn't, and a clip of the
    collection."""
    clip = Clip.objects.order_by("pk").first()
    assert clip is not None
    samples: dict[str, list[Any]] = {
        "version": [1, 10**9],
        "name": [world.collection.name],
        "public_name": [clip.public_name, "nothing"],
        "suffix": ["mp4", "jpg"],
        "place": [1],
        "pair": [*Pair.objects.order_by("pk").values_list("public_id", flat=True)[:2], uuid.UUID(int=1)],
    }
    for pattern in patterns():
        assert isinstance(pattern, URLPattern) and pattern.name
        if pattern.name in MANUALS:
            continue
        wanted = [*pattern.pattern.converters, *pattern.pattern.regex.groupindex]
        choices = [samples.get(key) or ([1, 10**9] if "id" in key else ["x"]) for key in dict.fromkeys(wanted)]
        for values in product(*choices):
            yield pattern.name, reverse(pattern.name, kwargs=dict(zip(dict.fromkeys(wanted), values, strict=True)))


def bodies(world: World) -> list[dict[str, Any]]:
    """What is sent to every address; each time with a key of its own, where it has one."""
    pair = str(Pair.objects.order_by("pk").first().public_id)  # type: ignore[union-attr]
    item = ExamItem.objects.order_by("pk").first()
    exam = [{"pair": str(item.public_id), "grade": 2, "key": "", "played": 1}] if item else []
    return [
        {},
        *exam,
        {"pair": pair, "grade": 9, "key": ""},
        {"pair": pair, "kind": "boring"},
        {"pair": str(uuid.uuid4()), "grade": 2, "key": "", "played": 1},
    ]


def _with_new_key(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "key": str(uuid.uuid4())} if "key" in body else body


def everything_said_to(client: Client, world: World, within: str) -> Iterator[tuple[str, str]]:
    """Every answer's status, headers and text, by what was asked; logging out is left to the others."""
    sent = bodies(world)
    for name, address in addresses(world):
        if name == "logout" or within not in address:
            continue
        if ("GET", name) not in NEVER_TAKEN:
            yield f"GET {address}", _as_text(_noted(client.get(address), name))
        if ("POST", name) in NEVER_TAKEN:
            continue
        for body in sent:
            response = _noted(
                client.post(address, json.dumps(_with_new_key(body)), content_type="application/json"), name
            )
            yield f"POST {address} {body}", _as_text(response)
            if not was_read(response):
                break  # whatever else is sent, the answer can't depend on it
        refused_api = response.status_code == FORBIDDEN and address.startswith("/api/")
        # Django says the one before any of ours sees what is sent, the endpoint's guard the other before it is read.
        if response.status_code != METHOD_NOT_ALLOWED and not refused_api:
            yield f"POST {address} form", _as_text(client.post(address, {"decision": "accept", "outcome": "withdrawn"}))


def _noted(response: Any, name: str) -> Any:
    if response.status_code == METHOD_NOT_ALLOWED:
        NEVER_TAKEN.add((response.request["REQUEST_METHOD"], name))
    return response


def was_read(response: Any) -> bool:
    """Whether anything of the site read the body of the request to which this is the answer."""
    return bool(response.request["wsgi.input"].read_started)


def _as_text(response: Any) -> str:
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return f"{response.status_code}\n{headers}\n\n{body.decode(errors='replace')}"


def assert_blind(client: Client, world: World, within: str = "/") -> None:
    secrets = secrets_of(world)
    clips = "|".join(
        name for kind in (Clip, ContextClip) for name in kind.objects.values_list("public_name", flat=True)
    )
    for asked, said in everything_said_to(client, world, within):
        # Pages name their style sheet's and scripts' files, whose names are nobody's secret.
        # Random tokens could spell anything.
        plain = re.sub(
            rf'{clips}|(href|src)="/static/[^"]*"|value="\w{{64}}"|csrftoken=\w+|data-csrf="\w+"', "", said
        ).lower()
        found = [secret for secret in secrets if secret.lower() in plain]
        assert not found, f"{asked} betrays {found}:\n{said[:2000]}"


def test_no_answer_betrays_anything_at_any_time(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    bo.raise_request_exception = False
    assert_blind(bo, world)
    sit(world["bo"], world["cy"])
    for place, pair in enumerate(Batch.objects.order_by("pk")[0].pairs.order_by("pk")):
        judge(world["bo"], pair, 0 if place < 2 else 2, played=1.0)
        judge(world["cy"], pair, 4 if place < 2 else 2, played=1.0)
    assert_blind(bo, world)
    sit(world["bo"])
    bo.post("/c/paper/judge/undo")
    pair = Pair.objects.filter(status="open").first()
    assert pair is not None
    asked = {"pair": str(pair.public_id), "kind": "clip", "note": "black"}
    bo.post("/c/paper/judge/flag", json.dumps(asked), content_type="application/json")
    assert_blind(bo, world)
    for flag in Flag.objects.filter(answered_at=None):
        answer_flag(member=world["ada"], flag_id=flag.pk, outcome="returned", answer="It plays.")
    for status in ("paused", "applicant", "declined", "barred"):
        Membership.objects.filter(pk=world["bo"].pk).update(status=status)
        assert_blind(bo, world, within="/judge/")


def test_who_was_sent_by_a_platform_learns_no_more(world: World, client_of: Any) -> None:
    Membership.objects.filter(recruited=True).update(status="admitted", worker="ygg-own")
    sent = Membership.objects.select_related("account", "collection").get(recruited=True)
    client = client_of(sent.account)
    client.raise_request_exception = False
    for within in ("/judge/", "/session/", "/recruiting/", "/take-part/"):
        assert_blind(client, world, within=within)
    sit(sent)
    for pair in Batch.objects.order_by("pk")[0].pairs.order_by("pk")[:3]:
        judge(sent, pair, 2, played=1.0)
    assert_blind(client, world, within="/judge/")


def test_training_and_exam_betray_nothing_to_who_sits_them(world: World, client_of: Any) -> None:
    exam = open_an_exam(world)
    Membership.objects.filter(role=Membership.Role.ANNOTATOR).update(status="applicant")
    bo = client_of(world["bo"].account)
    bo.raise_request_exception = False
    assert_blind(bo, world)
    WorkedItem.objects.update(use="example")
    for name, grade in (("cy", 1), ("di", 4)):
        member = Membership.objects.select_related("collection").get(pk=world[name].pk)
        sitting = begin_exam(member=member)
        for item in items_left(sitting):
            answer_exam(sitting=sitting, item_id=item.public_id, grade=grade, key=uuid.uuid4(), played=1.0)
        hand_in(sitting=sitting)
    assert bo.post("/c/paper/exam/begin")["Location"] == "/c/paper/exam/"
    assert_blind(bo, world, within="/exam/")
    close_cohort(exam=exam)
    assert_blind(bo, world, within="/exam/")
    assert exam.sittings.filter(applicant=world["bo"]).exists()


def test_a_hidden_repeat_looks_like_any_other_pair(world: World, client_of: Any) -> None:
    type(world.collection).objects.update(repeat_share=0.1, repeat_days=0)
    bo = client_of(world["bo"].account)
    bo.raise_request_exception = False
    sit(world["bo"], world["cy"])
    first = Batch.objects.order_by("pk")[0]
    for pair in first.pairs.order_by("pk"):
        judge(world["bo"], pair, 2, played=1.0)
        judge(world["cy"], pair, 2, played=1.0)
    judged = pairs_of(first)
    Repeat.objects.filter(closed_at=None).delete()
    member = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
    slip_in(member=member, taken=[(Batch.objects.order_by("pk")[1].pk, 10)], now=timezone.now())
    repeat = Repeat.objects.get()
    tasks = bo.post("/c/paper/judge/next", {}, content_type="application/json").json()["tasks"]
    assert str(repeat.public_id) in [task["pair"] for task in tasks]
    assert len({tuple(sorted(task)) for task in tasks}) == 1 and "context" in tasks[0]
    for path in ("judge/context/{}", "judge/earlier?pair={}"):
        answers = [bo.get(f"/c/paper/{path.format(task['pair'])}") for task in tasks]
        assert {answer.status_code for answer in answers} == {200}
    for _, said in everything_said_to(bo, world, within="/judge/"):
        assert not judged & set(re.findall(r"[0-9a-f-]{36}", said)), "an id seen before would tell"
        assert "repeat" not in said.lower()
    assert_blind(bo, world, within="/judge/")


def test_nothing_that_is_said_depends_on_what_others_answered_to_factors(world: World, client_of: Any) -> None:
    world.collection = with_factors(world.collection)
    people = {name: Membership.objects.select_related("collection").get(pk=world[name].pk) for name in ("bo", "cy")}
    bo = client_of(world["bo"].account)
    bo.raise_request_exception = False
    sit(*people.values())
    for pair in Batch.objects.order_by("pk")[0].pairs.order_by("pk")[:3]:
        for member in people.values():
            judge(member, pair, 2, played=1.0, factors={"action": 2, "whole": None})
    assert_blind(bo, world, within="/factors")

    def said() -> dict[str, str]:
        seen = {}
        for name, address in addresses(world):
            here = any(part in address for part in ("/c/paper/", "/judging", "/factors", "/account/data"))
            if here and ("GET", name) not in NEVER_TAKEN:
                body = _as_text(bo.get(address)).partition("\n\n")[2]
                seen[address] = re.sub(r'value="\w{64}"|data-csrf="\w+"|nonce="[^"]+"|[0-9a-f-]{32,36}', "", body)
        return seen

    before = said()
    of_cy = JudgedFactor.objects.filter(judgment__annotator=people["cy"])
    assert of_cy.filter(factor__key="action").update(value=0) and of_cy.filter(factor__key="whole").delete()[0]
    after = said()
    assert {address: after[address] for address in before if before[address] != after[address]} == {}
    assert any('data-factor="action"' in text for text in after.values()), "they are asked"


@pytest.mark.parametrize("of_exam", [False, True], ids=["of a query", "of an exam"])
def test_gold_looks_like_any_other_pair_and_is_told_by_no_answer(
    world: World, client_of: Any, monkeypatch: pytest.MonkeyPatch, of_exam: bool
) -> None:
    type(world.collection).objects.update(gold_share=0.2)
    monkeypatch.setattr(gold, "due_in", lambda share, pairs, chance: 1)
    monkeypatch.setattr(even_time, "BEAT", 0.001)  # that it is kept: tests/annotation/assignment/test_gold.py
    sit(world["bo"], world["cy"])
    first = Batch.objects.order_by("pk")[0]
    for pair in first.pairs.order_by("pk"):
        judge(world["bo"], pair, 2, played=1.0)
        judge(world["cy"], pair, 2, played=1.0)
    review_batch(member=world["ada"], batch_id=first.pk, decision="finish")
    judged = pairs_of(first)
    if of_exam:
        remove_gold(lead=world["ada"], gold_ids=GoldPair.objects.values_list("pk", flat=True))
        make_exam_gold(world, "cy")
        judged |= pairs_of(Batch.objects.latest("pk"))
    di = client_of(world["di"].account)
    di.raise_request_exception = False
    tasks = di.post("/c/paper/judge/next", {"ahead": 26}, content_type="application/json").json()["tasks"]
    given = {str(one) for one in Repeat.objects.filter(gold__isnull=False).values_list("public_id", flat=True)}
    assert len(given) == 6 and len(tasks) == 12 and len({tuple(sorted(task)) for task in tasks}) == 1
    for _, said in everything_said_to(di, world, within="/judge/"):
        assert not judged & set(re.findall(r"[0-9a-f-]{36}", said)), "an id that others have seen would tell"
        assert "gold" not in said.lower() and "known" not in said.lower()
    for task in tasks[:8]:
        body = {"pair": task["pair"], "grade": 2, "key": str(uuid.uuid4()), "played": 1}
        answer = di.post("/c/paper/judge/grade", json.dumps(body), content_type="application/json").json()
        assert set(answer) <= ALLOWED_KEYS and answer["message"] == ""
    assert_blind(di, world, within="/judge/")
    assert_blind(di, world, within="/gold/")


def test_a_study_betrays_no_more_than_the_collection(world: World, client_of: Any) -> None:
    study = start_study(collection=world.collection, kind="pilot", queries=2)
    assert study.made is not None
    for number, query in enumerate(study.made.queries.order_by("pk")):
        # What a query asks is the caption that it was drawn from: here no secret.
        Query.objects.filter(pk=query.pk).update(text=f"A man peels {number} plums.")
    people = {
        name: Membership.objects.select_related("collection").get(collection=study.made, worker=member.worker)
        for name, member in world.people.items()
    }
    inside = World(study.made, people)
    bo = client_of(world["bo"].account)
    bo.raise_request_exception = False
    sit(people["bo"], people["cy"])
    for pair in Batch.objects.filter(collection=study.made).order_by("pk")[0].pairs.order_by("pk")[:2]:
        judge(people["bo"], pair, 0, played=1.0)
        judge(people["cy"], pair, 4, played=1.0)
    said = bo.post(f"/c/{study.made.name}/judge/next", {}, content_type="application/json").json()
    assert said["tasks"], "there is something to be blind about"
    assert {query for query in (task["query"] for task in said["tasks"])} <= {f"A man peels {n} plums." for n in (0, 1)}
    assert_blind(bo, inside)
    assert_blind(bo, world, within="/studies/")


def pairs_of(batch: Batch) -> set[str]:
    return {str(one) for one in batch.pairs.values_list("public_id", flat=True)}


def test_a_clip_s_name_can_t_be_made_from_what_anybody_knows(world: World) -> None:
    clip = Clip.objects.select_related("moment__video").order_by("pk")[0]
    again = Clip(moment=clip.moment)
    assert again.public_name != clip.public_name, "the same moment gets another name each time"
    assert len(clip.public_name) >= 20


def test_both_rounds_and_batches_look_alike(world: World, client_of: Any) -> None:
    """The same keys, the same words: nothing in an answer tells a second round from a first."""

    def ask(name: str, path: str, **sent: Any) -> dict[str, Any]:
        body = json.dumps(sent)
        client = client_of(world[name].account)
        answer = client.post(f"/c/paper/judge/{path}", body, content_type="application/json")
        assert answer.status_code == 200
        return answer.json()  # type: ignore[no-any-return]

    def shape(answer: dict[str, Any]) -> Any:
        assert set(answer) <= ALLOWED_KEYS
        return sorted(answer), answer["message"], [sorted(task) for task in answer["tasks"]]

    def grade(name: str, task: dict[str, Any], value: int) -> dict[str, Any]:
        return ask(name, "grade", pair=task["pair"], grade=value, key=str(uuid.uuid4()), played=1.0)

    first = ask("bo", "next")
    judged = grade("bo", first["tasks"][0], 0)
    sit(world["cy"])
    for pair in Pair.objects.all():
        for name, value in (("bo", 0), ("cy", 4)):
            if not Judgment.objects.filter(pair=pair, annotator=world[name]).exists():
                sit(world[name])
                let_seats_expire()
                sit(world[name])
                judge(world[name], pair, value, played=1.0)
    assert set(Pair.objects.values_list("status", flat=True)) == {"disputed"}
    second = ask("di", "next")
    judged_second = grade("di", second["tasks"][0], 2)
    assert shape(first) == shape(second)
    assert shape(judged) == shape(judged_second)


def test_the_order_of_a_batch_is_the_annotator_s_own(db: None) -> None:
    from annotation.assignment.next_tasks import next_tasks

    world = build_world(candidates=20)
    mine, theirs = ([task.pair for task in next_tasks(member=world[name])] for name in ("bo", "cy"))
    ranks = dict(Pair.objects.values_list("public_id", "candidate__rank"))
    assert mine != theirs
    assert [ranks[uuid.UUID(pair)] for pair in mine] != [1, 2, 3, 4]
