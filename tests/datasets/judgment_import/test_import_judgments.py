"""`import_judgments`: files of judgments made elsewhere become judgments under the collection's rule."""

import json
from pathlib import Path
from unicodedata import normalize

import pytest

from annotation.batches import webhook_events
from annotation.batches.transitions import rule_of, settle_batch
from annotation.models import Batch, Judgment, Pair
from annotation.review.consensus_replay import replay_collection
from corpus.models import Description, Moment, Video
from datasets.judgment_import.import_judgments import import_judgments
from foundation.models import Collection, Webhook
from foundation.refused import Refused
from foundation.webhooks.kinds import KINDS
from queries.models import Candidate, Caption, Query
from queries.pooling.query_selection import select_queries
from tests.datasets.importing import pair, run
from tests.datasets.judgment_files import JUDGED, QUERIES, row, write_raw

pytestmark = pytest.mark.django_db


def test_a_new_collection_gets_all_that_the_judgments_need(raw: Path) -> None:
    said = run("fresh", raw, "--title", "Fresh")
    assert "11 judgments added, 0 unchanged; 2 new queries, 4 new pairs, 4 new workers." in said
    assert "Of the pairs that got judgments 2 graded, 1 discarded, 0 in the second round, 1 in the first round." in said
    collection = Collection.objects.get(name="fresh")
    assert (collection.title, collection.has_clips) == ("Fresh", False)
    assert {(member.worker, member.role, member.account) for member in collection.memberships.all()} == {
        (worker, "annotator", None) for worker in ("w1", "w2", "w3", "w4")
    }
    assert set(Video.objects.values_list("name", "duration")) == {("alpha", 60.5), ("beta", None)}
    assert Moment.objects.count() == 3
    assert list(Query.objects.order_by("position").values_list("description__source_id", "split", "text")) == [
        ("11", "test", QUERIES["11"]),
        ("12", "test", QUERIES["12"]),
    ]
    assert {caption.status for caption in Caption.objects.all()} == {"accepted"}
    ranked = Candidate.objects.filter(query__text=QUERIES["11"]).order_by("rank")
    assert [(found.rank, found.similarity, found.caption.text) for found in ranked] == [
        (1, 1.0, "A woman opens the door."),
        (2, 0.7, "A man pours coffee."),
    ]


def test_the_collections_rule_decides_and_rounds_follow_the_order_of_the_file(raw: Path) -> None:
    run("fresh", raw)
    assert [(p.status, p.grade, p.version) for p in Pair.objects.order_by("pk")] == [
        ("consensus", 4, 2),
        ("consensus", 1, 4),
        ("discarded", None, 4),
        ("open", None, 1),
    ]
    rounds = Judgment.objects.filter(pair=pair("12", "alpha", 5.0)).order_by("pk")
    assert [(one.annotator.worker, one.grade, one.round) for one in rounds] == [
        ("w1", 0, 1),
        ("w2", 4, 1),
        ("w4", 1, 2),
        ("w3", 3, 2),
    ]
    collection = Collection.objects.get()
    assert replay_collection(collection=collection, rule=rule_of(collection)).changed == 0


