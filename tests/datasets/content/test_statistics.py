"""The statistics of a collection: the page, and the command, which says those of a release too."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation import precomputed
from annotation.precomputed import refresh
from config.celery import app
from datasets.content.statistics import release_statistics
from datasets.formats.card import Part, Written, dataset_card
from datasets.releases.make_release import create_release
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import markdown
from tests.api.callers import read
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
    titles = ["Size of the splits", "Queries, moments and videos by split"]
    titles += ["Material", "Queries", "Relevant moments", "Judging"]
    for title in titles:
        assert f"<h2>{title}</h2>" in said
    assert 'aria-current="page">Statistics' in said
    facts = read(lead_of(judged), "collections/tiny/statistics")
    assert facts["statistics"] == release_statistics(collection=judged.collection)
    assert facts["statistics"]["splits"]["val"]["queries"] == 2
    assert [table["title"] for table in facts["tables"]] == titles
    assert facts["as_of"] and not facts["running"]


def test_a_large_collections_page_waits_for_the_task_and_says_as_of_when(
    judged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.connection_for_write() as broker:
        broker.default_channel.queue_declare("celery")
        broker.default_channel.queue_purge("celery")
    entry = precomputed._registered["statistics"]
    large = precomputed.Computation(entry.compute, timedelta(minutes=30), at_once_below=1)
    monkeypatch.setitem(precomputed._registered, "statistics", large)
    client = lead_of(judged)
    waiting = read(client, "collections/tiny/statistics")
    assert (waiting["statistics"], waiting["tables"], waiting["running"]) == (None, [], True)
    assert client.get("/c/tiny/statistics/").status_code == 200
    with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
        message = queue.get(block=False)
        message.ack()
        assert (message.headers["task"], message.payload[0]) == (refresh.name, [judged.collection.pk, "statistics"])
        with pytest.raises(queue.Empty):  # one task, however often one looks
            queue.get(block=False)
    assert precomputed.refresh_computed(collection=judged.collection, name="statistics")
    kept = read(client, "collections/tiny/statistics")
    assert kept["statistics"] == release_statistics(collection=judged.collection)
    assert kept["as_of"]


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


def test_a_release_that_is_not_there_is_told(judged: World) -> None:
    with pytest.raises(CommandError, match=r"There is no release 'v9' of tiny\. Releases: none yet\."):
        printed("--release", "v9")


@pytest.fixture
def counted(unjudged: World) -> World:
    """Five pairs graded, one discarded, the others open; one val and one test query without any grade."""
    for source_id, rank, grades in (
        ("101", 1, (4, 4)),
        ("101", 2, (1, 2)),
        ("101", 3, (0, 4, 2, 2)),
        ("102", 1, (0, 4, 1, 3)),
        ("103", 1, (3, 4)),
        ("103", 2, (0, 0)),
    ):
        unjudged.judge(unjudged.pair(source_id, rank), *zip(("bo", "cy", "di", "ed"), grades, strict=False))
    return unjudged


class TestByHand:
    """Every figure of the paper's Tables 1 and 4, counted by hand from `conftest.py`."""

    def test_the_material(self, counted: World) -> None:
        found = release_statistics(collection=counted.collection)["collection"]
        # Of beta's length nothing is known but its last moment's end: 2.5 * 10 + 4.25 s.
        lengths = (60.5, 29.25, 40.0)
        assert (found["videos"], found["videos_with_moments"], found["moments"]) == (3, 3, 12)
        assert found["hours"] == round(129.75 / 3600, 4)
        assert found["video_seconds"] == {"mean": 43.25, "median": 40.0, "least": 29.25, "most": 60.5}
        assert found["moment_seconds"] == {"mean": 4.25, "median": 4.25, "least": 4.25, "most": 4.25}
        assert found["moments_per_video"] == {"mean": 4, "median": 4, "least": 4, "most": 4}
        assert found["moment_video_ratio"]["mean"] == round(sum(4.25 / length for length in lengths) / 3, 4)
        assert found["moment_video_ratio"]["most"] == round(4.25 / 29.25, 4)
        # 5 8 6 5 6 4 5 3 6 6 3 5 words.
        assert (found["captions"], found["captions_not_tagged"]) == (12, 0)
        assert found["caption_words"] == {"mean": round(62 / 12, 4), "median": 5.0, "least": 3, "most": 8}
        assert found["vocabulary"] == 35
        # argue enter open pour read sit; the tagger takes dance, hands, jumps, watches and waves for nouns.
        assert found["verbs"] == 6

    def test_the_queries_by_split(self, counted: World) -> None:
        splits = release_statistics(collection=counted.collection)["splits"]
        assert {name: split["queries"] for name, split in splits.items()} == {"val": 1, "test": 1, "train": 7, "all": 9}
        assert splits["train"]["words"] == {"mean": round(33 / 7, 4), "median": 5, "least": 3, "most": 6}
        assert (splits["train"]["vocabulary"], splits["val"]["vocabulary"], splits["test"]["vocabulary"]) == (24, 5, 6)
        assert (splits["val"]["verbs"], splits["test"]["verbs"]) == (1, 1)
        assert [splits[name]["moments"] for name in ("val", "test", "train")] == [3, 2, 7]
        assert [splits[name]["videos"] for name in ("val", "test", "train")] == [3, 2, 3]
        assert [splits[name]["pairs"] for name in ("val", "test")] == [3, 2]
        # Grades 4, 2, 2 of the one, 4 and 0 of the other.
        assert splits["val"]["relevant_per_query"] == {"1": 3, "2": 3, "3": 1, "4": 1}
        assert splits["test"]["relevant_per_query"] == {"1": 1, "2": 1, "3": 1, "4": 1}
        assert splits["val"]["queries_with"] == {"1": 1, "2": 1, "3": 1, "4": 1}

    def test_the_shares_of_consensus(self, counted: World) -> None:
        judging = release_statistics(collection=counted.collection)["judging"]
        assert judging["val"] == {
            "pairs_decided": 4,
            "judgments": 12,
            "share_in_round_one": 0.5,
            "share_in_round_two": 0.25,
            "share_in_consensus": 0.75,
            "share_discarded": 0.25,
            "pairs_by_grade": {"0": 0, "1": 0, "2": 2, "3": 0, "4": 1},
        }
        assert (judging["test"]["pairs_decided"], judging["test"]["judgments"]) == (2, 4)
        assert judging["test"]["share_in_round_one"] == 1.0
        both = judging["both"]
        assert (both["pairs_decided"], both["judgments"], both["share_in_consensus"]) == (6, 16, round(5 / 6, 4))
        assert both["pairs_by_grade"] == {"0": 1, "1": 0, "2": 2, "3": 0, "4": 2}

    def test_page_command_and_card_say_the_same(self, counted: World) -> None:
        tables = statistics_tables(release_statistics(collection=counted.collection))
        page, command = lead_of(counted).get("/c/tiny/statistics/").content.decode(), printed()
        release = create_release(collection=counted.collection, name="v1")
        card = dataset_card(release.manifest, {"grades": Written({}, {"val": Part(3, 9, 9), "test": Part(2, 6, 6)})})
        for table in tables:
            assert markdown(table) in command and markdown(table) in card
            for row in table.rows:
                for cell in row:
                    assert f">{cell}<" in page, cell
        assert "| Hours of video | 0.04 |" in card
        assert "| Consensus over all | 75.00 % | 100.00 % | 83.33 % |" in card
