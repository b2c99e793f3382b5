"""Releases and leaderboards in the browser: who sees what of a released split, before and after the lead shares it."""

import hashlib
import math
import re
from base64 import b64decode
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from annotation.models import Computed, Pair
from annotation.precomputed import refresh
from annotation.review.adjudication import adjudicate_pair
from config.celery import app
from corpus.models import Clip, Moment
from datasets.leaderboard.runs import add_run, open_board
from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Board, Release, ReleaseJob, Run, RunAnswer
from datasets.releases import precomputed_diff
from datasets.releases.access import share_release
from datasets.releases.jobs import make_asked_release
from datasets.releases.make_release import create_release
from foundation.infra.job_control import stop_job
from foundation.infra.storage import store_file
from tests.api.callers import read
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World


@pytest.fixture
def empty_queue() -> Any:
    with app.connection_for_write() as broker:
        broker.default_channel.queue_declare("celery")
    yield
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("celery")


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def run(release: Release, tmp_path: Path) -> Run:
    queries = ground_truth(release, tmp_path / "v1")
    return scored(open_board(release=release, split="test"), "good", lines(perfect(queries)))


def logged_in(world: World, name: str) -> Client:
    client = Client()
    client.force_login(world.members[name].account)  # type: ignore[arg-type]
    return client


