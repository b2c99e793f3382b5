"""The paper theatre, released in every format after people judged it over HTTP, and read by readers of all kinds.

Videos are drawn and imported, descriptions rewritten and checked, queries drawn, candidates searched, judged by the
simulated annotators under a simulated lead: once for all tests here, which then have nothing but the release's files.
"""

import csv
import hashlib
import json
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from annotation.models import Batch, Judgment, Pair
from corpus.clips.import_videos import import_videos
from datasets.formats import FORMATS
from demo import build, truth, verify
from demo.plans import DemoPlan
from demo.simulated_annotators import TEMPERS, Annotator, Lead, Visitor
from evaluation.__main__ import main
from foundation.models import Account, Collection
from tests.datasets import readers
from tests.datasets.readers import Moment, Said
from tests.drawn import TwoFilms
from tests.e2e.conftest import WebServer
from tests.emptying import empty_database
from tests.workers import wait_until

# No test reads the database, but without the mark there is none for the release.
pytestmark = [pytest.mark.long, pytest.mark.django_db]

PLAN = DemoPlan("theatre", "Paper theatre", val=2, test=3, seed=7)
BATCH = 5


@pytest.fixture(scope="module")
def release(
    tmp_path_factory: pytest.TempPathFactory,
    two_films: TwoFilms,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Path]:
    """The folder of the release `v1`."""
    folder = tmp_path_factory.mktemp("theatre")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=folder / "media"):
        assert connection.settings_dict["NAME"].startswith("test_"), "it is emptied afterwards"
        try:
            _judge(_open(two_films))
            chosen = {"release": "v1", "formats": list(FORMATS), "verbosity": 0}
            call_command("export_release", PLAN.name, str(folder / "v1"), **chosen)
        finally:
            empty_database()
    yield folder / "v1"


def _open(films: TwoFilms) -> Collection:
    theatre = truth.theatre_folder()
    films.build(theatre, videos=2)
    described = {"format": "tvr", "title": PLAN.title, "without_clips": True}
    build.run("import_descriptions", PLAN.name, theatre / "descriptions.jsonl", **described)
    collection = Collection.objects.get(name=PLAN.name)
    import_videos(collection=collection, folder=theatre / "videos")
    collection.batch_size = BATCH
    collection.save()
    build.rewrite(PLAN)
    return collection


def _judge(collection: Collection) -> None:
    """Two batches a query where the lead opens the second; the people know what is true as well as their temper lets
    them."""
    lead_name, names = build.make_accounts(collection, names=build.ANNOTATORS[:4])
    server = WebServer()
    server.start()
    try:
        lead = Lead(Visitor(server.address, lead_name, build.PASSWORD), PLAN.name)
        lead.review_captions()
        build.open_judging(PLAN)
        known = truth.theatre_truth()
        people = [
            Annotator(Visitor(server.address, name, build.PASSWORD), PLAN.name, temper, known, seed, watch=False)
            for seed, (name, temper) in enumerate(zip(names, TEMPERS[-4:], strict=True))
        ]
        _until_all_is_judged(collection, [*(person.work for person in people), lead.work])
    finally:
        server.stop()
    verify.every_pair_is_judged_right(collection)


def _until_all_is_judged(collection: Collection, works: list[Callable[[threading.Event], None]]) -> None:
    stop, failures = threading.Event(), list[BaseException]()

    def guarded(work: Callable[[threading.Event], None]) -> None:
        try:
            work(stop)
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    undecided = Batch.objects.filter(query__collection=collection).exclude(status__in=["finished", "extended"])
    try:
        wait_until(lambda: failures or not undecided.exists(), seconds=300)
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
    assert failures == []


@pytest.fixture(scope="module")
def stated(release: Path) -> Said:
    """What the files of TVR-Ranking say, whose every field the reader has checked."""
    return readers.read_tvr_ranking(release)


def test_all_that_it_claims_holds(release: Path) -> None:
    assert main(["verify", str(release)]) == 0


