"""Text that would run if a page let it: in every field that people or imports fill, on every page that shows it."""

from datetime import date
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Adjudication,
    AlertDismissal,
    Flag,
    MachineJudge,
    MachineJudging,
    MachineJudgment,
    Notice,
    Pair,
    Question,
    StatusChange,
    TimeCorrection,
)
from annotation.qualification.guidelines import publish_guideline, save_draft
from annotation.qualification.invitations import make_invitation
from annotation.review.decisions import review_batch, take_back_review
from corpus.models import Import, Video, VideoImport, VideoUpload
from datasets.models import JudgmentImport
from foundation.models import Account
from queries.models import Candidate, LlmTrial, RewriteJob
from tests.addresses import LEAD_FORMS, LEAD_PAGES, MEMBER_PAGES, patterns
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db

NASTY = "\"'><img src=x onerror=alert(1)></script></textarea>{{ 7|add:7 }}"
SHORT = "\"'><img src=x onerror=a(1)>"
RUNS = ("<img src=x", "</script></textarea>")


def fill(table: str, *columns: str) -> None:
    with connection.cursor() as cursor:
        for column in columns:
            # Unique where it has to be, by its number behind the text.
            cursor.execute(f'UPDATE "{table}" SET "{column}" = %s || id', [SHORT])


@pytest.fixture
def nasty() -> World:
    """Two queries: the first batch of one waits for review with a discarded pair, that of the other was reviewed."""
    world = build_world(queries=2, candidates=25)
    ada, bo = world["ada"], world["bo"]
    for query in world.queries:
        grade_batch(world, query.batches.get(), lambda rank: DISCARDED if rank == 3 else (2, 3))
    reviewed = world.queries[1].batches.get()
    review = review_batch(member=ada, batch_id=reviewed.pk, decision="finish")
    take_back_review(member=ada, batch_id=reviewed.pk, review_id=review.pk)
    review_batch(member=ada, batch_id=reviewed.pk, decision="extend")
    pair = world.batch.pairs.order_by("pk")[0]
    Adjudication.objects.create(pair=Pair.objects.filter(status="discarded")[0], grade=1, reason=NASTY, decided_by=ada)
    for answered in ({}, {"outcome": "returned", "answer": NASTY, "answered_by": ada, "answered_at": timezone.now()}):
        Flag.objects.create(pair=pair, annotator=bo, kind="other", note=NASTY, **answered)
    for told in ({}, {"answer": NASTY, "answered_by": ada, "answered_at": timezone.now()}):
        Question.objects.create(pair=pair, annotator=bo, text=NASTY, **told)
    for whom in (bo, None):
        Notice.objects.create(collection=world.collection, annotator=whom, text=NASTY, made_by=ada)
    StatusChange.objects.create(member=bo, before="paused", after="admitted", reason=NASTY, changed_by=ada)
    AlertDismissal.objects.create(member=bo, kind="fast", told=NASTY, note=NASTY, dismissed_by=ada)
    TimeCorrection.objects.create(annotator=bo, day=date.today(), seconds=60, reason=NASTY, made_by=ada)
    make_invitation(lead=ada, label=SHORT)
    publish_guideline(lead=ada, source=f"# {NASTY}", note=NASTY)
    save_draft(lead=ada, source=NASTY)
    Import.objects.create(
        collection=world.collection,
        file_name=NASTY,
        stored_file="x",
        size=1,
        state="refused",
        problems=[{"line": 1, "entry": NASTY, "field": NASTY, "found": NASTY, "expected": NASTY}],
    )
    VideoImport.objects.create(
        collection=world.collection,
        source=NASTY,
        state="done",
        said=NASTY,
        folder="/",
        report={
            "matched": 1,
            "refused": [[NASTY, NASTY]],
            "without_video": [NASTY],
            **{name: [NASTY] for name in ("without_file", "ambiguous", "unreadable", "changed")},
            "other_duration": [[NASTY, 1.0, 2.0]],
            "counts": {"without_file": 1, "without_video": 1},
        },
    )
    VideoUpload.objects.create(collection=world.collection, name=NASTY, size=2, mark="x", received=1)
    JudgmentImport.objects.create(
        collection=world.collection,
        file_name=NASTY,
        stored_file="x",
        size=1,
        split="test",
        ratings="1-5",
        state="refused",
        problem=NASTY,
        problems=[{"line": 1, "entry": NASTY, "field": NASTY, "found": NASTY, "expected": NASTY}],
    )
    RewriteJob.objects.create(
        collection=world.collection, rewriter="rules", model=SHORT, state="stopped", problem=NASTY
    )
    judge = MachineJudge.objects.create(
        collection=world.collection,
        name=SHORT,
        kind="file",
        model=NASTY,
        version=NASTY,
        family=NASTY,
        prompt_version=SHORT,
        parameters={NASTY: NASTY},
        member=ada,
    )
    MachineJudging.objects.create(judge=judge, file_name=NASTY, state="refused", problem=NASTY, member=ada)
    for candidate in Candidate.objects.filter(query=world.queries[0]):
        MachineJudgment.objects.create(judge=judge, candidate=candidate, grade=3)
    LlmTrial.objects.create(collection=world.collection, state="refused", problem=NASTY)
    fill("foundation_account", "username")
    fill("foundation_membership", "worker")
    fill("foundation_collection", "title", "context")
    fill("corpus_video", "name")
    fill("corpus_description", "text")
    fill("queries_query", "text")
    fill("queries_caption", "text")
    fill("queries_candidate", "caption_text")
    return world


