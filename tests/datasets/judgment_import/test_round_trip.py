"""A collection's own raw annotations, imported: into itself, into a fresh collection, and beside people at work."""

import csv
import threading
from pathlib import Path

import pytest
from django.db import connection, transaction

from annotation.batches.transitions import settle_batch
from annotation.judging.judgments import give_judgment
from annotation.models import Batch, Judgment, Pair, Seat
from annotation.review.decisions import review_batch
from corpus.description_formats import BadFile
from datasets.judgment_import.import_judgments import import_judgments
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection, Membership
from queries.models import Caption, Query
from tests.annotation.judging_steps import graded
from tests.datasets.conftest import World, write_training
from tests.datasets.judgment_files import row, write_raw


def export(collection: Collection, folder: Path) -> Path:
    write_release(release=create_release(collection=collection, name="v1"), folder=folder)
    assert check_release(folder) == []
    return folder / "raw_annotations.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    """All but the pair ids: these are the collection's own."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: value for name, value in row.items() if name != "pair_id"} for row in csv.DictReader(file)]


def state() -> list[object]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (Pair, Judgment, Batch, Seat, Membership, Query, Caption)
    ]


def fresh_collection(name: str = "fresh") -> Collection:
    return Collection.objects.create(name=name, title="Fresh", has_clips=False, batch_size=3)


def test_importing_its_own_export_changes_nothing_although_its_workers_have_accounts(
    judged: World, tmp_path: Path
) -> None:
    path = export(judged.collection, tmp_path / "out")
    before = state()
    report = import_judgments(collection=judged.collection, path=path)
    assert (report.added, report.unchanged) == (0, len(rows_of(path)))
    assert state() == before


def test_exported_imported_into_a_fresh_collection_and_exported_again_gives_the_same_rows(
    judged: World, tmp_path: Path
) -> None:
    path = export(judged.collection, tmp_path / "out")
    fresh = fresh_collection()
    import_judgments(collection=fresh, path=path)
    write_training(
        fresh,
        list(Caption.objects.filter(description__collection=fresh).select_related("description").order_by("pk")),
    )
    again = export(fresh, tmp_path / "again")
    assert rows_of(again) == rows_of(path)
    assert len({row["worker"] for row in rows_of(again)}) == 4
    assert not fresh.memberships.filter(account__isnull=False).exists()


def test_pairs_and_batches_are_as_judging_one_by_one_leaves_them(judged: World, tmp_path: Path) -> None:
    fresh = fresh_collection()
    import_judgments(collection=fresh, path=export(judged.collection, tmp_path / "out"))
    judged_one_by_one, imported = (
        [
            (pair.candidate.rank, pair.status, pair.grade, pair.version, pair.batch.number)
            for pair in Pair.objects.filter(batch__collection=collection)
            .select_related("candidate", "batch")
            .order_by("batch__query__split", "batch__query__text", "candidate__rank")
        ]
        for collection in (judged.collection, fresh)
    )
    assert sorted(imported) == sorted(judged_one_by_one)
    assert Batch.objects.filter(collection=fresh, status="extended").exists()
    for batch in Batch.objects.filter(collection=fresh):
        with transaction.atomic():
            assert settle_batch(batch.pk) == batch.status


def test_half_a_file_then_all_of_it_is_all_of_it(judged: World, tmp_path: Path) -> None:
    path = export(judged.collection, tmp_path / "out")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first = [row for row in rows if row["query_id"] in (rows[0]["query_id"], rows[-1]["query_id"])]
    fresh = fresh_collection()
    assert import_judgments(collection=fresh, path=write_raw(tmp_path / "half.csv", first)).added == len(first)
    report = import_judgments(collection=fresh, path=path)
    assert (report.added, report.unchanged) == (len(rows) - len(first), len(first))


def test_a_batch_that_the_file_ends_frees_its_seats(unjudged: World, tmp_path: Path) -> None:
    pairs = Pair.objects.filter(batch__query=unjudged.query("101")).select_related(
        "batch__query__description", "candidate__moment__video"
    )
    rows = []
    for pair in pairs:
        moment = pair.candidate.moment
        about = {
            "pair_id": pair.pk,
            "query": pair.batch.query.text,
            "video_name": moment.video.name,
            "timestamp": f"[{moment.start}, {moment.end}]",
            "duration": "",
            "caption": "Whatever.",
        }
        rows += [row(worker, 2, query="101") | about for worker in ("x1", "x2")]
    unjudged.judge(pairs[0], ("bo", 3))
    path = write_raw(tmp_path / "a.csv", rows)
    with pytest.raises(BadFile, match="no third judgment: the first 2 decide it"):
        import_judgments(collection=unjudged.collection, path=path)
    assert Seat.objects.filter(ended_at__isnull=True).count() == 1
    path = write_raw(
        tmp_path / "b.csv", [one for one in rows if one["worker"] == "x1" or one["pair_id"] != pairs[0].pk]
    )
    import_judgments(collection=unjudged.collection, path=path)
    assert Batch.objects.get(query=unjudged.query("101")).status == "decided"
    assert not Seat.objects.filter(ended_at__isnull=True).exists()
    # Somebody's stored judgment came first.
    assert list(pairs[0].judgments.order_by("pk").values_list("annotator__worker", "grade")) == [("w02", 3), ("x1", 2)]


def test_what_the_lead_finished_stays_closed(judged: World, tmp_path: Path) -> None:
    batch = Batch.objects.get(query=judged.query("101"), status="decided")
    review_batch(member=judged.members["ada"], batch_id=batch.pk, decision="finish")
    candidate = batch.query.candidates.select_related("moment__video").get(rank=4)
    about = {
        "query": batch.query.text,
        "video_name": candidate.moment.video.name,
        "timestamp": f"[{candidate.moment.start}, {candidate.moment.end}]",
        "duration": "",
    }
    path = write_raw(tmp_path / "a.csv", [row("x1", 2, query="101") | about])
    with pytest.raises(BadFile, match="line 2, pair: found a pair that isn't open, expected one of the batches"):
        import_judgments(collection=judged.collection, path=path)


def test_judging_the_same_pair_meanwhile_waits_and_then_comes_too_late(unjudged: World, tmp_path: Path) -> None:
    pair = unjudged.pair("101", 1)
    unjudged.judge(pair, ("bo", 3))
    unjudged.judge(unjudged.pair("101", 2), ("cy", 3))  # has a seat there
    moment = pair.candidate.moment
    about = {
        "query": pair.batch.query.text,
        "video_name": moment.video.name,
        "timestamp": f"[{moment.start}, {moment.end}]",
        "duration": "",
    }
    path = write_raw(tmp_path / "a.csv", [row("x1", 3, query="101") | about])
    kept: list[str] = []

    def judge() -> None:
        sent = graded(pair.public_id, 3)
        kept.append(give_judgment(member=unjudged.members["cy"], sent=sent).outcome)
        connection.close()

    thread = threading.Thread(target=judge)
    with transaction.atomic():
        import_judgments(collection=unjudged.collection, path=path)
        thread.start()
        with connection.cursor() as cursor:
            waiting = False
            while thread.is_alive() and not waiting:
                cursor.execute(
                    "SELECT EXISTS (SELECT FROM pg_locks"
                    " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
                )
                (waiting,) = cursor.fetchone()
    assert waiting
    thread.join()
    assert kept == ["late"]
    assert list(pair.judgments.filter(counted=True).order_by("pk").values_list("annotator__worker", flat=True)) == [
        "w02",
        "x1",
    ]