def shown(client: Client, address: str) -> str:
    """A page without its forms' tokens, in whose random letters any short word may stand."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", client.get(address).content.decode())


def of(name: str, *args: Any) -> str:
    return reverse(name, args=["tiny", *args])


def test_a_release_asked_for_in_the_browser_is_made_by_a_task(judged: World, empty_queue: None) -> None:
    ada = logged_in(judged, "ada")
    answer = ada.post(
        of("release-make"), {"name": "v1", "format": ["tvr-ranking"], "without_undecided": "on"}, follow=True
    )
    assert "No worker runs: start script/worker." in answer.content.decode()
    assert (
        ada.post(of("release-make"), {"name": "v1", "format": ["tvr-ranking"], "without_undecided": "on"}).status_code
        == 302
    )
    (job,) = ReleaseJob.objects.all()
    assert [one.pk for one in ReleaseJob.to_do()] == [job.pk]
    make_asked_release(job.pk)
    make_asked_release(job.pk)
    job.refresh_from_db()
    assert (job.state, job.release) == ("done", Release.objects.get(name="v1"))
    assert [one["name"] for one in read(ada, "collections/tiny/releases")["items"]] == ["v1"]
    assert ada.get(of("releases")).context["job"] is None
    assert ada.get(of("job-progress", "release", job.pk)).json()["finished"] is True


def test_a_release_has_the_lead_s_own_grades_only_where_its_form_says_so(judged: World, empty_queue: None) -> None:
    discarded = Pair.objects.get(status="discarded")
    adjudicate_pair(member=judged.members["ada"], pair_id=discarded.pk, grade=3, reason="The hat is hers.")
    ada = logged_in(judged, "ada")
    for name, form in (("plain", {}), ("whole", {"adjudicated": "on"})):
        ada.post(of("release-make"), {"name": name, "format": ["tvr-ranking"], "without_undecided": "on", **form})
        make_asked_release(ReleaseJob.objects.latest("pk").pk)
    plain, whole = (Release.objects.get(name=name) for name in ("plain", "whole"))
    assert "adjudicated.csv" not in plain.files and "adjudicated.csv" in whole.files
    assert whole.manifest["counts"]["val"]["pairs"] == plain.manifest["counts"]["val"]["pairs"] + 1


def test_a_stopped_run_is_resumed_by_its_uploader_and_leads_and_no_other_job_page_is_theirs(
    judged: World, release: Release, empty_queue: None
) -> None:
    share_release(release=release, members=True, hide_test=True)
    board, own = open_board(release=release, split="test"), BytesIO(b"{}")
    run = add_run(board=board, member=judged.members["bo"], file=own, file_name="run.jsonl")

    def answers(who: str, kind: str, *names: str) -> list[int]:
        client = logged_in(judged, who)
        found = [client.get(reverse("job-progress", args=["tiny", kind, run.pk])).status_code]
        found += [client.post(reverse(name, args=["tiny", kind, run.pk])).status_code for name in names]
        return found

    stop_job(run)
    assert answers("cy", "run", "job-resume", "job-stop") == [404, 404, 403]
    assert not Run.to_do().exists()
    assert answers("bo", "candidates", "job-resume", "job-stop") == [403, 403, 403], "a kind that is for leads"
    assert answers("bo", "run", "job-resume") == [200, 302]
    assert Run.to_do().get() == run
    assert answers("ada", "run", "job-stop", "job-resume") == [200, 302, 302]
    assert Run.to_do().get() == run


def test_a_release_that_can_t_be_made_says_why(unjudged: World, empty_queue: None) -> None:
    ada = logged_in(unjudged, "ada")
    ada.post(of("release-make"), {"name": "v1", "format": ["tvr-ranking"], "without_undecided": "on"})
    make_asked_release(ReleaseJob.objects.get().pk)
    said = ada.get(of("releases")).content.decode()
    assert "Release v1 was not made. No pair has a grade yet: open judging, and have pairs judged first." in said
    sent = {"name": "v2", "without_undecided": "on"}
    unsure = {"name": "v2", "format": ["tvr-ranking"], "licence": "MIT"}
    for form, beside, said in (
        (sent, 'id="format-wrong">', "Choose at least one format"),
        (unsure, 'id="undecided-wrong">', "confirm that it leaves them out."),
        (unsure | {"name": "-2"}, 'id="field-name-wrong">', "Letters, digits, dots, hyphens and underscores"),
        (unsure | {"name": "x" * 61}, 'id="field-name-wrong">', "at most 60 characters"),
    ):
        answer = ada.post(of("release-make"), form)
        page = answer.content.decode()
        assert answer.status_code == 400 and said in page.split(beside)[1].split("</p>")[0]
        assert f'value="{form["name"]}"' in page and (form is sent or ">MIT</textarea>" in page)
    assert ReleaseJob.objects.count() == 1


def test_one_release_shows_its_manifest_and_gives_its_files_as_released(judged: World, release: Release) -> None:
    ada = logged_in(judged, "ada")
    told = f"collections/tiny/releases/{release.pk}"
    assert read(ada, f"{told}/manifest") == release.manifest
    for file in read(ada, told)["files"]:
        assert file["sha256"] == release.files[file["path"]]
        answer = ada.get(of("release-file", release.pk, file["path"]))
        assert hashlib.sha256(b"".join(answer.streaming_content)).hexdigest() == file["sha256"]  # type: ignore[arg-type]
    page = ada.get(of("release", release.pk)).content.decode()
    assert "raw_annotations.csv" in page
    assert ada.get(of("release-archive", release.pk))["Content-Disposition"] == 'attachment; filename="tiny-v1.tar.gz"'
    assert ada.get(of("release-file", release.pk, "../secret")).status_code == 404
    # A download that broke off goes on, here as in the API.
    part = ada.get(of("release-file", release.pk, "manifest.json"), headers={"range": "bytes=2-"})
    assert part.status_code == 206 and part["ETag"] == f'"{release.manifest_sha256}"'


def test_differences_are_a_page_and_csv_and_in_the_api(judged: World, release: Release) -> None:
    ada = logged_in(judged, "ada")
    pair = judged.pair("103", 1)
    type(pair).objects.filter(pk=pair.pk).update(grade=(pair.grade or 0) + 1)
    later = create_release(collection=judged.collection, name="v2")
    address = of("release-differences", release.pk, later.pk)
    assert "1 difference" in ada.get(address).content.decode()
    assert read(ada, differences(release, later))["counts"]["test"]["grade"]["changed"] == 1
    csv = ada.get(of("release-differences-csv", release.pk, later.pk))
    assert len(b"".join(csv.streaming_content).decode().splitlines()) == 2  # type: ignore[arg-type]


def test_large_releases_are_compared_by_a_task_once_and_say_the_same(
    judged: World, release: Release, empty_queue: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = logged_in(judged, "ada")
    pairs = [judged.pair("103", rank) for rank in (1, 2)]
    for pair in pairs:
        type(pair).objects.filter(pk=pair.pk).update(grade=((pair.grade or 0) + 1) % 5)
    later = create_release(collection=judged.collection, name="v2")
    page, rows = (of(name, release.pk, later.pk) for name in ("release-differences", "release-differences-csv"))

    def told() -> tuple[Any, str]:
        answer = ada.get(rows)
        assert answer.status_code == 200
        return read(ada, differences(release, later)), b"".join(answer.streaming_content).decode()  # type: ignore[arg-type]

    small = told()
    monkeypatch.setattr(precomputed_diff, "AT_ONCE_BELOW", 1)
    monkeypatch.setattr(precomputed_diff, "SHOWN", 1)
    assert "The releases are being compared" in ada.get(page).content.decode()
    assert (ada.get(rows).status_code, ada.get(rows)["Retry-After"]) == (503, "5")
    assert read(ada, differences(release, later))["counts"] is None
    name = f"differences:{release.pk}-{later.pk}"
    assert waiting_tasks() == [[judged.collection.pk, name]], "one task, however often one looks"
    assert refresh(judged.collection.pk, name)
    assert told() == small
    # The releases don't change, so neither does this, however old it is.
    Computed.objects.update(as_of=timezone.now() - timedelta(days=900))
    assert told() == small
    assert waiting_tasks() == []


def differences(first: Release, second: Release) -> str:
    return f"collections/tiny/releases/{first.pk}/differences/{second.pk}"


def waiting_tasks() -> list[Any]:
    """The arguments of the tasks that wait at the broker, taken from it."""
    with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
        found = []
        while True:
            try:
                message = queue.get(block=False)
            except queue.Empty:
                return found
            message.ack()
            found.append(message.payload[0])


def test_what_isn_t_shared_isn_t_there_for_annotators(judged: World, run: Run) -> None:
    bo, release, answer = logged_in(judged, "bo"), run.board.release, RunAnswer.objects.all()[0]
    for address in (
        of("board", release.pk, "test"),
        of("run", run.pk),
        of("run-query", run.pk, answer.pk),
        of("run-figure", run.pk),
        of("run-file", run.pk),
        of("release-file", release.pk, "val.json"),
    ):
        assert bo.get(address).status_code == 404
    assert bo.post(of("run-upload", release.pk, "test")).status_code == 404
    assert "v1" not in shown(bo, of("shared-releases"))


def test_who_was_barred_or_removed_has_no_part_in_what_is_shared(judged: World, run: Run) -> None:
    release, answer = run.board.release, RunAnswer.objects.all()[0]
    share_release(release=release, members=True, hide_test=False)
    bo = logged_in(judged, "bo")
    pages = (
        of("board", release.pk, "test"),
        of("run", run.pk),
        of("run-query", run.pk, answer.pk),
        of("release-file", release.pk, "val.json"),
    )
    assert {bo.get(page).status_code for page in pages} == {200}
    judged.collection.memberships.filter(account__username="bo").update(status="barred")
    assert {bo.get(page).status_code for page in pages} == {404}
    assert "v1" not in shown(bo, of("shared-releases"))


def test_shared_with_hidden_truth_members_have_scores_and_no_ground_truth_of_test(judged: World, run: Run) -> None:
    release = run.board.release
    share_release(release=release, members=True, hide_test=True)
    bo = logged_in(judged, "bo")
    answer = RunAnswer.objects.all()[0]
    assert "1.0000" in bo.get(of("board", release.pk, "test")).content.decode()
    read(bo, f"collections/tiny/runs/{run.pk}/queries", 404)
    assert bo.get(of("run", run.pk)).context["queries"] == []
    assert bo.get(of("run-query", run.pk, answer.pk)).status_code == 404
    assert bo.get(of("run-figure", run.pk)).status_code == 404
    assert bo.get(of("run-file", run.pk)).status_code == 404
    said = bo.get(of("shared-releases")).content.decode()
    assert "val.json" in said
    (shown,) = bo.get(of("shared-releases")).context["releases"]
    assert shown["files"] == sorted(path for path in release.files if f">{path}<" in said)
    assert [one["path"] for one in read(bo, f"collections/tiny/releases/{release.pk}")["files"]] == shown["files"]
    for path in release.files:
        allowed = path.startswith("train_top") or path in ("val.json", "video_corpus.json")
        assert bo.get(of("release-file", release.pk, path)).status_code == (200 if allowed else 404)
        assert (path in said) == allowed
    assert bo.get(of("release", release.pk)).status_code == 403
    assert logged_in(judged, "ada").get(of("run-query", run.pk, answer.pk)).status_code == 200


def test_leads_alone_are_told_that_a_board_s_pairs_were_drawn(judged: World, run: Run) -> None:
    release = run.board.release
    share_release(release=release, members=True, hide_test=False)
    boards = [logged_in(judged, name) for name in ("ada", "bo")]
    address = of("board", release.pk, "test")
    assert ["was drawn to be judged" in one.get(address).content.decode() for one in boards] == [False, False]
    release.manifest["sampling"] = {"unit": "pair"}
    release.save()
    assert ["was drawn to be judged" in one.get(address).content.decode() for one in boards] == [True, False]


def test_shared_whole_members_see_each_query(judged: World, run: Run) -> None:
    share_release(release=run.board.release, members=True, hide_test=False)
    bo = logged_in(judged, "bo")
    for answer in RunAnswer.objects.all():
        assert bo.get(of("run-query", run.pk, answer.pk)).status_code == 200
    assert bo.get(of("release-file", run.board.release.pk, "test.json")).status_code == 200


def test_a_member_s_upload_is_kept_scored_and_their_own(
    judged: World, release: Release, tmp_path: Path, empty_queue: None
) -> None:
    share_release(release=release, members=True, hide_test=True)
    bo, cy = logged_in(judged, "bo"), logged_in(judged, "cy")
    empty = bo.get(of("board", release.pk, "test")).content.decode()
    assert "Runs appear here" in empty
    assert not Board.objects.exists(), "looking writes nothing"
    content = lines(reversed_run(ground_truth(release, tmp_path / "v1")))
    sent = {"file": SimpleUploadedFile("mine.jsonl", content)}
    page = bo.post(of("run-upload", release.pk, "test"), sent, follow=True)
    assert "No worker runs: start script/worker." in page.content.decode()
    run = Run.objects.get()
    assert [one.pk for one in Run.to_do()] == [run.pk]
    assert (run.member, run.name) == (judged.members["bo"], "mine")
    score_stored_run(run_id=run.pk)
    board = f"collections/tiny/releases/{release.pk}/boards/test"
    assert [(row["name"], row["worker"]) for row in read(cy, board)["rows"]] == [("mine", judged.members["bo"].worker)]
    assert b"".join(bo.get(of("run-file", run.pk)).streaming_content) == content  # type: ignore[arg-type]
    assert cy.post(of("run-withdraw", run.pk)).status_code == 404
    for form, field, said in (
        ({"file": SimpleUploadedFile("mine.jsonl", b"{}")}, "same_name", "replace it, or keep both"),
        ({"file": SimpleUploadedFile("a.jsonl", b"{}"), "run_name": "a/b"}, "run_name", "without slashes"),
        ({"file": SimpleUploadedFile("a.jsonl", b"")}, "file", "The file is empty."),
        ({"run_name": "mine"}, "file", "Choose a file."),
    ):
        asked = bo.post(of("run-upload", release.pk, "test"), form)
        assert asked.status_code == 400
        assert said in asked.content.decode().split(f'id="field-{field}-wrong">')[1].split("</p>")[0]
    assert bo.post(of("run-withdraw", run.pk)).status_code == 302
    assert read(cy, board)["rows"] == []


def test_the_lead_s_decision_what_to_share_is_kept(judged: World, release: Release) -> None:
    ada = logged_in(judged, "ada")
    for sent, expected in (
        ({"members": "on", "hide_test": "on"}, {"members": True, "hide_test": True}),
        ({}, {"members": False, "hide_test": False}),
    ):
        ada.post(of("release-share", release.pk), sent)
        assert read(ada, f"collections/tiny/releases/{release.pk}/sharing") == expected


def test_a_board_of_no_split_or_without_queries_isn_t_there(judged: World, release: Release) -> None:
    ada = logged_in(judged, "ada")
    assert ada.get(of("board", release.pk, "train")).status_code == 404
    assert ada.get(of("board", 10**30, "test")).status_code == 404
    assert ada.get(of("run", 10**30)).status_code == 404


def test_the_api_has_a_run_s_queries(judged: World, run: Run) -> None:
    ada = logged_in(judged, "ada")
    queries = f"collections/tiny/runs/{run.pk}/queries"
    first, _ = read(ada, f"{queries}?order=best")["answers"]
    assert ada.get(of("run-query", run.pk, first["answer"]) + "?iou=0.7").context["overlap"] == "0.7"
    assert len(read(ada, f"{queries}/{first['answer']}?iou=0.7")["drawing"]["lines"]) == first["moments"]


def test_chosen_queries_are_a_figure_with_what_was_found_missed_and_wrong(
    judged: World, release: Release, tmp_path: Path
) -> None:
    queries = ground_truth(release, tmp_path / "v1")
    rows = perfect(queries)
    # Of the first query the best moment is missed, and something wrong comes first.
    rows[0]["predictions"][0]["timestamp"] = [5000.0, 5001.0]
    run = scored(open_board(release=release, split="test"), "good", lines(rows))
    ada = logged_in(judged, "ada")
    first = queries[0]["query_id"]
    answer = ada.get(of("run-figure", run.pk), {"queries": first, "overlap": "0.5"})
    assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
    root = ElementTree.fromstring(answer.content)
    said = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    grades = sorted((moment["relevance"] for moment in queries[0]["relevant_moment"]), reverse=True)
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:10], start=1))
    ndcg = 1 - grades[0] / ideal
    assert f"NDCG@10, IoU \u2265 0.5: {ndcg:.4f}" in said
    assert any(text.endswith("5000.00\u20135001.00 s") for text in said)
    assert said.count("\u2013") == 1, "one prediction has no grade"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == min(10, len(grades)) - 1
    assert len(ElementTree.fromstring(ada.get(of("run-figure", run.pk)).content)) == 2
    # With pictures where there are any: of three moments one has a poster, one lost its, one's is damaged.
    picture = BytesIO()
    Image.new("RGB", (640, 360), "#3f8f80").save(picture, "JPEG")
    shown = sorted(queries[0]["relevant_moment"], key=lambda moment: -moment["relevance"])[:3]
    for place, (moment, content) in enumerate(zip(shown, (picture.getvalue(), None, b"no picture"), strict=True)):
        start, end = moment["timestamp"]
        stored = f"clips/figure-{place}.jpg" if content is None else store_file(f"clips/figure-{place}.jpg", content)
        there = Moment.objects.get(video__name=moment["video_name"], start=start, end=end)
        Clip.objects.update_or_create(moment=there, defaults={"video_file": "clips/a.mp4", "poster_file": stored})
    asked = {"queries": first, "overlap": "0.5"}
    drawn = ElementTree.fromstring(ada.get(of("run-figure", run.pk), {**asked, "pictures": "1"}).content)
    (missed,) = drawn.iter("{http://www.w3.org/2000/svg}image")
    assert missed.attrib["opacity"] == "0.25", "the best moment was missed, and is masked"
    small = Image.open(BytesIO(b64decode(missed.attrib["href"].removeprefix("data:image/jpeg;base64,"))))
    assert small.size == (206, 116) and float(drawn.attrib["height"]) > float(root.attrib["height"])
    names = [text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    left = [text for text in names if text.endswith(" s") and not re.match(r"\d+\. ", text)]
    assert len(left) == min(10, len(grades)) - 1
    assert ada.get(of("run-figure", run.pk), asked).content == answer.content, "none unless asked for"
    # A board that doesn't score NDCG has the same figure.
    Board.objects.update(measures=[f"other {place}" for place in range(len(run.board.measures))])
    assert ada.get(of("run-figure", run.pk), {"queries": first, "overlap": "0.5"}).content == answer.content
    for asked, told in (({"queries": "nobody"}, "'nobody'"), ({"depth": "11"}, "'11'"), ({"overlap": "1"}, "'1'")):
        refused = ada.get(of("run-figure", run.pk), asked)
        assert refused.status_code == 400 and told in refused.content.decode()
