"""What a score rests on, as a page and as W3C PROV: for whoever may have the release's raw judgments."""

import json
from pathlib import Path

import pytest

from datasets.leaderboard.runs import open_board
from datasets.models import Release, Run, RunAnswer
from datasets.releases.access import share_release
from datasets.releases.make_release import create_release
from tests.datasets.boards import ground_truth, lines, perfect, scored
from tests.datasets.conftest import World
from tests.datasets.leaderboard.test_board_pages import logged_in, of


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1", provenance=True)


@pytest.fixture
def run(release: Release, tmp_path: Path) -> Run:
    return scored(
        open_board(release=release, split="test"), "good", lines(perfect(ground_truth(release, tmp_path / "v1")))
    )


def test_a_run_s_query_leads_to_what_its_score_rests_on(judged: World, release: Release, run: Run) -> None:
    ada, answer = logged_in(judged, "ada"), RunAnswer.objects.get(query__query_id="103")
    link = f"{of('release-trace', release.pk)}?query=103&amp;run={run.pk}"
    assert f'href="{link}"' in ada.get(of("run-query", run.pk, answer.pk)).content.decode()
    assert of("release-trace", release.pk) in ada.get(of("release", release.pk)).content.decode()
    page = ada.get(link.replace("&amp;", "&"))
    sections, pair = dict(page.context["sections"]), f"Pair {judged.pair('103', 2).pk}: grade 2"
    measure, value = run.board.measures[0], answer.values[0]
    assert sections["Score of good on query 103"][0] == f"{measure} {value:.4f}"
    assert "batch 1 of the query, closed by a lead" in sections[pair]
    assert any(line.startswith("found at rank ") for line in sections[pair])
    assert "w03 judged 1 in 20" in page.content.decode()

    file = ada.get(f"{of('release-trace', release.pk)}?query=103&run={run.pk}&jsonld=1")
    assert file["Content-Type"] == "application/ld+json" and "tiny-v1-103.jsonld" in file["Content-Disposition"]
    nodes = {node["@id"]: node for node in json.loads(file.content)["@graph"]}
    assert nodes["r:run.good"]["identifier"] == f"sha256:{run.sha256}"
    assert {node["value"] for key, node in nodes.items() if key.startswith("r:score.")} == set(answer.values)
    assert sum(key.startswith("r:judgment.") for key in nodes) == 16


def test_without_a_run_it_begins_at_the_grades_and_an_unknown_query_is_told(judged: World, release: Release) -> None:
    ada, address = logged_in(judged, "ada"), of("release-trace", release.pk)
    assert ada.get(address).context["sections"] == []
    assert ada.get(f"{address}?query=102").context["sections"][0][0] == "Query 102 of val"
    wrong = ada.get(f"{address}?query=%3Cb%3E")
    assert wrong.status_code == 400 and "found the query &#x27;&lt;b&gt;&#x27;" in wrong.content.decode()
    assert ada.get(f"{address}?query=9&jsonld=1").status_code == 400


def test_who_may_not_have_the_raw_judgments_has_no_trace_of_them(judged: World, release: Release, run: Run) -> None:
    bo, ada = logged_in(judged, "bo"), logged_in(judged, "ada")
    pages = [f"{of('release-trace', release.pk)}?query=103{ending}" for ending in ("", "&jsonld=1")]

    def statuses() -> set[int]:
        return {bo.get(page).status_code for page in (*pages, *(f"{page}&run={run.pk}" for page in pages))}

    assert statuses() == {404}
    share_release(release=release, members=True, hide_test=True)
    assert statuses() == {404}, "they have no raw judgments"
    share_release(release=release, members=True, hide_test=False)
    assert statuses() == {200}
    judged.collection.memberships.filter(account__username="bo").update(status="barred")
    assert statuses() == {404}
    other = create_release(collection=judged.collection, name="v2")
    assert ada.get(f"{of('release-trace', other.pk)}?query=103&run={run.pk}").status_code == 404, "a run of another"
    for run_id in ("x", "²", "99999999999", "-1"):
        assert ada.get(f"{pages[0]}&run={run_id}").status_code == 404
