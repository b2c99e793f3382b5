"""Runs that teams send: checked whole with lines, within deadlines and limits, and scored as on boards."""

import gzip
import json
import time
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from campaigns.models import Submission, SubmissionScore, TeamMember
from campaigns.planning.campaigns import change_campaign, delete_campaign, make_campaign
from campaigns.results.board import board_of_campaign
from campaigns.results.opening import open_results
from campaigns.submissions.check import MOST_FAULTS, check_run
from campaigns.submissions.decisions import (
    exclude_submission,
    include_submission,
    set_priority,
    withdraw_submission,
)
from campaigns.submissions.jobs import check_submission
from campaigns.submissions.receive import REFUSED_A_DAY, standing
from campaigns.teams.teams import disqualify_team, extend_team, readmit_team
from foundation.access.arrival_time import database_now
from foundation.collections.members import add_member
from foundation.models import Webhook, WebhookEvent
from foundation.refused import FileRefused, Refused
from tests.campaigns.worlds import TRUTH, Shared, build_shared, end, good_run, lines

VIDEOS = {"alpha": 60.0, "beta": None, "gamma": 60.0}


def checked(tmp_path: Path, content: bytes, **how: Any) -> Any:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    return check_run(
        path, topics=how.pop("topics", {"1", "2", "3"}), videos=VIDEOS, end_slack=1.0, most_predictions=3, **how
    )


def row(query: Any, *moments: tuple[str, float, float]) -> dict[str, Any]:
    return {"query_id": query, "predictions": [{"video_name": v, "timestamp": [a, b]} for v, a, b in moments]}


def test_every_fault_is_told_with_its_line(tmp_path: Path) -> None:
    file = checked(
        tmp_path,
        lines(
            [
                row(1, ("alpha", 0, 5), ("delta", 0, 5)),
                "{broken",
                row(9, ("alpha", 0, 5)),
                row(2, ("alpha", 58, 62), ("beta", 900, 910)),
                row(1, ("alpha", 0, 5)),
                {"query_id": 3, "predictions": [{"video_name": "alpha"}]},
                row(3, ("alpha", 0, 5), ("alpha", 1, 5), ("alpha", 2, 5), ("alpha", 3, 5)),
            ]
        ),
    )
    assert [(fault.place.partition(",")[0], fault.found.partition(" (")[0]) for fault in file.faults] == [
        ("line 1", "video_name 'delta'"),
        ("line 2", "'{broken'"),
        ("line 3", "query_id '9'"),
        ("line 4", "timestamp [58, 62]"),
        ("line 5", "query_id '1' a second time"),
        ("line 6", "no timestamp"),
        ("line 7", "4 predictions for query_id '3'"),
    ]
    assert not file.more


MANY = [f"line {number}" for number in range(1, MOST_FAULTS + 1)]


@pytest.mark.parametrize(
    ("content", "places", "more"),
    [
        (b"1 Q0 alpha:0-5 1 0.9 x\n1 Q0 nothing 2 0.8 x\n7 Q0 alpha:1-5 1 0.7 x\n", ["line 2", "line 3"], False),
        (b"1 Q0 alpha:0-5 1 0.9 x\r\n1 Q0 alpha:0-5\r\n2 Q0 alpha:5-1 1 1 x", ["line 2", "line 3"], False),
        (b'{"1": [{"video_name": "alpha", "timestamp": [5, 1]}]}', ["line 1, query_id '1', prediction 1"], False),
        (
            b"1 Q0 alpha:0-5 1 0.9 x\n7 Q0 alpha:1-5 1 0.7 x\n1 Q0 delta:0-5 2 0.5 x\n2 Q0 alpha:9-99 1 1 x\n",
            ["line 2", "line 3", "line 4"],
            False,
        ),
        (
            b'{"1": [{"video_name": "alpha", "timestamp": [0, 5]}, {"video_name": "delta", "timestamp": [0, 5]}],\n'
            b'"9": [{"video_name": "alpha", "timestamp": [0, 5]}, {"video_name": "alpha", "timestamp": [9, 99]}]}',
            ["line 1, query_id 1, prediction 2", "line 2, query_id 9", "line 2, query_id 9, prediction 2"],
            False,
        ),
        (b"[]", ["line 1"], False),
        (b"\xff\xfe\x00", [""], False),
        # Past what can't be unpacked there may be more.
        (b"\x1f\x8bnot gzip", ["after line 0"], True),
        (gzip.compress(lines([row(1, ("alpha", 0, 5)), "{"]), mtime=0), ["line 2"], False),
        (lines([row(1)]), [""], False),
        (lines([row(number, ("alpha", 0, 5)) for number in range(100, 160)]), MANY, True),
        (b"{\n" * 60, MANY, True),
    ],
)
def test_broken_files_of_all_formats(tmp_path: Path, content: bytes, places: list[str], more: bool) -> None:
    file = checked(tmp_path, content)
    assert [fault.place for fault in file.faults] == places, file.faults
    assert file.more == more


