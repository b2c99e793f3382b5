"""Descriptions that aren't English: rules refuse them, checks leave them to a person, and they may stay as they are."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.settings.services import configure
from foundation.collections.members import add_member
from foundation.models import Account, Collection
from queries.models import Attempt, Caption, RewriteJob, RewritePreview
from queries.review.bulk import accept_bulk, count_bulk
from queries.rewriting.preview import run_preview
from queries.rewriting.refusals import refused_by_rules
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.start import start_rewriting
from queries.rewriting.tasks import go_on_rewriting
from tests.queries.chat_server import well
from tests.queries.conftest import Begin, doors, make_collection

pytestmark = pytest.mark.django_db

GERMAN = [
    "Eine Frau stellt die Tasse auf den Tisch; dann geht sie.",
    "Ein Mann öffnet die Tür und schaut hinein.",
    "Der Hund läuft über die Straße.",
]
SPANISH = ["El perro cruza la calle."]
"""In which the shipped tagger, told that it knows Spanish, finds no name."""
CHINESE = "一个女人把杯子放在桌子上，然后离开了。"


def rewritten(collection: Collection, rewriter: str) -> RewriteJob:
    account, _ = Account.objects.get_or_create(username="ada")
    member = collection.memberships.filter(account=account).first()
    member = member or add_member(collection=collection, account=account, role="lead")
    job = start_rewriting(member=member, rewriter=rewriter)
    go_on_rewriting(job.pk)
    return RewriteJob.objects.get(pk=job.pk)


def told(collection: Collection) -> set[tuple[str, str, str]]:
    """Status, rewriter and text of each caption."""
    captions = Caption.objects.filter(description__collection=collection)
    return set(captions.values_list("status", "attempt__rewriter", "text"))


def test_rules_refuse_what_plainly_is_not_english_and_accept_nothing_of_it() -> None:
    collection = make_collection([*GERMAN, CHINESE, *doors(1)])
    rewritten(collection, "rules")
    assert told(collection) == {
        ("review", "rules", ""),
        ("accepted", "rules", doors(1)[0].replace("Rachel", "A woman")),
    }
    assert refused_by_rules(collection).count() == 4
    # Asked once: rules would refuse again.
    errors = set(Attempt.objects.filter(text="").values_list("number", "error"))
    assert errors == {(1, "Rules rewrite English alone, and this description is not in English.")}


def test_a_row_that_states_its_language_goes_by_it_and_another_collection_by_its_own() -> None:
    collection = make_collection(doors(2))
    collection.descriptions.filter(source_id="0").update(language="de")
    rewritten(collection, "rules")
    assert Attempt.objects.get(text="").error == "Rules rewrite English alone, and this description is in de."
    other = configure(collection=make_collection(GERMAN, name="film"), changes={"language": "de-AT"})
    with pytest.raises(RewriterError, match="Rules rewrite English alone, and this collection's language is de-AT"):
        rewritten(other, "rules")
    with pytest.raises(CommandError, match="this collection's language is de-AT"):
        call_command("rewrite", "film")
    assert not told(other)


def test_a_preview_by_rules_says_what_they_refuse(client: Client) -> None:
    collection = make_collection(GERMAN)
    add_member(collection=collection, account=Account.objects.create(username="ada"), role="lead")
    client.force_login(Account.objects.get(username="ada"))
    client.post(reverse("rewriting-preview", args=["friends"]), {"rewriter": "rules", "seed": 1})
    run_preview(RewritePreview.objects.get().pk)
    page = client.get(reverse("rewriting", args=["friends"])).content.decode()
    assert "0 of 3 pass every check." in page and page.count("this description is not in English") == 3
    assert "Use descriptions as they are" in page


def test_descriptions_are_used_as_they_are_also_after_rules_refused_them(client: Client) -> None:
    collection = make_collection(GERMAN)
    rewritten(collection, "rules")
    client.force_login(Account.objects.get(username="ada"))
    assert "Rules refused 3 descriptions" in client.get(reverse("rewriting", args=["friends"])).content.decode()
    client.post(reverse("rewriting-start", args=["friends"]), {"rewriter": "as-they-are"})
    go_on_rewriting(RewriteJob.objects.get(state="running").pk)
    assert told(collection) == {("accepted", "as they are", text) for text in GERMAN}
    assert set(Attempt.objects.values_list("number", "encoder", "tagger")) == {(1, "", "")}
    assert "Rewrite 3 descriptions" not in client.get(reverse("rewriting", args=["friends"])).content.decode()


def test_as_it_is_what_names_somebody_goes_to_a_person() -> None:
    collection = make_collection([*doors(1), "A woman opens the red door and walks in."])
    call_command("rewrite", "friends", "--as-they-are")
    assert told(collection) == {
        ("review", "as they are", doors(1)[0]),
        ("accepted", "as they are", "A woman opens the red door and walks in."),
    }
    assert Attempt.objects.count() == 2


def test_the_command_estimates_without_taking_anything_up() -> None:
    collection = make_collection(GERMAN)
    rewritten(collection, "rules")
    call_command("rewrite", "friends", "--as-they-are", "--estimate")
    assert refused_by_rules(collection).count() == 3


def test_a_refused_description_that_a_person_decided_stays_decided() -> None:
    collection = make_collection(GERMAN)
    rewritten(collection, "rules")
    refused = Caption.objects.order_by("pk")[0]
    Caption.objects.filter(pk=refused.pk).update(status="refused")
    rewritten(collection, "as-they-are")
    assert sorted(status for status, _, _ in told(collection)) == ["accepted", "accepted", "refused"]


@pytest.mark.django_db(transaction=True)
def test_what_an_llm_writes_in_a_language_that_no_check_knows_is_for_a_person(llm: Begin) -> None:
    collection = configure(collection=make_collection(GERMAN), changes={"language": "de"})
    with llm(well) as server:
        rewritten(collection, "llm")
        # Not paid for twice: another answer could be checked no better.
        assert len(server.requests) == 1
    assert told(collection) == {("review", "openai", text) for text in GERMAN}
    attempt = Attempt.objects.order_by("pk")[0]
    assert (attempt.similarity, attempt.names_passed, attempt.kept_ratio) == (None, False, None)
    member = collection.memberships.get()
    assert count_bulk(collection, 0.0).passing == 0 and accept_bulk(member=member, similarity=0.0) == 0


@pytest.mark.django_db(transaction=True)
def test_with_an_encoder_and_a_tagger_that_know_the_language_an_llm_may_do_it(llm: Begin) -> None:
    collection = configure(collection=make_collection(SPANISH), changes={"language": "es"})
    with llm(well, ENCODER_LANGUAGES="en,es", NER_LANGUAGES="*"):
        rewritten(collection, "llm")
    assert told(collection) == {("accepted", "openai", text) for text in SPANISH}
    attempt = Attempt.objects.order_by("pk")[0]
    assert attempt.encoder and attempt.tagger and attempt.similarity is not None and attempt.kept_ratio is None


@pytest.mark.django_db(transaction=True)
def test_what_a_collection_calls_english_and_is_not_an_llm_s_checks_leave_to_a_person(llm: Begin) -> None:
    collection = make_collection([*GERMAN, *doors(1)])
    with llm(well):
        rewritten(collection, "llm")
    assert {status for status, _, text in told(collection) if text in GERMAN} == {"review"}
    assert ("accepted", "openai", doors(1)[0].replace("Rachel", "A woman")) in told(collection)
