"""The pages of the captions over HTTP, without their script: decisions, refusals, lists, figures; the report."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.description_import.change_hooks import DescriptionsChanged
from foundation.collections.members import add_member
from foundation.models import Account, Collection
from queries.checks.run_checks import CheckedCaption, collection_lexicon
from queries.models import Attempt, Caption, Decision, Exchange
from queries.pooling.frozen_descriptions import CaptionKeeper
from queries.review.decisions import accept_edit, decide_caption
from queries.review.rewrite_again import note_asked_again, rewrite_again
from queries.rewriting.make_captions import rewrite_descriptions
from tests.queries.chat_server import well
from tests.queries.conftest import Begin, doors, make_collection

JSON = {"headers": {"accept": "application/json"}}

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    """Three descriptions of Rachel, with captions that wait; ada leads, bo leads too."""
    collection = make_collection(doors(3), name="paper")
    for name in ("ada", "bo"):
        add_member(collection=collection, account=Account.objects.create(username=name), role="lead")
    for description in collection.descriptions.order_by("pk"):
        attempt = Attempt.objects.create(
            description=description,
            number=1,
            text=description.text,
            names=["Rachel"],
            similarity=1.0,
            similarity_passed=True,
            names_passed=False,
        )
        Caption.objects.create(
            description=description, attempt=attempt, text=attempt.text, normalised="x", status="review"
        )
    return collection


@pytest.fixture
def ada(collection: Collection, client: Client) -> Client:
    client.force_login(Account.objects.get(username="ada"))
    return client


def page(name: str, **more: Any) -> str:
    return reverse(name, kwargs={"name": "paper", **more})


def captions() -> list[Caption]:
    return list(Caption.objects.select_related("description").order_by("pk"))


def member(collection: Collection, name: str) -> Any:
    return collection.memberships.get(account__username=name)


def test_a_decision_without_the_script_leads_to_the_next_caption(ada: Client) -> None:
    first, second, _ = captions()
    answer = ada.post(page("caption-decide", caption_id=first.pk), {"decision": "accept"}, follow=True)
    assert answer.context["sheet"].caption == second and "Accepted." in answer.content.decode()
    assert Caption.objects.get(pk=first.pk).status == "accepted"
    answer = ada.post(page("caption-undo"), follow=True)
    assert answer.context["sheet"].caption == first
    assert Caption.objects.get(pk=first.pk).status == "review"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({}, "Accept the caption, refuse it", id="nothing"),
        pytest.param({"decision": "burn"}, "Accept the caption, refuse it", id="no decision"),
        pytest.param({"decision": "edit", "text": " \x00 "}, "Accept the caption, refuse it", id="empty text"),
        pytest.param({"decision": "accept"}, "bo decided this caption meanwhile", id="accepted late"),
        pytest.param({"decision": "retry"}, "Somebody decided this caption meanwhile", id="asked again late"),
        pytest.param(
            {"decision": "edit", "text": "A woman, <b>typed</b>.", "reason": "because", "check": "unknown"},
            "bo decided this caption meanwhile",
            id="edited late",
        ),
    ],
)
def test_a_refused_submit_keeps_the_caption_and_the_text(
    ada: Client, collection: Collection, fields: dict[str, str], told: str
) -> None:
    _, second, _ = captions()
    if "meanwhile" in told:
        decide_caption(caption_id=second.pk, member=member(collection, "bo"), accept=False)
    answer = ada.post(page("caption-decide", caption_id=second.pk), fields)
    text = answer.content.decode()
    assert answer.status_code == 409 and told in text and answer.context["sheet"].caption == second
    if "reason" in fields:
        assert "A woman, &lt;b&gt;typed&lt;/b&gt;." in text and 'value="because"' in text and "data-typed" in text
    answer = ada.post(page("caption-decide", caption_id=second.pk), fields, **JSON)
    assert answer.status_code == 409 and set(answer.json()) == {"said", "failed", "waiting"}
    assert not Attempt.objects.filter(number=2).exists()


def test_an_address_names_the_caption_to_show(ada: Client) -> None:
    first, second, third = captions()
    for query, shown in (
        (f"?at={third.pk}", third),
        (f"?after={second.pk}", third),
        (f"?after={third.pk}", first),
        ("?at=x&after=-1", first),
        (f"?at={10**18}", first),
        ("", first),
    ):
        assert ada.get(page("captions") + query).context["sheet"].caption == shown, query
        assert ada.get(page("caption-card") + query).json()["caption"] == shown.pk, query


def test_a_check_needs_a_text_and_a_caption_of_this_collection(ada: Client) -> None:
    first = captions()[0]
    other = make_collection(doors(1), name="other").descriptions.get()
    attempt = Attempt.objects.create(description=other, number=1, text="x", similarity_passed=True, names_passed=False)
    theirs = Caption.objects.create(description=other, attempt=attempt, text="x", normalised="x", status="review")
    for pk, fields in ((first.pk, {"text": "  "}), (theirs.pk, {"text": "A woman."}), (10**9, {"text": "A woman."})):
        assert ada.post(page("caption-check", caption_id=pk), fields, **JSON).status_code == 409
    assert ada.post(page("caption-decide", caption_id=theirs.pk), {"decision": "accept"}, **JSON).status_code == 409
    assert Caption.objects.get(pk=theirs.pk).status == "review"
    for check in ("", "unknown", "x" * 1000):
        assert ada.get(page("caption-checked"), {"check": check}).json() == {"state": "waiting"}


def test_every_count_leads_to_its_captions(ada: Client, collection: Collection) -> None:
    first, second, third = captions()
    me = member(collection, "ada")
    accept_edit(
        caption_id=first.pk, member=me, text="A woman walks in.", checked=CheckedCaption(0.5, names_passed=True)
    )
    decide_caption(caption_id=second.pk, member=me, accept=False)
    Attempt.objects.create(
        description=third.description, number=2, error="No.", similarity_passed=False, names_passed=True
    )
    expected = {
        "accepted": [first],
        "review": [third],
        "refused": [second],
        "again": [first, third],
        "textless": [third],
        "edited": [first],
        "names": [second, third],
        "similarity": [first],
        "kept": [],
        "persons": [],
        "gender": [],
        "roles": [],
        "words": [],
    }
    figures = ada.get(page("rewriting")).content.decode()
    for of, rows in expected.items():
        answer = ada.get(page("caption-list"), {"of": of})
        assert list(answer.context["page"]) == rows, of
    assert all(f"?of={of}" in figures for of in ("accepted", "review", "refused", "again", "textless", "edited"))
    assert "?of=names" in figures
    assert ada.get(page("caption-list"), {"of": "'; --", "page": "x"}).context["of"] == "accepted"


@pytest.mark.django_db(transaction=True)
def test_what_is_asked_again_is_counted_and_shown_and_held_by_the_limit(
    llm: Begin, collection: Collection, client: Client
) -> None:
    collection.cast = "Rachel, f"
    collection.save()
    client.force_login(Account.objects.get(username="ada"))
    first, second, _ = captions()
    me = member(collection, "ada")
    with llm(well) as server:
        note_asked_again(caption_id=first.pk, member=me)
        attempt = rewrite_again(caption_id=first.pk)
        assert attempt is not None and attempt.text and attempt.answer is not None
        assert (attempt.number, attempt.temperature, attempt.seed) == (2, 0.2, server.requests[0]["seed"])
        assert "Rachel" in server.requests[0]["messages"][0]["content"], "the cast is sent"
        assert Exchange.objects.get().cost > 0
    shown = client.get(page("rewriting")).content.decode()
    assert "LLM jobs" in shown and f"{Exchange.objects.get().cost:.4f}" in shown
    with llm(well, REWRITER_LIMIT="0.00000001") as server:
        note_asked_again(caption_id=second.pk, member=me)
        attempt = rewrite_again(caption_id=second.pk)
        assert attempt is not None and "The spending limit" in attempt.error and not server.requests
    assert Caption.objects.get(pk=second.pk).asked_again_at is None


def test_the_report_is_printed_and_rewrites_nothing(collection: Collection) -> None:
    out = io.StringIO()
    call_command("rewrite", "paper", report=True, stdout=out)
    text = out.getvalue()
    assert "3 of 3 descriptions have a caption: 0 accepted, 3 wait for review, 0 refused." in text
    assert "no name" in text and "0/3 0.00 %" in text and "Similarity (threshold 0.20, n = 3)" in text
    assert Attempt.objects.count() == 3
    with pytest.raises(CommandError, match="--limit: can't be combined with --report"):
        call_command("rewrite", "paper", report=True, limit="1")


@pytest.mark.django_db(transaction=True)
def test_the_report_tells_each_job_and_its_cost(llm: Begin) -> None:
    collection, out = make_collection(doors(3), name="friends"), io.StringIO()
    with llm(well):
        call_command("rewrite", collection.name, stdout=io.StringIO())
        call_command("rewrite", collection.name, report=True, stdout=out)
    assert "3 of 3 descriptions have a caption" in out.getvalue()
    assert "m: 1 request, 0 retries" in out.getvalue() and "cost 0.0" in out.getvalue()


def test_a_reworded_description_lets_go_its_decisions_too(collection: Collection) -> None:
    first, second, _ = captions()
    for caption in (first, second):
        decide_caption(caption_id=caption.pk, member=member(collection, "ada"), accept=True)
    reworded = [first.description_id]
    CaptionKeeper().changed(DescriptionsChanged(collection=collection, descriptions=reworded, reworded=reworded))
    assert [decision.caption_id for decision in Decision.objects.all()] == [second.pk]
    assert not Attempt.objects.filter(description__in=reworded).exists()


def test_the_number_of_attempts_is_the_collections_setting(collection: Collection) -> None:
    Caption.objects.all().delete()
    Attempt.objects.all().delete()
    # Nobody can pass: every description takes all its attempts.
    collection.max_attempts, collection.similarity_threshold = 3, 1.01
    collection.save()
    ids = list(collection.descriptions.values_list("pk", flat=True))
    assert rewrite_descriptions(collection=collection, description_ids=ids) == 3
    assert sorted(set(Attempt.objects.values_list("number", flat=True))) == [1, 2, 3]
    assert set(Caption.objects.values_list("status", flat=True)) == {"review"}


def test_the_cast_list_tells_the_lexicon_names_and_genders(collection: Collection) -> None:
    before = collection_lexicon(collection)
    assert "kwame" not in before.cast
    collection.cast = "Kwame, m\nSam Bo, f\nAlex, ?"
    after = collection_lexicon(collection)
    assert {"kwame", "sam", "alex"} <= after.cast
    assert (after.genders["kwame"], after.genders["sam"]) == ("man", "woman") and "alex" not in after.genders
