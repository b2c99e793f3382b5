"""Every endpoint is asked what its description allows and what it doesn't: no 500, and every answer as described."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounded
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from annotation.batches.opening_jobs import ask_for_opening
from annotation.judging.notices import post_notice
from annotation.models import Batch, Flag, Pair, Question, WorkedItem
from annotation.qualification.guidelines import publish_guideline
from annotation.qualification.invitations import make_invitation
from api.v1.api import description
from campaigns.models import Submission, Team
from config.wsgi import application
from corpus.models import (
    Account,
    Description,
    Import,
    ImportPreview,
    Membership,
    VideoImport,
    VideoUpload,
    Webhook,
)
from corpus.uploads.files import announce_file
from datasets.models import JudgmentImport
from queries.models import Caption, RewritePreview
from queries.topics.edit_topics import add_topic
from tests.api.callers import Caller
from tests.campaigns.shared_task import campaign_over, send, teams_of
from tests.conftest import build_world, find_world

SECOND = {"video_name": "secret_video_name", "timestamp": [1, 2]}
EXAMPLES = 3
"""Of each kind, of each endpoint: always the same ones."""
CHECKS: list[Any] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
LONGEST = 2_000
"""Characters of what is sent. Schemathesis builds a regular expression of each length, which takes half a second for
the 900,000 that a file in base 64 may have, each time; its examples are never as long."""


def shortened(schema: Any) -> Any:
    """A description with lower limits of what may be sent."""
    if isinstance(schema, list):
        return [shortened(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: shortened(one) for name, one in schema.items()}
    if isinstance(made.get("maxLength"), int):
        made["maxLength"] = min(LONGEST, made["maxLength"])
    return made


SCHEMA = schemathesis.openapi.from_dict(shortened(description()))
SCHEMA.app = application
OF_ANNOTATORS = re.compile(r"/(judging|practice|qualification|exam/(begin|next|grade|undo|hand-in|feedback))")
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}


def found_world() -> None:
    """A collection with rows of what endpoints name; ada owns it."""
    world = build_world(queries=2, candidates=3, clips=True)
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    make_invitation(lead=world["ada"], label="a class")
    ask_for_opening(member=world["ada"])
    Caption.objects.filter(pk=Caption.objects.order_by("-pk")[0].pk).update(status="review")
    Import.objects.create(
        collection=world.collection,
        member=world["ada"],
        file_name="a.csv",
        stored_file="x",
        size=1,
        counts={"added": 1},
    )
    VideoImport.objects.create(collection=world.collection, member=world["ada"])
    Batch.objects.filter(pk=world.batch.pk).update(status="decided")
    Pair.objects.filter(pk=Pair.objects.order_by("pk")[0].pk).update(status="discarded")
    pair = Pair.objects.order_by("-pk")[0]
    Flag.objects.create(pair=pair, annotator=world["bo"], kind="clip")
    Question.objects.create(pair=pair, annotator=world["bo"], text="Is this a cup?")
    post_notice(lead=world["ada"], text="Welcome.")
    RewritePreview.objects.create(collection=world.collection, member=world["ada"], rewriter="rules", seed=1)
    values = {"file_name": "a.csv", "stored_file": "x", "size": 1}
    ImportPreview.objects.create(collection=world.collection, member=world["ada"], state="done", **values)
    JudgmentImport.objects.create(collection=world.collection, member=world["ada"], split="test", **values)
    lead = world["ada"].account
    assert lead is not None
    Account.objects.filter(pk=lead.pk).update(is_superuser=True)
    publish_guideline(lead=world["ada"], source="# Grades")
    about = Description.objects.order_by("-pk")[0]
    WorkedItem.objects.create(
        collection=world.collection, use="practice", description=about, query="A cup.", moment=about.moment, grade=2
    )
    for of in (world.collection, None):
        Webhook.objects.create(collection=of, address="https://hooks.example", kinds=["test"], made_by=lead)
    announce_file(member=world["ada"], name="a.csv", size=9, mark="00000000")
    VideoUpload.objects.create(collection=world.collection, member=world["ada"], name="b.mp4", size=9, mark="00000000")
    add_topic(collection=world.collection, typed={"id": "301", "text": "Somebody gives a coat away.", "split": "val"})
    campaign = campaign_over(None, lead=world["ada"], split="val")
    (team,) = teams_of(campaign, "kite")
    send(team, "one", json.dumps({"query_id": "301", "predictions": [SECOND]}).encode())


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> None:
    once_a_file(found_world)


@pytest.fixture(scope="module")
def rows(founded: None, django_db_blocker: Any) -> dict[str, Any]:
    """What the paths' names stand for in that world."""
    with django_db_blocker.unblock():
        return names_of_rows()