def test_there_is_something_to_read(release: Path, stated: Said) -> None:
    manifest = json.loads((release / "manifest.json").read_bytes())
    assert manifest["formats"] == list(FORMATS)
    assert {split: len(texts) for split, texts in stated.texts.items()} == {"val": PLAN.val, "test": PLAN.test}
    grades = [grade for split in readers.SPLITS for grade in stated.grades[split].values()]
    assert len(grades) >= (PLAN.val + PLAN.test) * BATCH / 2, "flagged pairs may be out, and those in dispute"
    assert len(set(grades)) >= 3, "people found better and worse ones"
    assert len({row["worker"] for row in stated.judgments}) >= 3
    assert len(stated.training) >= 5
    assert len(stated.videos) == 2


@pytest.mark.parametrize(
    "read",
    [readers.read_by_pyarrow, readers.read_by_pandas, readers.read_by_mlcroissant],
    ids=lambda read: read.__name__,
)
def test_a_reader_of_tables_finds_what_the_json_files_say(
    release: Path, stated: Said, read: Callable[[Path], Said]
) -> None:
    content = read(release)
    assert content.texts == stated.texts
    assert content.pairs == stated.pairs
    assert content.judgments == stated.judgments
    assert content.training == stated.training
    assert content.videos == stated.videos
    assert {split: list(content.grades[split]) for split in content.grades} == {
        split: list(stated.grades[split]) for split in stated.grades
    }, "in the same order"


@pytest.mark.parametrize("read", [readers.read_trec, readers.read_beir], ids=lambda read: read.__name__)
def test_a_reader_of_qrels_finds_what_the_json_files_say(
    release: Path, stated: Said, read: Callable[[Path], Said]
) -> None:
    content = read(release)
    assert content.texts == stated.texts
    assert content.grades == stated.grades
    assert content.moments == readers.read_by_pyarrow(release).moments


def test_moments_and_videos_are_the_theatres_own(release: Path, stated: Said) -> None:
    from demo.theatre import read_scenes

    scenes = read_scenes(truth.theatre_folder())
    moments = readers.read_trec(release).moments
    assert set(moments) == {(scene.video_name, scene.start, scene.end) for scene in scenes}
    assert set(stated.videos) == {scene.video_name for scene in scenes}
    for (video_name, _, end), duration in moments.items():
        assert duration == stated.videos[video_name]
        assert duration is not None and end <= duration
    described = {str(scene.description_id) for scene in scenes}
    assert {*stated.texts["val"], *stated.texts["test"], *(query for query, _, _ in stated.training)} <= described


def test_the_grades_follow_from_the_raw_annotations_by_plain_arithmetic(stated: Said) -> None:
    given: dict[int, list[int]] = defaultdict(list)
    for row in stated.judgments:
        given[row["pair_id"]].append(row["relevance"])
    expected = {}
    for pair, grades in given.items():
        assert len(grades) in (2, 4)
        left = sorted(grades) if len(grades) == 2 else sorted(grades)[1:3]
        if left[1] - left[0] <= 1:
            expected[pair] = math.ceil(sum(left) / 2)
    assert {row["pair_id"]: row["relevance"] for split in readers.SPLITS for row in stated.pairs[split]} == expected


def test_the_splits_share_no_caption(stated: Said) -> None:
    judged = [" ".join(text.casefold().split()) for split in readers.SPLITS for text in stated.texts[split].values()]
    assert len(set(judged)) == len(judged)
    assert not set(judged) & {" ".join(text.casefold().split()) for _, text, _ in stated.training}


def test_shallower_training_files_are_the_beginnings_of_the_deepest(release: Path, stated: Said) -> None:
    for depth in (1, 20):
        shallow = readers.read_tvr_ranking(release, depth=depth).training
        assert shallow == [(query_id, text, moments[:depth]) for query_id, text, moments in stated.training]


