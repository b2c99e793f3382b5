"""The statistics of a collection: the page, and the command, which says those of a release too."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation import computed
from annotation.tasks import refresh
from config.celery import app
from datasets.models import Release
from datasets.services import create_release
from datasets.statistics import release_statistics
from tests.datasets.conftest import World


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("release_statistics", "tiny", *arguments, stdout=out)
    return out.getvalue()


def lead_of(world: World) -> Client:
    client = Client()
    client.force_login(next(m.account for m in world.members.values() if m.role == "lead"))
    return client


def test_a_small_collections_page_has_the_tables_at_once(judged: World) -> None:
    answer = lead_of(judged).get("/c/tiny/statistics/")
    said = answer.content.decode()
    for title in ("Material", "Queries", "Relevant moments", "Judging"):
        assert f"<h2>{title}</h2>" in said
    assert 'aria-current="page">Statistics' in said
    facts = lead_of(judged).get("/c/tiny/statistics/?format=json").json()
    assert facts["statistics"] == release_statistics(collection=judged.collection)
    assert facts["statistics"]["splits"]["val"]["queries"] == 2
    assert [table["title"] for table in facts["tables"]] == ["Material", "Queries", "Relevant moments", "Judging"]
    assert facts["result"]["as_of"] and not facts["result"]["running"]


def test_a_large_collections_page_waits_for_the_task_and_says_as_of_when(
    judged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.connection_for_write() as broker:
        broker.default_channel.queue_declare("celery")
        broker.default_channel.queue_purge("celery")
    entry = computed._registered["statistics"]
    large = computed.Computation(entry.compute, timedelta(minutes=30), at_once_below=1)
    monkeypatch.setitem(computed._registered, "statistics", large)
    client = lead_of(judged)
    waiting = client.get("/c/tiny/statistics/?format=json").json()
    assert (waiting["statistics"], waiting["tables"], waiting["result"]["running"]) == (None, [], True)
    assert client.get("/c/tiny/statistics/").status_code == 200
    with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
        message = queue.get(block=False)
        message.ack()
        assert (message.headers["task"], message.payload[0]) == (refresh.name, [judged.collection.pk, "statistics"])
        with pytest.raises(queue.Empty):  # one task, however often one looks
            queue.get(block=False)
    assert computed.refresh_computed(collection=judged.collection, name="statistics")
    kept = client.get("/c/tiny/statistics/?format=json").json()
    assert kept["statistics"] == release_statistics(collection=judged.collection)
    assert kept["result"]["as_of"]


def test_the_command_prints_the_tables_of_the_present_state(judged: World) -> None:
    said = printed()
    assert "## Material" in said and "| Queries | 2 | 2 | 7 | 11 |" in said
    assert json.loads(printed("--json")) == release_statistics(collection=judged.collection)


def test_a_releases_statistics_stay_when_judging_goes_on(unjudged: World) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    release = create_release(collection=unjudged.collection, name="v1")
    then = printed("--release", "v1")
    assert then == printed()
    unjudged.judge_all()
    assert printed("--release", "v1") == then != printed()
    assert json.loads(printed("--release", "v1", "--json")) == release.manifest["statistics"]


def test_a_release_that_is_not_there_or_has_none_is_told(judged: World) -> None:
    with pytest.raises(CommandError, match=r"There is no release 'v9' of tiny\. Releases: none yet\."):
        printed("--release", "v9")
    release = create_release(collection=judged.collection, name="v1")
    older = {name: value for name, value in release.manifest.items() if name != "statistics"}
    Release.objects.filter(pk=release.pk).update(manifest=older)
    with pytest.raises(CommandError, match="The manifest of release 'v1' has no statistics"):
        printed("--release", "v1")
