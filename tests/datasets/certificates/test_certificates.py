"""A release's certificate: over which runs, computed once for them, shown to leads and without names to anybody."""

import json
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client

from datasets.certificates.jobs import certify_release, record_certificate
from datasets.certificates.selectors import _advice as advice_of
from datasets.leaderboard.runs import open_board
from datasets.leaderboard.scoring import withdraw_run
from datasets.models import Certificate, Release, Run
from datasets.presentation.services import make_public
from datasets.releases.make_release import create_release
from evaluation.__main__ import main
from evaluation.arrays import json_ready
from evaluation.pooling.certificate import certify
from evaluation.reading import read_ground_truth, read_run
from foundation.models import Account, Membership
from queries.runs.add_run import add_run
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def ada(judged: World) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def rows(release: Release, folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    queries = ground_truth(release, folder / "files")
    return perfect(queries), reversed_run(queries)


def address(release: Release) -> str:
    return f"/c/tiny/releases/{release.pk}/"


def facts(client: Client, release: Release) -> dict[str, Any]:
    """What the page of the release, which asks for its first certificate, shows of it."""
    found: dict[str, Any] = client.get(address(release)).context["certificate"]
    return found


def test_the_advice_names_the_doubts_that_there_are() -> None:
    verdict = {"kind": "doubtful", "tau": 0.95, "ranks_lost": 0, "unjudged": 0.3}
    assert "rank" not in advice_of(verdict) and "30.0 %" in advice_of(verdict)
    lost = advice_of({**verdict, "ranks_lost": 2, "unjudged": 0.1})
    assert "lost up to 2 ranks" in lost and "%" not in lost


def test_with_fewer_than_two_runs_the_page_says_what_is_missing(ada: Client, release: Release, tmp_path: Path) -> None:
    page = ada.get(address(release)).content.decode()
    assert "needs the runs of 2 or more" in page and "test: 0 in the pool, 0 on the leaderboard" in page
    one, _ = rows(release, tmp_path)
    scored(open_board(release=release, split="test"), "one", lines(one))
    assert "test: 0 in the pool, 1 on the leaderboard" in facts(ada, release)["missing"]
    assert not Certificate.objects.exists()
    with pytest.raises(CommandError, match="1 on the leaderboard"):
        call_command("certify_release", "tiny", "v1")


def test_the_first_one_is_asked_for_by_the_page_and_is_that_of_the_plain_files(
    ada: Client, release: Release, tmp_path: Path
) -> None:
    board = open_board(release=release, split="test")
    for name, content in zip(("one", "two"), rows(release, tmp_path), strict=True):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(content))
        scored(board, name, lines(content))
    assert facts(ada, release)["progress"]["state"] == "queued"
    assert ada.get(address(release)).status_code == 200
    certify_release(Certificate.objects.get().pk)

    found = facts(ada, release)
    plain_files = certify(
        read_ground_truth(tmp_path / "files" / "test.json"),
        [read_run(tmp_path / f"{name}.jsonl") for name in ("one", "two")],
        measure="NDCG@20,IoU>=0.5",
    )
    expected = json_ready(asdict(plain_files)) | {"ground_truth": "v1 test"}
    assert found["splits"] == {"test": json.loads(json.dumps(expected))}
    page = ada.get(address(release)).content.decode()
    assert "Certificate of test" in page and "Other runs are there now" not in page
    answer = ada.get(f"{address(release)}certificate.json")
    assert answer.json()["splits"] == found["splits"]
    assert [one["name"] for one in answer.json()["systems"]["test"]] == ["one", "two"]
    (tmp_path / "certificate.json").write_bytes(answer.content)
    for name, other in (("one", "mine"), ("two", "yours")):  # known by their SHA-256
        (tmp_path / f"{name}.jsonl").rename(tmp_path / f"{other}.jsonl")
    runs = [str(tmp_path / f"{name}.jsonl") for name in ("yours", "mine")]
    verified = ["verify", str(tmp_path / "files"), "--certificate", str(tmp_path / "certificate.json"), "--runs", *runs]
    assert main(verified) == 0
    assert b"<svg" in ada.get(f"{address(release)}certificate-test.svg").content
    assert ada.get(f"{address(release)}certificate-val.svg").status_code == 404