def names_of_rows() -> dict[str, Any]:
    world = find_world()
    here = world.collection
    return {
        "name": "paper",
        "kind": "opening",
        "split": "test",
        "job_id": here.openings.get().pk,
        "member_id": world["bo"].pk,
        "invitation_id": here.invitations.get().pk,
        "video_id": here.videos.get().pk,
        "rewriting_preview_id": here.rewrite_previews.get().pk,
        "check": "of-nobody",
        "preview_id": here.import_previews.get().pk,
        "judgment_import_id": here.judgment_imports.get().pk,
        "upload": here.video_uploads.get().public_name,
        "file": here.sent_files.get().public_name,
        "moment_id": here.videos.get().moments.order_by("pk")[0].pk,
        "description_id": here.descriptions.order_by("pk")[0].pk,
        "import_id": here.imports.get().pk,
        "video_import_id": here.video_imports.get().pk,
        "caption_id": Caption.objects.get(status="review").pk,
        "query_id": world.queries[0].pk,
        "topic_id": here.queries.get(topic_id="301").pk,
        "batch_id": world.batch.pk,
        "flag_id": Flag.objects.get().pk,
        "question_id": Question.objects.get().pk,
        "notice_id": here.notices.get().pk,
        "pair_id": Pair.objects.get(status="discarded").pk,
        "campaign": "boats",
        "campaign_id": here.campaigns.get().pk,
        "team_id": Team.objects.get().pk,
        "submission_id": Submission.objects.get().pk,
        "version": 1,
        "key": "agreement",
        "item_id": WorkedItem.objects.get().pk,
        "webhook_id": Webhook.objects.get(collection=here).pk,
        "webhook_of_the_site": Webhook.objects.get(collection=None).pk,
        "account_id": world["cy"].account_id,
    }


def who_asks(label: str) -> Account | Membership:
    """An annotator in judging, a campaign's team in what is teams', the lead elsewhere."""
    if "/campaigns" in label and "/collections/" not in label:
        return Account.objects.get(username="kite")
    return find_world()["cy" if OF_ANNOTATORS.search(label) else "ada"]


@pytest.fixture
def in_process(db: None) -> Iterator[None]:
    """Requests by WSGI share the test's transaction, as those of Django's own client do."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_every_answer_is_as_described(label: str, settings: Any, folder: Path, rows: dict[str, Any]) -> None:
    settings.API_PER_MINUTE = 10**9
    operation = OPERATIONS[label]
    caller = Caller(who_asks(label))
    known = {one.name: rows[one.name] for one in operation.path_parameters if one.name in rows}
    if "webhook_id" in known and "/collections/" not in label:
        known["webhook_id"] = rows["webhook_of_the_site"]
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        wanted: dict[str, Any] = {"path_parameters": known} if known else {}
        strategy = operation.as_strategy(generation_mode=mode, **wanted)

        @bounded(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def ask(case: Any) -> None:
            with transaction.atomic():
                response = case.call(headers={"Authorization": f"Bearer {caller.made.token}"})
                transaction.set_rollback(True)
            case.validate_response(response, checks=CHECKS)

        ask()