def test_webhooks_are_told_in_bulk_of_what_an_import_settles(raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = Webhook.objects.create(address="https://hooks.example.org", kinds=[*KINDS])
    collection = Collection.objects.create(name="fresh", title="Fresh", has_clips=False, batch_size=1, max_batches=1)
    monkeypatch.setattr(webhook_events, "AT_ONCE", 1)
    run("fresh", raw)
    events = [json.loads(one.body) for one in hook.events.order_by("pk")]
    data = {kind: [one for event in events if event["type"] == kind for one in event["data"]["many"]] for kind in KINDS}
    (discarded,) = Pair.objects.filter(status="discarded")
    place = {"query": discarded.batch.query_id, "batch": discarded.batch.number}
    assert data["pair.discarded"] == [{**place, "pair": discarded.pk}]
    done = Batch.objects.filter(status__in=["extended", "finished"]).order_by("query", "number")
    assert data["batch.decided"] == [{"query": one.query_id, "batch": one.number, "status": one.status} for one in done]
    finished = done.filter(status="finished")
    assert data["query.finished"] == [{"query": one.query_id, "batches": one.number} for one in finished]
    assert len(finished) and {event["collection"] for event in events} == {collection.name}
    assert all(len(event["data"]["many"]) == 1 for event in events)
    run("fresh", raw)
    assert hook.events.count() == len(events), "what is imported again settles nothing"


def test_importing_again_changes_nothing_and_says_so(raw: Path) -> None:
    run("fresh", raw)
    before = list(Pair.objects.order_by("pk").values())
    assert run("fresh", raw) == ("0 judgments added, 11 unchanged; 0 new queries, 0 new pairs, 0 new workers.\n")
    assert before == list(Pair.objects.order_by("pk").values())
    assert Judgment.objects.count() == 11


def test_a_longer_file_adds_what_is_new_and_ends_the_round(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    longer = write_raw(tmp_path / "longer.csv", [*JUDGED, row("w3", 2, query="12", moment=2)])
    assert "1 judgment added, 11 unchanged; 0 new queries" in run("fresh", longer)
    assert (pair("12", "beta", 0.0).status, pair("12", "beta", 0.0).grade) == ("consensus", 2)
    assert Batch.objects.get(query__text=QUERIES["12"]).status == "finished"


@pytest.mark.parametrize(
    ("size", "deep", "statuses"),
    [
        (1, 2, ["extended", "extended", "first"]),
        (2, 2, ["extended", "first"]),
        (3, 2, ["first"]),
    ],
)
def test_batches_have_the_collections_size_and_their_status_is_what_settling_each_gives(
    tmp_path: Path, size: int, deep: int, statuses: list[str]
) -> None:
    collection = Collection.objects.create(name="sized", title="Sized", has_clips=False, batch_size=size)
    rows = [row(worker, 3, moment=moment) for moment in range(deep) for worker in ("w1", "w2")]
    import_judgments(collection=collection, path=write_raw(tmp_path / "a.csv", [*rows, row("w1", 1, moment=2)]))
    batches = list(Batch.objects.order_by("number"))
    assert [batch.status for batch in batches] == statuses
    assert all(batch.begun_at is not None for batch in batches)
    assert [settle_batch(batch.pk) for batch in batches] == statuses


@pytest.mark.parametrize("max_batches", [1, 2])
@pytest.mark.parametrize("grades", [(3, 4), (0, 4), (0, 4, 0, 1), (2,)], ids=str)
def test_a_single_batch_is_as_settling_it_leaves_it(tmp_path: Path, grades: tuple[int, ...], max_batches: int) -> None:
    collection = Collection.objects.create(name="one", title="One", batch_size=3, max_batches=max_batches)
    rows = [row(f"w{number}", grade) for number, grade in enumerate(grades)]
    rows += [row(worker, 1, moment=1) for worker in ("w1", "w2")]
    import_judgments(collection=collection, path=write_raw(tmp_path / "a.csv", rows))
    imported = Batch.objects.get().status
    Batch.objects.update(status="decided" if imported == "first" else "first")
    assert settle_batch(Batch.objects.get().pk) == imported


def test_the_split_is_asked_for_and_the_queries_can_not_be_drawn_again(raw: Path) -> None:
    run("fresh", raw, "--split", "val")
    assert set(Query.objects.values_list("split", "position")) == {("val", 1), ("val", 2)}
    with pytest.raises(Refused, match="came with imported judgments"):
        select_queries(collection=Collection.objects.get(), val=1, test=0, seed=1)


def test_a_query_whose_own_moment_is_not_in_the_file_keeps_its_id_and_accepts_no_caption(tmp_path: Path) -> None:
    path = write_raw(tmp_path / "a.csv", [row("w1", 1, moment=2), row("w2", 1, moment=2)])
    run("fresh", path)
    query = Query.objects.get()
    assert query.description.source_id == "11"
    assert query.description.caption.status == "refused"
    assert list(Caption.objects.filter(status="accepted").values_list("text", flat=True)) == ["Two people dance."]


def test_a_source_id_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    collection = Collection.objects.create(name="taken", title="Taken")
    moment = Moment.objects.create(video=Video.objects.create(collection=collection, name="other"), start=1, end=2)
    Description.objects.create(collection=collection, moment=moment, source_id="11", text="Else", normalised="else")
    run("taken", write_raw(tmp_path / "a.csv", JUDGED))
    query = Query.objects.get(text=QUERIES["11"])
    assert query.description.source_id.startswith("query-")
    assert query.description.caption.status == "accepted"


def test_a_second_file_with_other_queries_shares_the_moments_and_keeps_its_ids(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    dance = {"query": "Two people dance.", "query_id": "13", "pair_id": "x"}
    run("fresh", write_raw(tmp_path / "b.csv", [row("w1", 4, moment=2, similarity=1.0) | dance]), "--split", "val")
    assert Query.objects.get(text="Two people dance.").description.source_id == "13"
    assert Moment.objects.count() == 3


def test_it_shows_its_progress(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fresh", raw)
    assert "Importing: 11 judgments" in capsys.readouterr().err


def test_names_in_another_unicode_form_are_those_that_are_there(raw: Path, tmp_path: Path) -> None:
    rows = [row(worker, 3) | {"video_name": "café", "query": "A café opens."} for worker in ("José", "Zoë")]
    assert "2 judgments added" in run("fresh", write_raw(tmp_path / "a.csv", rows))
    again = [{key: normalize("NFD", str(value)) for key, value in one.items()} for one in rows]
    said = run("fresh", write_raw(tmp_path / "b.csv", again))
    assert "0 judgments added, 2 unchanged; 0 new queries, 0 new pairs, 0 new workers." in said
    assert (Video.objects.get().name, Query.objects.count()) == ("café", 1)