def test_another_run_makes_another_certificate_when_it_is_asked_for(
    ada: Client, release: Release, tmp_path: Path
) -> None:
    board = open_board(release=release, split="test")
    one, two = rows(release, tmp_path)
    runs = [scored(board, name, lines(content)) for name, content in (("one", one), ("two", two))]
    first, _ = record_certificate(release)
    assert first is not None
    certify_release(first.pk)
    ada.post(f"{address(release)}certify")
    assert Certificate.objects.count() == 1  # the runs are the same
    scored(board, "three", lines(one[:1]))
    assert "Other runs are there now" in ada.get(address(release)).content.decode()
    ada.post(f"{address(release)}certify")
    second = Certificate.objects.latest("pk")
    certify_release(second.pk)
    assert [run["run"] for run in facts(ada, release)["splits"]["test"]["runs"]] == ["one", "three", "two"]
    first.refresh_from_db()
    assert len(first.results["test"]["runs"]) == 2
    withdraw_run(run=Run.objects.get(name="three"))
    ada.post(f"{address(release)}certify")
    third = Certificate.objects.latest("pk")
    certify_release(third.pk)
    third.refresh_from_db()
    assert third.results == first.results and third.pk != first.pk
    default_storage.delete(runs[0].stored_file)
    scored(board, "four", lines(two[:1]))
    ada.post(f"{address(release)}certify")
    certify_release(Certificate.objects.latest("pk").pk)
    page = ada.get(address(release)).content.decode()
    assert "no longer in the storage" in page and "Certificate of test" in page


def pooled(world: World, release: Release, folder: Path) -> None:
    """Two teams' runs in the pool, one of whose files is on the board, too."""
    one, two = rows(release, folder)
    for team, system, content in (("Harbour", "boat", one), ("Harbour", "kite", two), ("Hill", "goat", one[::-1])):
        path = folder / f"{system}.jsonl"
        path.write_bytes(lines(content))
        add_run(collection=world.collection, path=path, team=team, system=system)
    scored(open_board(release=release, split="test"), "boat again", lines(one))


def test_runs_of_the_pool_are_left_out_by_team_and_a_file_counts_once(
    judged: World, release: Release, tmp_path: Path
) -> None:
    pooled(judged, release, tmp_path)
    said = StringIO()
    call_command("certify_release", "tiny", "v1", str(tmp_path / "out"), stdout=said)
    found = Certificate.objects.get()
    assert said.getvalue().startswith(f"test, 3 runs: {found.results['test']['advice']}")
    assert [(one["name"], one["team"]) for one in found.systems["test"]] == [
        ("Harbour boat", "Harbour"),
        ("Harbour kite", "Harbour"),
        ("Hill goat", "Hill"),
    ]
    teams = {one["name"]: one["runs"] for one in found.results["test"]["without_team"]}
    assert teams == {"Harbour": ["Harbour boat", "Harbour kite"], "Hill": ["Hill goat"]}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"certificate.json", "certificate-test.svg"}
    before = (tmp_path / "out" / "certificate.json").read_bytes()
    call_command("certify_release", "tiny", "v1", str(tmp_path / "out"), stdout=said)
    assert (tmp_path / "out" / "certificate.json").read_bytes() == before and Certificate.objects.count() == 1


def test_the_public_page_has_it_without_the_names_of_systems(judged: World, release: Release, tmp_path: Path) -> None:
    pooled(judged, release, tmp_path)
    olga = Membership.objects.create(
        collection=judged.collection, account=Account.objects.create(username="olga"), role="owner", worker="w99"
    )
    make_public(member=olga, release=release, pictures="none", files="none", indexed=False)
    assert "Reusability" not in Client().get("/published/tiny/v1/").content.decode()
    assert Client().get("/published/tiny/v1/certificate.json").status_code == 404
    call_command("certify_release", "tiny", "v1", stdout=StringIO())
    found = Certificate.objects.get()
    for place in ("", "certificate.json", "certificate-test.svg"):
        said = Client().get(f"/published/tiny/v1/{place}").content.decode()
        assert "run 1" in said
        assert not any(
            name in said for name in ("Harbour", "boat", "kite", "Hill", "goat", found.systems["test"][0]["sha256"])
        )
    answer = Client().get("/published/tiny/v1/certificate.json").json()["splits"]["test"]
    assert answer["advice"] == found.results["test"]["advice"]
    assert [one["runs"] for one in answer["without_team"]] == [["run 1", "run 2"], ["run 3"]]


def test_a_release_without_the_file_that_it_is_computed_from_says_so(judged: World, tmp_path: Path) -> None:
    whole = create_release(collection=judged.collection, name="v1")
    create_release(collection=judged.collection, name="v2", formats=["trec"])
    pooled(judged, whole, tmp_path)
    with pytest.raises(CommandError, match=r"has no file 'test\.json': a certificate is computed from this file"):
        call_command("certify_release", "tiny", "v2", stdout=StringIO())
