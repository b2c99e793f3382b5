"""Judges on similarity: fitted on people's grades, never on a query's own, and each fit a judge of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.machine_judges.calibration.figures import compute_calibration
from annotation.machine_judges.jobs import judge_by_machine
from annotation.machine_judges.similarity import fit_and_judge
from annotation.machine_judges.similarity.asking import ask_for_similarity_judge
from annotation.models import MachineJudge, MachineJudging, MachineJudgment, Pair
from foundation.refused import Refused
from queries.models import Candidate
from tests.annotation.machine_judges.graded_worlds import graded_world
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return graded_world()


@pytest.fixture
def committed(transactional_db: None) -> World:
    return graded_world()


def fitted(world: World, **how: Any) -> MachineJudging:
    """A judge asked for, and its job done by a worker."""
    job = ask_for_similarity_judge(member=world["ada"], **how)
    judge_by_machine(job.pk)
    job.refresh_from_db()
    return job


def scores(lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("scores.csv", f"pair_id,score\n{lines}".encode())


def test_it_judges_every_candidate_and_says_what_it_was_fitted_on(committed: World) -> None:
    Pair.objects.filter(batch__query__in=committed.queries[8:10]).update(status="open", grade=None)
    job = fitted(committed)
    assert (job.state, job.problem) == ("done", "")
    assert job.said == "240 pairs judged, by a fit on 200 pairs of 10 queries."
    judge = job.judge
    assert (judge.name, judge.kind, judge.family) == ("similarity 1", "similarity", "minilm")
    assert len(judge.version) == 16 and judge.parameters["fitted_on"]["queries"] == 10
    assert judge.parameters["slopes"][0] > 0.5 > judge.parameters["slopes"][1]
    assert judge.parameters["features"] == [
        "caption similarity",
        "logarithm of rank",
    ]
    said = list(judge.judgments.values_list("grade", "distribution"))
    assert len(said) == 240
    assert all(sum(chances) == pytest.approx(1) and chances[grade] == max(chances) for grade, chances in said)
    found = compute_calibration(committed.collection, str(judge.pk))
    assert abs(found["raw"]["above"]["value"]) < 0.4 and found["raw"]["kappa"]["value"] > 0.6
    assert found["sureness"]["pairs"] == 200 and found["few"]


def test_a_query_s_own_grades_change_nothing_of_what_is_said_of_it(committed: World) -> None:
    first = fitted(committed).judge
    own = Pair.objects.filter(batch__query=committed.queries[3])
    for pair in own:
        Pair.objects.filter(pk=pair.pk).update(grade=4 - (pair.grade or 0))
    second = fitted(committed).judge
    assert second.name == "similarity 2" and second.version != first.version

    def said(judge: MachineJudge) -> list[list[float]]:
        rows = judge.judgments.filter(candidate__query=committed.queries[3]).order_by("candidate")
        return list(rows.values_list("distribution", flat=True))

    assert said(first) == said(second)
    others = MachineJudgment.objects.exclude(candidate__query=committed.queries[3]).order_by("candidate")
    columns = [list(others.filter(judge=judge).values_list("distribution", flat=True)) for judge in (first, second)]
    assert columns[0] != columns[1]


def test_scores_that_are_brought_make_it_know_more(committed: World) -> None:
    Candidate.objects.update(similarity=None)
    people = Pair.objects.values_list("public_id", "grade", "candidate")
    noise = np.random.default_rng(1)
    lines = "\n".join(f"{public_id},{grade + noise.normal(0, 0.3):.3f}" for public_id, grade, _ in people[:230])
    weak = fitted(committed).judge
    strong = fitted(committed, upload=scores(lines), family="CLIP").judge
    assert (strong.family, strong.parameters["features"][-1]) == ("CLIP", "score")
    kappas = [
        compute_calibration(committed.collection, str(judge.pk))["raw"]["kappa"]["value"] for judge in (weak, strong)
    ]
    assert kappas[1] > kappas[0] + 0.05


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("nobody,1", "line 2, pair_id: found 'nobody', expected a pair of paper"),
        ("{first},warm", "line 2, score: found 'warm', expected a number"),
        ("{first},nan", "line 2, score: found 'nan', expected a number"),
        (
            "{first},1\n{first},2",
            "line 3, pair_id: found '{first}' a second time, expected each pair once; the first is in line 2",
        ),
        ("", "expected scores"),
    ],
)
def test_a_file_with_a_problem_ends_the_job_with_its_line(committed: World, lines: str, said: str) -> None:
    first = str(Pair.objects.order_by("pk")[0].public_id)
    job = fitted(committed, upload=scores(lines.format(first=first)), family="CLIP")
    assert job.state == "refused" and said.format(first=first) in job.problem
    assert not job.judge.judgments.exists() and not job.judge.version
    corrected = fitted(committed, upload=scores(f"{first},1"), family="CLIP")
    assert (corrected.state, corrected.judge) == ("done", job.judge), "one that has said nothing is the same judge"
    assert fitted(committed).judge.name == "similarity 2"


def test_too_few_graded_pairs_are_refused_with_how_many_there_are(world: World) -> None:
    Pair.objects.filter(batch__query__in=world.queries[9:]).update(status="open", grade=None)
    with pytest.raises(Refused, match="Found 180 graded pairs of 9 queries, expected at least 100 pairs of 10 queries"):
        ask_for_similarity_judge(member=world["ada"])
    assert not MachineJudge.objects.exists()


def test_pairs_that_were_taken_back_meanwhile_are_refused_by_the_job(committed: World) -> None:
    job = ask_for_similarity_judge(member=committed["ada"])
    Pair.objects.update(status="discarded", grade=None)
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "Found 0 graded pairs of 0 queries" in job.problem


def test_one_is_fitted_at_a_time_and_scores_need_a_family(world: World) -> None:
    with pytest.raises(Refused, match="whose scores") as refused:
        ask_for_similarity_judge(member=world["ada"], upload=scores("a,1"))
    assert refused.value.field == "family"
    ask_for_similarity_judge(member=world["ada"])
    with pytest.raises(Refused, match="Another judge is being fitted"):
        ask_for_similarity_judge(member=world["ada"], upload=scores("a,1"), family="CLIP")
    assert MachineJudge.objects.count() == 1


def test_a_job_that_is_broken_off_leaves_nothing_and_is_done_whole_by_the_next_worker(
    committed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_and_judge, "AT_ONCE", 50)
    store, blocks = fit_and_judge.store_judgments, []

    def killed(**what: Any) -> int:
        blocks.append(store(**what))
        if len(blocks) == 2:
            raise KeyboardInterrupt
        return blocks[-1]

    job = ask_for_similarity_judge(member=committed["ada"])
    monkeypatch.setattr(fit_and_judge, "store_judgments", killed)
    with pytest.raises(KeyboardInterrupt):
        judge_by_machine(job.pk)
    assert blocks == [50, 50] and not MachineJudgment.objects.exists()
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert (job.state, job.judge.judgments.count()) == ("done", 240)
    MachineJudging.objects.filter(pk=job.pk).update(state="queued")
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert (job.state, job.judge.judgments.count()) == ("done", 240), "killed at its very end, it has ended"
    again = MachineJudging.objects.create(judge=job.judge)
    judge_by_machine(again.pk)
    again.refresh_from_db()
    assert again.state == "refused" and "fitted before" in again.problem


def test_a_lead_fits_one_from_the_page(world: World, client_of: Any) -> None:
    ada, place = client_of(world["ada"].account), "/c/paper/machine-judges/ours/"
    assert "People have graded 240 pairs of 12 queries" in ada.get(place).content.decode()
    rows = b"".join(ada.get(f"{place}pairs.csv").streaming_content).decode().splitlines()
    assert len(rows) == 241 and rows[0].startswith("pair_id,query,narrative,video_name,start,end")
    sent = ada.post(f"{place}fit", {"file": scores("a,1"), "family": ""})
    assert sent.status_code == 400 and "whose scores these are" in sent.content.decode()
    sent = ada.post(f"{place}fit", {"family": ""})
    assert sent["Location"] == MachineJudge.objects.get().get_absolute_url()
    assert "similarity 1" not in ada.get(place).content.decode(), "it isn't fitted yet, and may never be"
    assert f'href="{place}"' in ada.get(sent["Location"]).content.decode(), "there one corrects a file"
    MachineJudge.objects.update(version="1a2b")
    assert "similarity 1" in ada.get(place).content.decode()
    assert client_of(world["bo"].account).get(place).status_code == 403
    assert client_of(world["bo"].account).get(f"{place}pairs.csv").status_code == 403
    assert client_of(world["bo"].account).post(f"{place}fit").status_code == 403


def test_a_program_fits_one_and_reads_its_calibration(committed: World) -> None:
    ada = Caller(committed["ada"])
    begun = ada.post("/collections/paper/machine-judges/ours", {})
    assert begun.status_code == 202, begun.content
    judge_by_machine(MachineJudging.objects.get().pk)
    judge = MachineJudge.objects.get()
    told = ada.get(f"/collections/paper/machine-judges/{judge.pk}/calibration").json()
    assert "people" in told["says"] and told["calibration"]["pairs"] == 240 and told["as_of"]
    assert ada.get("/collections/paper/machine-judges/999999/calibration").status_code == 404
