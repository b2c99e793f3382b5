"""Candidates that an encoder finds in a language that it doesn't know: said before they are fetched, once."""

from io import StringIO

import pytest
from django.core.management import call_command

from foundation.infra.job_log import lines_of
from foundation.models import Collection
from queries.pooling.encoder_languages import warn_of_languages
from queries.pooling.fetch_jobs import ask_for_candidates, fetch_asked_candidates
from queries.pooling.query_selection import select_queries
from queries.topics.edit_topics import add_topic
from tests.queries.conftest import doors, make_collection
from tests.queries.pooling.test_fetching_in_the_browser import lead_of
from tests.queries.rewriting.test_other_languages import CHINESE, GERMAN

pytestmark = pytest.mark.django_db
SAID = "The encoder is set up for {}, and {} % of a sample of the texts here are in other languages ({})."


@pytest.mark.parametrize(
    ("language", "known", "said"),
    [
        ("en", "", ("en", 100, "plainly not English")),
        ("de", "", ("en", 100, "de")),
        ("de-AT", "en,fr", ("en, fr", 100, "de-AT")),
        ("de-AT", "en de", None),
        ("de", "*", None),
    ],
)
def test_a_collection_s_language_or_texts_that_the_encoder_does_not_know_are_warned_of(
    language: str, known: str, said: tuple[str, int, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENCODER_LANGUAGES", known)
    collection = make_collection(GERMAN)
    collection.language = language
    assert warn_of_languages(collection).startswith(SAID.format(*said) if said else "")
    assert bool(warn_of_languages(collection)) == bool(said)


def test_english_is_not_warned_of_nor_a_stray_among_many_but_topics_and_rows_that_say_so_are() -> None:
    collection = make_collection([*doors(30), CHINESE])
    assert warn_of_languages(collection) == ""
    collection.descriptions.filter(source_id__in=["0", "1"]).update(language="fr")
    assert SAID.format("en", 10, "fr, plainly not English") in warn_of_languages(collection)
    collection.descriptions.update(language="")
    add_topic(collection=collection, typed={"text": "Ein Mann öffnet die Tür und schaut hinein.", "split": "test"})
    assert SAID.format("en", 100, "plainly not English") in warn_of_languages(collection)


@pytest.mark.django_db(transaction=True)
def test_the_page_the_command_and_the_job_s_log_say_it_once() -> None:
    make_collection(GERMAN)
    call_command("rewrite", "friends", "--as-they-are")
    collection = Collection.objects.get()
    lead, ada = lead_of(collection)
    select_queries(collection=collection, val=1, test=1, seed=1)
    sentence = "Candidates of such texts may be no better than chance."
    assert ada.get("/c/friends/candidates/").content.decode().count(sentence) == 1
    job = ask_for_candidates(member=lead)
    fetch_asked_candidates(job.pk)
    job.refresh_from_db()
    assert job.state == "done"
    assert sum(sentence in line.text for line in lines_of(job)) == 1
    errors = StringIO()
    call_command("fetch_candidates", "friends", stderr=errors)
    assert errors.getvalue().count(sentence) == 1