@pytest.mark.parametrize("split", readers.SPLITS)
def test_a_run_has_the_ndcg_that_plain_arithmetic_over_the_json_file_gives(
    release: Path, stated: Said, split: str
) -> None:
    """The run ranks every moment of the collection by a fixed luck, so that some of it isn't judged."""
    moments = readers.read_trec(release).moments
    run = {query: {moment: _luck(query, moment) for moment in moments} for query in stated.texts[split]}
    spelled = {
        readers.quote(query, safe=""): {readers.moment_id(moment): score for moment, score in own.items()}
        for query, own in run.items()
    }
    expected = []
    for query, own in run.items():
        best_first = sorted(own, key=lambda moment: -own[moment])
        gains = [stated.grades[split].get((query, moment), 0) for moment in best_first]
        ideal = sorted((grade for (of, _), grade in stated.grades[split].items() if of == query), reverse=True)
        expected.append(_dcg(gains) / _dcg(ideal) if any(ideal) else 0.0)
    by_ir_measures, by_pytrec_eval = readers.scores_of_libraries(release, split, spelled)
    assert by_ir_measures == pytest.approx(sum(expected) / len(expected), abs=1e-9)
    assert by_pytrec_eval == pytest.approx(by_ir_measures, abs=1e-12)
    assert 0 < by_ir_measures < 1


def _luck(query: str, moment: Moment) -> float:
    return int.from_bytes(hashlib.sha256(f"{query} {moment}".encode()).digest()[:4], "big") / 2**32


def _dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:20], start=1))


def test_the_manifest_knows_every_file_by_its_bytes_and_counts_what_is_in_them(release: Path, stated: Said) -> None:
    manifest: dict[str, Any] = json.loads((release / "manifest.json").read_bytes())
    there = {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}
    del there["manifest.json"]
    assert manifest["files"] == {
        path: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)} for path, content in there.items()
    }
    for split in readers.SPLITS:
        counts = manifest["counts"][split]
        assert (counts["queries"], counts["pairs"]) == (len(stated.texts[split]), len(stated.pairs[split]))
    assert sum(manifest["counts"][split]["judgments"] for split in readers.SPLITS) == len(stated.judgments)
    assert manifest["counts"]["training"]["queries"] == len(stated.training)
    assert manifest["counts"]["workers"] == len({row["worker"] for row in stated.judgments})


def test_card_and_datasheet_tell_the_same_counts(release: Path, stated: Said) -> None:
    card = (release / "parquet" / "README.md").read_text(encoding="utf-8")
    sheet = (release / "datasheet" / "DATASHEET.md").read_text(encoding="utf-8")
    pairs = {split: len(stated.pairs[split]) for split in readers.SPLITS}
    assert f"| `grades` | val {pairs['val']}, test {pairs['test']} |" in card
    assert f"| Graded pairs | {pairs['val']} | {pairs['test']} |" in card
    assert f"{pairs['val']} pairs of {PLAN.val} val queries and {pairs['test']} pairs of {PLAN.test} test" in sheet
    with (release / "raw_annotations.csv").open(newline="") as file:
        judgments = len(list(csv.DictReader(file)))
    assert f"gave {judgments} judgments in this release" in sheet


def test_its_raw_annotations_judged_into_another_collection_give_the_same_grades(release: Path, stated: Said) -> None:
    call_command("import_judgments", "imported", str(release / "raw_annotations.csv"), verbosity=0)
    pairs = Pair.objects.filter(batch__query__collection__name="imported").select_related(
        "candidate__moment__video", "batch__query__description"
    )
    grades: dict[tuple[str, Moment], int | None] = {}
    for pair in pairs:
        moment = pair.candidate.moment
        query = pair.batch.query
        grades[query.description.source_id, (moment.video.name, moment.start, moment.end)] = pair.grade
        assert pair.status == ("discarded" if pair.grade is None else "consensus")
    expected: dict[tuple[str, Moment], int | None] = {
        (row["query_id"], (row["video_name"], row["start"], row["end"])): None for row in stated.judgments
    }
    for split in readers.SPLITS:
        expected |= stated.grades[split]
    assert grades == expected
    given = Judgment.objects.filter(pair__in=pairs, counted=True).order_by("pk")
    assert sorted(given.values_list("annotator__worker", "grade")) == sorted(
        (row["worker"], row["relevance"]) for row in stated.judgments
    )
    assert not Account.objects.filter(memberships__collection__name="imported").exists()