def test_a_run_with_many_faults_is_read_about_twice(tmp_path: Path) -> None:
    good = [row(number, *[("alpha", 0, 5)] * 200) for number in range(2000)]
    topics = {str(number) for number in range(2000)}

    def seconds(rows: list[Any]) -> tuple[int, float]:
        path = tmp_path / "run.jsonl"
        path.write_bytes(lines(rows))
        began = time.process_time()
        file = check_run(path, topics=topics, videos={"alpha": 60.0}, end_slack=0.0, most_predictions=1000)
        return len(file.faults), time.process_time() - began

    faults, once = seconds(good)
    assert not faults
    faults, spoiled = seconds([*good, *["{broken"] * (MOST_FAULTS - 1)])
    assert faults == MOST_FAULTS - 1 and spoiled < 6 * once, "and not once a fault"


def bytes_read() -> int:
    """What this process has read from files so far, as the kernel counts it."""
    return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])


def test_an_accepted_run_is_parsed_once_and_one_with_twenty_faults_twice(shared: Shared) -> None:
    def times_read(team: str, *beyond: Any) -> tuple[Submission, float]:
        rows = [json.loads(line) | {"note": "x" * (4 << 20)} for line in good_run().splitlines()]
        rows[2]["predictions"] += beyond
        content = lines(rows)
        run = shared.receive(team, content)
        before = bytes_read()
        check_submission(run.pk)
        return Submission.objects.get(pk=run.pk), (bytes_read() - before) / len(content)

    good, times = times_read("Reds")
    assert good.state == "accepted" and SubmissionScore.objects.get(submission=good).values["NDCG@20,IoU>=0.5"] == 1
    assert times < 3.5, "copied from the storage, found within bounds, parsed: each once"
    spoiled, times = times_read("Blues", *({"video_name": f"v{n}", "timestamp": [0, 1]} for n in range(30)))
    assert (spoiled.state, len(spoiled.faults)) == ("refused", MOST_FAULTS)
    assert spoiled.faults[19]["place"] == "line 3, prediction 23"
    assert times < 4.5, "once more for the places of its faults"


def test_refused_runs_have_a_limit_of_their_own(shared: Shared) -> None:
    at = shared.campaign.opens_at + timedelta(minutes=1)
    for number in range(REFUSED_A_DAY):
        assert shared.send("Reds", b"{broken %d\n" % number, at=at).state == "refused"
    with pytest.raises(FileRefused, match="refused 20 runs of your team today"):
        shared.receive("Reds", at=at)
    assert shared.receive("Blues", at=at)
    assert shared.receive("Reds", at=at + timedelta(days=1))


def test_what_is_accepted_is_scored_as_on_a_board(shared: Shared) -> None:
    Webhook.objects.create(
        collection=shared.collection, address="https://example.org/", kinds=["submission.accepted"], secret="x"
    )
    run = shared.send("Reds", gzip.compress(good_run()), file_name="one.jsonl.gz")
    assert (run.state, run.predictions, run.unanswered, run.faults, run.late) == ("accepted", 9, 0, [], False)
    score = SubmissionScore.objects.get(submission=run)
    assert score.values["NDCG@20,IoU>=0.5"] == 1
    assert len(score.per_query) == 3 and len(score.per_query[0]) == len(score.board.measures)
    shared.send("Blues", good_run(spoiled=3))
    board = board_of_campaign(shared.campaign)
    assert [line.submission.team.name for line in board.lines] == ["Reds", "Blues"]
    event = json.loads(WebhookEvent.objects.order_by("pk")[0].body)
    assert event["data"]["team"] == "Reds" and event["type"] == "submission.accepted"


