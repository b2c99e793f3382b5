"""Releases of topics, whose moments have neither caption nor similarity: every format says none, and they hold."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from campaigns.submissions.check import check_run
from corpus.description_import.row_files import read_rows
from corpus.models import Video
from datasets.content.statistics import release_statistics
from datasets.formats import FORMATS
from datasets.formats.procedure import procedure
from datasets.leaderboard.runs import open_board
from datasets.releases.make_release import create_release, write_release
from evaluation import evaluate
from evaluation.reading import read_ground_truth, read_run
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, Query
from queries.runs.add_run import add_run
from queries.topics.readers import TOPICS, TopicFileChoices
from tests.annotation.reviewed_worlds import decided_world
from tests.datasets.boards import scored
from tests.datasets.conftest import World
from tests.queries.topics.worlds import NARRATIVE, make_topic, turn_into_topics

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def topics(media: Path) -> Collection:
    """Three topics of test, judged, in a collection for which captions were never ranked."""
    collection = decided_world(3, 1, 2).collection
    turn_into_topics(collection, language="en-GB")
    return collection


def released(collection: Collection, folder: Path) -> Path:
    write_release(release=create_release(collection=collection, name="v1", formats=list(FORMATS)), folder=folder)
    return folder


def test_a_release_of_topics_holds_and_says_none_in_every_format(topics: Collection, tmp_path: Path) -> None:
    out = released(topics, tmp_path / "out")
    assert check_release(out) == []
    queries = json.loads((out / "test.json").read_text())
    assert [query["query_id"] for query in queries] == ["T1", "T2", "T3"]
    moment = queries[0]["relevant_moment"][0]
    assert moment["caption"] is None and moment["similarity"] is None and moment["relevance"] == 3
    with (out / "raw_annotations.csv").open() as file:
        row = next(csv.DictReader(file))
    assert (row["query_id"], row["caption"], row["similarity"]) == ("T1", "", "")
    row = pq.read_table(out / "parquet" / "grades" / "test.parquet").to_pylist()[0]
    assert (row["query_id"], row["caption"], row["similarity"]) == ("T1", None, None)
    assert json.loads((out / "train_top01.json").read_text()) == [], "topics alone need no pseudo-training"
    card = yaml.safe_load((out / "README.md").read_text().split("---\n")[1])
    loaded = {one["config_name"]: [part["split"] for part in one["data_files"]] for one in card["configs"]}
    assert loaded["grades"] == ["test"] and "train" not in loaded, "no split without a row, which nothing could load"
    assert card["language_creators"] == ["other"] and [one["config_name"] for one in card["dataset_info"]] == [*loaded]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["topics"] == {"val": 0, "test": 3, "narratives": 3, "written_by": ["The team"], "drawn": 0}
    assert (manifest["pairs_without_similarity"], manifest["draw"], manifest["languages"]) == (60, None, ["en-GB"])
    for path in out.rglob("*.md"):
        said = path.read_text()
        assert "None" not in said and "came with judgments" not in said, path
    assert "3 of test are topics: written as queries" in (out / "datasheet" / "DATASHEET.md").read_text()


AWKWARD = ("q:1", "a b/é", "100%25")


def test_a_run_made_from_a_releases_trec_files_reaches_every_query_by_every_way_in(
    topics: Collection, tmp_path: Path
) -> None:
    for query, name in zip(topics.queries.order_by("topic_id"), AWKWARD, strict=True):
        Query.objects.filter(pk=query.pk).update(topic_id=name)
    for place, video in enumerate(topics.videos.order_by("pk")):
        Video.objects.filter(pk=video.pk).update(name=f"k {place}:50%é.mp4")
    release = create_release(collection=topics, name="v1", formats=["tvr-ranking", "trec"])
    write_release(release=release, folder=tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    names = [line.partition("\t")[0] for line in (tmp_path / "out/trec/topics.test.tsv").read_text().splitlines()]
    assert names == ["q%3A1", "a%20b%2F%C3%A9", "100%2525"]
    for form, content in (("tsv", "topics.test.tsv"), ("trec", "topics.test.trec")):
        with (tmp_path / "out" / "trec" / content).open("rb") as file:
            source = read_rows(file, TopicFileChoices(), TOPICS)
            assert source.format == form
            assert [row.topic_id for row in source.rows(lambda piece, bad: pytest.fail(str(bad)))] == list(AWKWARD)
    qrels = [line.split() for line in (tmp_path / "out/trec/qrels.test.txt").read_text().splitlines()]
    encoded = "".join(f"{query} Q0 {moment} 1 {grade} own\n" for query, _, moment, grade in qrels)
    plain = encoded.replace("q%3A1", "q:1").replace("100%2525", "100%25")
    truth = read_ground_truth(tmp_path / "out" / "test.json")
    judged = read_ground_truth(tmp_path / "out/trec/qrels.test.txt")
    assert judged.query_ids == truth.query_ids and set(judged.video_names) == set(truth.video_names)
    board = open_board(release=release, split="test")
    lasts = dict(topics.videos.values_list("name", "duration"))
    for name, text in (("encoded", encoded), ("plain", plain)):
        path = tmp_path / f"{name}.txt"
        path.write_text(text)
        run = read_run(path, queries=truth.index, videos=truth.video_index)
        assert evaluate(truth, [run], ["NDCG@20,IoU>=0.5"])[0].value == 1.0
        assert scored(board, name, text.encode()).values["NDCG@20,IoU>=0.5"] == 1.0
        checked = check_run(path, topics=AWKWARD, videos=lasts, end_slack=1.0, most_predictions=100)
        assert (checked.faults, checked.unanswered, checked.format) == ([], 0, "trec")
        added = add_run(collection=topics, path=path, team="own", system=name).run
        assert (added.queries, added.predictions) == (3, len(qrels))


def test_trecs_topics_have_the_narrative_in_trecs_own_form(topics: Collection, tmp_path: Path) -> None:
    trec = released(topics, tmp_path / "out") / "trec"
    assert (trec / "topics.test.tsv").read_text().startswith("T1\tA woman does thing 0.\n")
    assert (trec / "qrels.test.txt").read_text().startswith("T1 0 secret_video_name@")
    first = (trec / "topics.test.trec").read_text().split("</top>\n\n")[0]
    assert first == (
        "<top>\n<num> Number: T1\n<title> A woman does thing 0.\n\n<narr> Narrative:\n"
        "Relevant is a moment in which it is done &amp; shown.\nA mention of it &lt;alone&gt; isn't.\n"
    )
    beir = (trec.parent / "beir" / "queries.jsonl").read_text().splitlines()[0]
    assert json.loads(beir)["metadata"] == {"split": "test", "narrative": NARRATIVE}


def test_statistics_and_procedure_speak_of_topics(topics: Collection) -> None:
    figures = release_statistics(topics)
    assert (figures["splits"]["test"]["queries"], figures["splits"]["test"]["pairs"]) == (3, 60)
    manifest = create_release(collection=topics, name="v1", formats=["trec"]).manifest
    steps = {step.name: step.text for step in procedure(manifest)}
    assert "Draw" not in steps
    assert steps["Queries"].endswith("are topics: written as queries, so no moment is their source.")
    assert steps["Candidates"].startswith(
        "A query's candidates are a pool of at most 40 moments that were found for it"
    )


def test_drawn_queries_alone_have_no_word_of_topics(judged: World, tmp_path: Path) -> None:
    out = released(judged.collection, tmp_path / "out")
    manifest = json.loads((out / "manifest.json").read_text())
    assert not {"topics", "pairs_without_similarity"} & manifest.keys()
    assert sorted(path.name for path in (out / "trec").iterdir()) == [
        "moments.tsv",
        *("qrels.test.txt", "qrels.val.txt", "topics.test.tsv", "topics.val.tsv"),
    ]
    files = [path for path in out.rglob("*.*") if path.suffix != ".whl"]  # the library reads others' topics
    assert not [path for path in files if b"topics:" in path.read_bytes()]


def test_topics_beside_drawn_queries_are_released_with_them(judged: World, tmp_path: Path) -> None:
    """One of the two test queries becomes a topic: the rest is as it was."""
    query = judged.query("104")
    type(query).objects.filter(pk=query.pk).update(description=None, topic_id="00104", narrative="Long.")
    out = released(judged.collection, tmp_path / "out")
    assert check_release(out) == []
    assert [query["query_id"] for query in json.loads((out / "test.json").read_text())] == [103, "00104"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["topics"]["drawn"] == 3
    card = (out / "README.md").read_text()
    assert "0 queries of val and 1 of test are topics" in card and "at random from distinct captions (seed 7)" in card


def test_a_topic_with_the_id_of_a_drawn_query_stops_a_release(judged: World) -> None:
    query = judged.query("104")
    type(query).objects.filter(pk=query.pk).update(description=None, topic_id="103")
    with pytest.raises(Refused, match="two queries have the id 103: give the topic another one"):
        create_release(collection=judged.collection, name="v1")


def test_drawn_queries_need_pseudo_training_candidates_also_beside_topics(topics: Collection) -> None:
    drawn = make_topic(topics, "T9", "Somebody sings.")
    type(drawn).objects.filter(pk=drawn.pk).update(topic_id="", description=topics.descriptions.values("pk")[:1])
    Candidate.objects.filter(pk__in=Candidate.objects.filter(rank=25).values("pk")[:1]).update(query=drawn, rank=1)
    with pytest.raises(Refused, match="fetch candidates first"):
        create_release(collection=topics, name="v1")