def numbers_of(world: World) -> dict[str, int]:
    """What stands for each number in an address."""
    return {
        "batch_id": world.batch.pk,
        "member_id": world["bo"].pk,
        "query_id": world.queries[0].pk,
        "video_id": Video.objects.get().pk,
        "import_id": Import.objects.get().pk,
        "judgment_import_id": JudgmentImport.objects.get().pk,
        "video_import_id": VideoImport.objects.get().pk,
        "judge_id": MachineJudge.objects.get().pk,
        "version": 1,
    }


def address_of(name: str, world: World) -> str | None:
    """A page's address; None for one of which this world has none."""
    pattern = next(pattern for pattern in patterns() if pattern.name == name)
    wanted = set(pattern.pattern.converters) - {"name"}
    known = numbers_of(world)
    if not wanted <= set(known):
        return None
    return reverse(name, kwargs={"name": "paper", **{one: known[one] for one in wanted}})


def test_no_page_of_the_lead_runs_a_text(nasty: World) -> None:
    client = Client()
    client.force_login(Account.objects.get(memberships=nasty["ada"]))
    shown = 0
    for name in sorted((LEAD_PAGES | LEAD_FORMS | {"guideline", "guideline-version"}) - {"import-rejected"}):
        page = address_of(name, nasty)
        if page is None:
            continue
        for asked in ("", "?kind=all", "?kind=taken-back", "?kind=adjudicated", f"?q={quote(NASTY)}"):
            answer = client.get(page + asked)
            kind = answer["Content-Type"]
            text = b"".join(answer).decode()
            # A form that is asked for what it hasn't is the page again, with the error.
            assert answer.status_code in (200, 302, 400), page
            if "html" in kind:
                assert not [run for run in RUNS if run in text.lower()], page
                shown += "&lt;img src=x" in text
            if "json" in kind:
                assert answer["X-Content-Type-Options"] == "nosniff"
    assert shown > 60, "the texts are on the pages"


def test_no_page_of_an_annotator_runs_a_text(nasty: World) -> None:
    client = Client()
    client.force_login(Account.objects.get(memberships=nasty["bo"]))
    names = ("judge", "guideline", "guideline-version", "qualification", *sorted(MEMBER_PAGES))
    for page in (reverse("erase-account"), *(address_of(name, nasty) for name in names)):
        assert page is not None
        text = client.get(page).content.decode()
        assert not [run for run in RUNS if run in text.lower()], page
    drawer = client.get(reverse("judge-guideline", args=["paper"])).json()["html"]
    assert "&lt;img src=x" in drawer and "<img" not in drawer
    for page in ("/", "/tokens/"):
        assert "<img src=x" not in client.get(page).content.decode()