def test_a_broken_run_is_refused_whole_and_doesn_t_count(shared: Shared, settings: Any) -> None:
    settings.MAIL_IS_SET = True
    change_campaign(campaign=shared.campaign, most_submissions=1, most_a_day=1)
    run = shared.send("Reds", good_run() + b'{"query_id": 77, "predictions": []}\n')
    assert run.state == "refused" and run.stored_file == "" and "line 4: found query_id '77'" in run.problem
    assert not SubmissionScore.objects.exists() and not default_storage.listdir("submissions")[1]
    assert list(shared.accounts["rob"].mail_items.values_list("event", flat=True)) == ["campaigns.refused"]
    mended = shared.send("Reds")
    assert mended.state == "accepted"
    with pytest.raises(FileRefused, match="no more are taken"):
        shared.receive("Reds", good_run(spoiled=1), name="two")
    withdraw_submission(submission=mended)
    with pytest.raises(FileRefused, match="no more are taken"):
        shared.receive("Reds", good_run(spoiled=1), name="two")


def test_the_same_file_twice_is_one_run_and_another_of_the_name_asks(shared: Shared) -> None:
    run = shared.send("Reds")
    assert shared.receive("Reds").pk == run.pk
    with pytest.raises(FileRefused, match="the same file"):
        shared.receive("Reds", name="two")
    other = good_run(spoiled=1)
    with pytest.raises(Refused, match="from another file"):
        shared.receive("Reds", other)
    replaced = shared.send("Reds", other, replace=True)
    run.refresh_from_db()
    assert replaced.state == "accepted" and run.withdrawn_at is not None
    assert [one.pk for one in standing(shared.campaign)] == [replaced.pk]
    with pytest.raises(Refused, match="Another run"):
        include_submission(submission=run)
    for bad in ("", "a/b", "x" * 81):
        with pytest.raises(Refused, match="as the run's name"):
            shared.receive("Reds", name=bad)
    with pytest.raises(FileRefused, match="empty"):
        shared.receive("Reds", b"", name="none")


def test_a_deadline_is_held_against_when_the_upload_began(shared: Shared) -> None:
    closes = shared.campaign.closes_at
    with pytest.raises(FileRefused, match="isn't open yet"):
        shared.receive("Reds", at=shared.campaign.opens_at - timedelta(seconds=1))
    with pytest.raises(FileRefused, match="Submissions closed"):
        shared.receive("Reds", at=closes + timedelta(milliseconds=1))
    assert not shared.send("Reds", at=closes).late
    extend_team(team=shared.teams["Blues"], until=closes + timedelta(hours=1))
    late = shared.send("Blues", at=closes + timedelta(minutes=59))
    assert late.late
    with pytest.raises(FileRefused, match="Submissions closed"):
        shared.receive("Blues", good_run(spoiled=1), name="two", at=closes + timedelta(minutes=61))
    change_campaign(
        campaign=shared.campaign, closes_at=closes + timedelta(hours=1), results_at=closes + timedelta(days=9)
    )
    late.refresh_from_db()
    assert not late.late, "the deadline of all moved"


