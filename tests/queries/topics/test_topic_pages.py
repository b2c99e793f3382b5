"""A lead imports, types, changes and deletes topics on pages, by the services that the command calls."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.batches.opening import open_annotation
from foundation.infra.advisory_lock import hold_descriptions
from queries.models import Query, TopicImport
from queries.pooling.candidates import fetch_candidates
from queries.topics.jobs import import_asked_topics
from tests.api.callers import read
from tests.conftest import World, build_world

PAGE = "/c/paper/topics/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def paper(db: None) -> World:
    return build_world(queries=1, candidates=4)


@pytest.fixture
def ada(paper: World, client_of: Any) -> Client:
    client: Client = client_of(paper["ada"].account)
    return client


def typed(client: Client, address: str = f"{PAGE}add", **fields: str) -> Any:
    return client.post(address, {"text": "A man sings.", "split": "test", **fields})


def uploaded(client: Client, content: str, **more: str) -> str:
    """Upload a file and have it imported. Returns the page that follows, or the one with the errors."""
    file = SimpleUploadedFile("topics.tsv", content.encode())
    answer = client.post(f"{PAGE}import", {"file": file, "into": "val", **more})
    if answer.status_code == 400:
        return answer.content.decode()
    assert answer["Location"] == PAGE
    import_asked_topics(TopicImport.objects.latest("pk").pk)
    return client.get(PAGE).content.decode()


def test_a_file_is_imported_by_a_worker_and_the_page_reports(ada: Client) -> None:
    page = uploaded(ada, "1x\tA man sings.\n2x\tA dog runs.\n")
    assert "2 topics added. Detected format: tsv." in page
    shown = ada.get(PAGE).context
    assert (shown["val"], shown["test"], shown["drawn"]) == (2, 0, 1)
    assert read(ada, "collections/paper/topics")["items"][0] | {"topic": 0} == {
        **{"topic": 0, "topic_id": "1x", "text": "A man sings.", "narrative": "", "language": "", "written_by": ""},
        **{"split": "val", "candidates": 0, "fixed": False},
    }
    assert "nothing changed" in uploaded(ada, "1x\tA man sings.\n2x\tA dog runs.\n")
    page = uploaded(ada, "3x\tA cat.\n1x\n")
    assert "Nothing was imported: 1 problem." in page and "line 2, line: found" in page
    assert len(read(ada, "collections/paper/topics")["items"]) == 2
    assert [row.topic_id for row in ada.get(f"{PAGE}?q=DOG").context["topics"]] == ["2x"]


def test_an_import_waits_while_queries_are_drawn(ada: Client, paper: World) -> None:
    hold_descriptions(paper.collection)
    file = SimpleUploadedFile("topics.tsv", b"1x\tA man sings.\n")
    ada.post(f"{PAGE}import", {"file": file, "into": "test"})
    job = TopicImport.objects.get()
    ada.post(f"{PAGE}import", {"file": SimpleUploadedFile("o.tsv", b"2x\tB\n"), "into": "test"})
    assert TopicImport.objects.get() == job, "while one waits, that one goes on"


def test_a_missing_or_empty_file_is_told_beside_its_field(ada: Client) -> None:
    assert "Choose a file." in ada.post(f"{PAGE}import", {"into": "test"}).content.decode()
    assert "The file is empty." in uploaded(ada, "")


def test_a_topic_is_typed_changed_and_deleted(ada: Client) -> None:
    assert typed(ada, narrative="Loudly.\r\nOr softly.", language="en", written_by="Ada").status_code == 302
    topic = Query.objects.get(description=None)
    assert topic.topic_id.startswith("auto-") and topic.narrative == "Loudly.\nOr softly."
    address = f"{PAGE}{topic.pk}/"
    assert "Loudly." in ada.get(address).content.decode()
    assert typed(ada, f"{address}change", text="A man hums.", split="val").status_code == 302
    topic.refresh_from_db()
    assert (topic.text, topic.split, topic.narrative, topic.written_by) == ("A man hums.", "val", "", "")
    assert ada.post(f"{address}delete")["Location"] == PAGE
    assert not Query.objects.filter(description=None).exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"text": " "}, "Found nothing, expected a sentence."),
        ({"language": "german!"}, "a language tag such as en or pt-BR"),
        ({"split": "train"}, "Select a valid choice"),
        ({"id": "0"}, "expected an id that no drawn query has"),
        ({"text": "a WOMAN does thing 0."}, "a text that no other query has; this is that of 0"),
        ({"id": "x" * 65}, "at most 64 characters"),
        ({"narrative": "x" * 10_001}, "Found 10,001 characters, expected at most 10,000."),
    ],
)
def test_a_wrong_field_is_told_beside_it_and_keeps_what_was_typed(
    ada: Client, fields: dict[str, str], told: str
) -> None:
    answer = typed(ada, **{"written_by": "Somebody", **fields})
    page = answer.content.decode().replace("&#x27;", "'")
    assert answer.status_code == 400 and told in page and 'value="Somebody"' in page
    assert not Query.objects.filter(description=None).exists()


def test_a_topic_is_not_typed_twice(ada: Client) -> None:
    typed(ada, id="1x")
    assert "expected an id that no topic has" in typed(ada, id="1x", text="Other.").content.decode()
    again = typed(ada)
    assert again.status_code == 400 and "a text that no other query has; this is that of 1x" in again.content.decode()
    assert Query.objects.filter(description=None).count() == 1


def test_once_its_judging_is_open_a_topic_is_fixed(ada: Client, paper: World) -> None:
    typed(ada, id="1x")
    fetch_candidates(collection=paper.collection)
    open_annotation(collection=paper.collection)
    topic = Query.objects.get(topic_id="1x")
    address = f"{PAGE}{topic.pk}/"
    page = ada.get(address).content.decode()
    assert "Judging of this topic is open, so it is fixed" in page and "<textarea" not in page
    assert read(ada, f"collections/paper/topics/{topic.pk}")["fixed"] is True
    assert typed(ada, f"{address}change", text="Other.").status_code == 400
    answer = ada.post(f"{address}delete", follow=True).content.decode()
    assert "so it stays. Nothing was deleted." in answer
    assert Query.objects.get(pk=topic.pk).text == "A man sings."


def test_others_topics_are_not_found(ada: Client, paper: World) -> None:
    drawn = paper.queries[0].pk
    assert ada.get(f"{PAGE}{drawn}/").status_code == 404, "a drawn query is no topic"
    assert ada.post(f"{PAGE}{drawn}/delete").status_code == 404
