"""Grades made elsewhere come in whole or not at all, by every name of a pair, and a judge's word never changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.machine_judges.brought import bring_rows
from annotation.machine_judges.jobs import judge_by_machine, keep_grades
from annotation.machine_judges.judges import grades_of, retire_judge
from annotation.machine_judges.selectors import grade_counts, pair_name, rows_to_judge
from annotation.models import MachineJudge, MachineJudging, Pair
from foundation.refused import Refused
from queries.models import Candidate
from tests.annotation.machine_judges.test_judges import declared
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def bring(tmp_path: Path, text: str | bytes, *options: str, name: str = "grades.csv") -> None:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    call_command("machine_judge", "paper", "clipper", "--file", str(path), *options)


DECLARED = ("--model", "ViT-B/32", "--family", "CLIP")


def ids() -> list[str]:
    return [str(public) for public in Pair.objects.order_by("pk").values_list("public_id", flat=True)]


def test_a_file_declares_its_judge_and_is_taken_by_each_name_of_a_pair(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = list(Pair.objects.order_by("pk"))
    rows = [f"{pairs[0].public_id},3", f"{pairs[1].pk},0", f"c{pairs[2].candidate_id},4"]
    bring(tmp_path, "pair_id,grade\n" + "\n".join(rows), *DECLARED, "--frames", "8", "--parameters", '{"seed": 1}')
    assert "3 grades and 0 abstentions added, 0 unchanged; 0 pairs" in capsys.readouterr().out
    judge = MachineJudge.objects.get()
    assert (judge.name, judge.kind, judge.frames, judge.parameters) == ("clipper", "file", 8, {"seed": 1})
    assert [(row.candidate, row.grade) for row in grades_of(judge)] == [
        (pair.candidate_id, grade) for pair, grade in zip(pairs, (3, 0, 4), strict=True)
    ]
    job = judge.judgings.get()
    assert (job.file_name, job.state, job.member) == ("grades.csv", "done", None)


def test_json_lines_have_distributions_and_abstentions(world: World, tmp_path: Path) -> None:
    first, second, third = ids()
    lines: list[dict[str, Any]] = [
        {"pair_id": first, "distribution": [0.1, 0.35, 0.35, 0.1, 0.1]},
        {"pair_id": second, "abstained": "refused"},
        {"pair_id": third, "distribution": [0.2002, 0.2002, 0.2002, 0.2002, 0.2], "abstained": False},
    ]
    bring(tmp_path, "\n".join(map(json.dumps, lines)), *DECLARED, name="grades.jsonl")
    by_pair = {row.candidate: row for row in grades_of(MachineJudge.objects.get())}
    one, two, three = (by_pair[pair.candidate_id] for pair in Pair.objects.order_by("pk"))
    assert (one.grade, one.distribution) == (1, (0.1, 0.35, 0.35, 0.1, 0.1)), "of equal ones the lowest"
    assert two.word == (None, None, "refused")
    assert three.grade == 0
    assert sum(three.distribution or ()) == pytest.approx(1, abs=1e-12)


def test_csv_has_distributions_as_json_and_abstentions_in_words(world: World, tmp_path: Path) -> None:
    first, second, third = ids()
    text = f'pair_id,grade,distribution,abstained\n{first},2,"[0, 0, 1, 0, 0]",no\n{second},,,low mass\n{third},,,yes\n'
    bring(tmp_path, text, *DECLARED)
    words = {row.word for row in grades_of(MachineJudge.objects.get())}
    assert words == {(2, (0.0, 0.0, 1.0, 0.0, 0.0), ""), (None, None, "low mass"), (None, None, "other")}


WRONG = [
    ("{0},5\n", "line 2, grade: found 5, expected a whole number from 0 to 4"),
    ("{0},-1\n", "found '-1', expected a whole number from 0 to 4"),
    ("{0},2.5\n", "found '2.5', expected a whole number"),
    ("{0},\n", "line 2, grade: found nothing, expected a grade, a distribution, or that it abstained"),
    ("{0},1\n{0},1\n", "line 3, pair_id: found .* a second time, expected each pair once; the first is line 2"),
    ("{0},1\nc{candidate},1\n", "line 3, pair_id: found 'c.*' a second time"),
    ("nobody,1\n", "line 2, pair_id: found 'nobody', expected a pair of paper"),
    ("999999999,1\n", "found '999999999', expected a pair of paper"),
    ("99999999999999999999999,1\n", "expected a pair of paper"),
    ("c999999999,1\n", "expected a pair of paper"),
    ("{other},1\n", "expected a pair of paper"),
    (",1\n", "line 2, pair_id"),
    ("", "found nothing, expected grades"),
]


@pytest.mark.parametrize(("rows", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_row_is_named_and_nothing_is_stored(world: World, tmp_path: Path, rows: str, says: str) -> None:
    other = build_world(name="other")
    names = {
        "candidate": Pair.objects.order_by("pk")[0].candidate_id,
        "other": Pair.objects.filter(batch__collection=other.collection)[0].public_id,
    }
    with pytest.raises(CommandError, match=says):
        bring(tmp_path, "pair_id,grade\n" + rows.format(*ids(), **names), *DECLARED)
    assert not MachineJudge.objects.exists()


WRONG_DISTRIBUTIONS = [
    ([0.5, 0.5], "expected a list of 5 probabilities"),
    ([0.5, 0.5, 0, 0, 0.01], "found a sum of 1.01"),
    ([1.5, -0.5, 0, 0, 0], "expected a list of 5 probabilities"),
    ([True, 0, 0, 0, 0], "expected a list of 5 probabilities"),
    (["1", 0, 0, 0, 0], "expected a list of 5 probabilities"),
    ("0.2 0.8", "expected a list of 5 probabilities"),
    ("[" * 5000, "expected a list of 5 probabilities"),
    ([float("nan"), 0, 0, 0, 1], "expected a list of 5 probabilities"),
    ({"0": 1}, "expected a list of 5 probabilities"),
]


@pytest.mark.parametrize(("told", "says"), WRONG_DISTRIBUTIONS, ids=range(len(WRONG_DISTRIBUTIONS)))
def test_a_wrong_distribution_is_refused(world: World, tmp_path: Path, told: Any, says: str) -> None:
    with pytest.raises(CommandError, match=says):
        bring(tmp_path, json.dumps({"pair_id": ids()[0], "distribution": told}), *DECLARED, name="grades.jsonl")


def test_a_grade_beside_a_distribution_or_an_abstention_has_to_agree(world: World, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="grade: found 3, expected 2, the most probable"):
        bring(
            tmp_path,
            json.dumps({"pair_id": ids()[0], "grade": 3, "distribution": [0, 0, 1, 0, 0]}),
            *DECLARED,
            name="g",
        )
    with pytest.raises(CommandError, match="abstained: found 'refused' beside a grade, expected one of the two"):
        bring(tmp_path, json.dumps({"pair_id": ids()[0], "grade": 3, "abstained": "refused"}), *DECLARED, name="g")
    with pytest.raises(CommandError, match="abstained: found 'perhaps', expected true, false or one of refused,"):
        bring(tmp_path, json.dumps({"pair_id": ids()[0], "abstained": "perhaps"}), *DECLARED, name="g")


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08\x00\x00packed", b"a,b\n1,2\n", b"\xff\xfe", b"\x00" * 40])
def test_a_file_that_is_none_is_refused(world: World, tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CommandError, match="Nothing was imported"):
        bring(tmp_path, content, *DECLARED)


def test_a_second_file_adds_what_lacks_and_changes_nothing(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = ids()
    bring(tmp_path, f"pair_id,grade\n{first},3\n", *DECLARED)
    bring(tmp_path, f"pair_id,grade\n{first},3\n{second},1\n")
    assert "1 grade and 0 abstentions added, 1 unchanged; 1 pair without" in capsys.readouterr().out
    with pytest.raises(CommandError, match="line 2, grade: found 2, expected what the judge has said of this"):
        bring(tmp_path, f"pair_id,grade\n{first},2\n{third},4\n")
    assert [row.grade for row in grades_of(MachineJudge.objects.get())] == [3, 1]


def test_a_distribution_sent_back_as_it_was_stored_is_no_change(world: World) -> None:
    judge, name = declared(world), ids()[0]
    bring_rows(judge=judge, rows=[{"pair_id": name, "distribution": [0.3333, 0.3333, 0.3333, 0, 0]}])
    (stored,) = grades_of(judge)
    again = bring_rows(judge=judge, rows=[{"pair_id": name, "distribution": list(stored.distribution or ())}])
    assert (again.added, again.unchanged) == (0, 1)


def test_what_is_said_of_a_declared_judge_has_to_be_true(world: World, tmp_path: Path) -> None:
    text = f"pair_id,grade\n{ids()[0]},3\n"
    with pytest.raises(CommandError, match="declare it by --model and --family"):
        bring(tmp_path, text)
    with pytest.raises(CommandError, match="declare it by --model and --family"):
        bring(tmp_path, text, "--model", "ViT-B/32")
    bring(tmp_path, text, *DECLARED)
    with pytest.raises(CommandError, match="another family"):
        bring(tmp_path, text, "--model", "ViT-B/32", "--family", "SigLIP")
    with pytest.raises(CommandError, match="expected a JSON object"):
        bring(tmp_path, text, "--parameters", "[1]")
    with pytest.raises(CommandError, match="expected one that was published"):
        call_command("machine_judge", "paper", "reader", *DECLARED, "--guideline", "9")
    with pytest.raises(CommandError, match="No such file"):
        call_command("machine_judge", "paper", "clipper", "--file", str(tmp_path / "none.csv"))
    call_command("machine_judge", "paper", "clipper", "--retire")
    with pytest.raises(CommandError, match="retired"):
        bring(tmp_path, text)


def test_the_pairs_to_judge_are_those_without_a_word_opened_or_not_and_say_no_grade(tmp_path: Path) -> None:
    world = build_world(candidates=22)
    judge = declared(world)
    bring_rows(judge=judge, rows=[{"pair_id": ids()[0], "grade": 1}])
    call_command("machine_judge", "paper", "clipper", "--pairs", str(tmp_path / "pairs.csv"))
    header, *rows = (tmp_path / "pairs.csv").read_text().splitlines()
    assert header == "pair_id,query,narrative,video_name,start,end,clip"
    unopened = Candidate.objects.filter(rank__gt=20).order_by("rank")
    assert [row.partition(",")[0] for row in rows] == [*ids()[1:], *(f"c{one.pk}" for one in unopened)]
    assert rows[0].partition(",")[2] == "A woman does thing 0.,,secret_video_name,1.0,2.0,"
    named = [{"pair_id": row[0], "grade": 2} for row in rows_to_judge(judge)]
    assert bring_rows(judge=judge, rows=named).added == 21
    assert not list(rows_to_judge(judge))
    assert grade_counts(judge).without == 0
    assert pair_name(unopened[0]) == f"c{unopened[0].pk}"


def upload(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("grades.csv", text.encode())


def test_an_uploaded_file_is_stored_by_a_job_and_asking_again_does_nothing(
    world: World, transactional_db: None
) -> None:
    judge = declared(world)
    job = keep_grades(judge=judge, member=world["ada"], upload=upload(f"pair_id,grade\n{ids()[0]},3\n"))
    with pytest.raises(Refused, match="Another file of this judge"):
        keep_grades(judge=judge, member=world["ada"], upload=upload("pair_id,grade\n"))
    judge_by_machine(job.pk)
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert job.state == "done"
    assert job.said.startswith("1 grade and 0 abstentions added")
    assert job.found == {"added": 1, "abstained": 0, "unchanged": 0}
    assert judge.judgments.get().judging == job


def test_a_job_with_a_wrong_file_says_its_lines_and_stores_nothing(world: World, transactional_db: None) -> None:
    judge = declared(world)
    text = f"pair_id,grade\n{ids()[0]},3\nnobody,1\n"
    job = keep_grades(judge=judge, member=world["ada"], upload=upload(text))
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert job.state == "refused"
    assert "grades.csv, line 3, pair_id: found 'nobody', expected a pair of paper" in job.problem
    assert not judge.judgments.exists()


def test_a_job_that_was_stopped_half_way_goes_on_after_what_is_stored(
    world: World, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    judge = declared(world)
    rows = "".join(f"{name},{grade}\n" for grade, name in enumerate(ids()))
    job = keep_grades(judge=judge, member=world["ada"], upload=upload(f"pair_id,grade\n{rows}"))
    monkeypatch.setattr("annotation.machine_judges.brought.AT_ONCE", 1)
    stored = 0

    def dies_after_one(*args: Any, **named: Any) -> int:
        nonlocal stored
        stored += 1
        if stored == 2:
            raise KeyboardInterrupt
        return really(*args, **named)

    from annotation.machine_judges import brought

    really = brought.store_judgments
    monkeypatch.setattr(brought, "store_judgments", dies_after_one)
    with pytest.raises(KeyboardInterrupt):
        judge_by_machine(job.pk)
    assert judge.judgments.count() == 1
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert (job.state, judge.judgments.count()) == ("done", 3)


def test_only_judges_of_files_take_grades_and_only_while_they_judge(world: World) -> None:
    text = upload("pair_id,grade\n")
    with pytest.raises(Refused, match="takes no grades"):
        keep_grades(judge=declared(world, name="served", kind="server"), member=world["ada"], upload=text)
    judge = declared(world)
    retire_judge(judge=judge)
    with pytest.raises(Refused, match="retired"):
        keep_grades(judge=judge, member=world["ada"], upload=text)
    with pytest.raises(Refused, match="retired"):
        bring_rows(judge=judge, rows=[{"pair_id": ids()[0], "grade": 1}])
    assert not MachineJudging.objects.exists()