def test_results_open_when_all_is_over_and_then_nothing_moves(shared: Shared) -> None:
    run = shared.send("Reds")
    with pytest.raises(Refused, match="Submissions are open until"):
        open_results(campaign=shared.campaign)
    waiting = shared.receive("Blues")
    end(shared.campaign)
    with pytest.raises(Refused, match="1 run is still being checked"):
        open_results(campaign=shared.campaign)
    Submission.objects.filter(pk=waiting.pk).update(state="accepted")
    with pytest.raises(Refused, match="isn't scored yet"):
        open_results(campaign=shared.campaign)
    exclude_submission(submission=waiting, reason="not theirs")
    opened = open_results(campaign=shared.campaign)
    assert opened.results_opened_at is not None
    for act in (
        lambda: withdraw_submission(submission=Submission.objects.get(pk=run.pk)),
        lambda: set_priority(submission=Submission.objects.get(pk=run.pk), priority=2),
        lambda: shared.receive("Reds", good_run(spoiled=1), name="two", at=database_now()),
    ):
        with pytest.raises(Refused, match=r"Submissions have closed|results are open"):
            act()
    with pytest.raises(Refused, match="results are open"):
        change_campaign(campaign=shared.campaign, closes_at=database_now() + timedelta(days=1))


def test_what_counts_is_the_first_runs_by_priority_of_teams_that_take_part(shared: Shared) -> None:
    shared.campaign = change_campaign(campaign=shared.campaign, most_pooled=1)
    first = shared.send("Reds", priority=2)
    second = shared.send("Reds", good_run(spoiled=1), name="two", priority=1)
    blue = shared.send("Blues")
    assert [run.pk for run in standing(shared.campaign)] == [second.pk, blue.pk]
    disqualify_team(team=shared.teams["Blues"], reason="two accounts")
    exclude_submission(submission=second, reason="broken")
    assert [run.pk for run in standing(shared.campaign)] == [first.pk]
    with pytest.raises(FileRefused, match="disqualified"):
        shared.receive("Blues", good_run(spoiled=2), name="two")
    readmit_team(team=shared.teams["Blues"])
    assert [run.pk for run in standing(shared.campaign)] == [first.pk, blue.pk]


def test_whoever_belongs_to_the_collection_sends_nothing(shared: Shared) -> None:
    place = TeamMember.objects.get(account=shared.accounts["bea"])
    add_member(collection=shared.collection, account=place.account, role="annotator")
    with pytest.raises(FileRefused, match="You belong"):
        shared.receive("Blues")


def test_campaigns_that_cannot_be_made_or_deleted(shared: Shared) -> None:
    now = database_now()
    good = {
        "member": shared.people["ada"],
        "name": "other",
        "title": "Other",
        "split": "test",
        "release": shared.release,
        "opens_at": now,
        "closes_at": now + timedelta(days=1),
        "results_at": now + timedelta(days=2),
    }
    for change, field in (
        ({"closes_at": now}, "closes_at"),
        ({"results_at": now}, "results_at"),
        ({"name": "paper-task"}, "name"),
        ({"name": "A b"}, "name"),
        ({"title": ""}, "title"),
        ({"split": "train"}, "split"),
        ({"split": "val"}, "release"),
        ({"release": None}, "release"),
        ({"judged_later": True}, "release"),
        ({"release": None, "judged_later": True}, "split"),
        ({"most_a_day": 9, "most_submissions": 2}, "most_a_day"),
        ({"rules": "x" * 20_001}, "rules"),
        ({"audience": "mars"}, "audience"),
    ):
        with pytest.raises(Refused) as refusal:
            make_campaign(**(good | change))
        assert field in refusal.value.wrong, (change, refusal.value.wrong)
    delete_campaign(campaign=make_campaign(**good))
    shared.send("Reds")
    with pytest.raises(Refused, match="which are kept"):
        delete_campaign(campaign=shared.campaign)


@pytest.mark.django_db(transaction=True)
def test_of_two_runs_at_once_at_the_limit_exactly_one_passes() -> None:
    shared = build_shared()
    change_campaign(campaign=shared.campaign, most_submissions=1, most_a_day=1)
    ready, told = Barrier(2), []

    def send(number: int) -> None:
        ready.wait()
        try:
            told.append(shared.receive("Reds", good_run(spoiled=number), name=f"run {number}").pk)
        except FileRefused as refusal:
            told.append(str(refusal))
        finally:
            connection.close()

    threads = [Thread(target=send, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(answer) is int for answer in told) == [False, True]
    assert Submission.objects.count() == 1 and len(default_storage.listdir("submissions")[1]) == 1
    assert len(TRUTH) == 3
