"""An id that stands more than once at a pair: refused, or taken as a declared policy says, in any order of a file."""

import csv
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from annotation.batches.transitions import rule_of
from annotation.models import Judgment, Pair
from annotation.review.consensus_replay import replay_collection
from datasets.models import JudgmentImport
from evaluation.judgments.repeats import POLICIES, Policy, decided
from evaluation.reading.judgments import read_judgments
from evaluation.releases.check_release import check_release
from foundation.collections.members import add_member
from foundation.models import Account, Collection
from queries.models import Caption
from tests.datasets.conftest import World, write_training
from tests.datasets.importing import pair, refusal, run
from tests.datasets.judgment_files import CAPTIONS, MOMENTS, row, write_raw
from tests.datasets.judgment_import.test_round_trip import export, fresh_collection

AS_PUBLISHED = ("--repeated-ids", "as-published")


def file_of(tmp_path: Path, *judged: tuple[str, int], moment: int = 0) -> Path:
    return write_raw(tmp_path / "a.csv", [row(worker, grade, moment=moment) for worker, grade in judged])


def rows_with_ids(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def grades_in(folder: Path) -> list[str]:
    return sorted(line for split in ("val", "test") for line in re.findall(r'"relevance": ?\d', _text(folder, split)))


def _text(folder: Path, split: str) -> str:
    return (folder / f"{split}.json").read_text()


def stored() -> list[tuple[str, int, int]]:
    return list(Judgment.objects.order_by("pk").values_list("annotator__worker", "grade", "round"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("policy", "expected", "grade"),
    [
        ("as-published", [("w1", 3, 1), ("w1+2", 0, 1), ("w2", 1, 2), ("w1+3", 1, 2)], 1),
        ("first", [("w1", 3, 1), ("w2", 1, 1)], None),
        ("last", [("w2", 1, 1), ("w1", 1, 1)], 1),
    ],
)
def test_an_id_several_times_at_a_pair_is_taken_as_the_policy_says(
    tmp_path: Path, policy: str, expected: list[tuple[str, int, int]], grade: int | None
) -> None:
    path = file_of(tmp_path, ("w1", 3), ("w1", 0), ("w2", 1), ("w1", 1))
    assert "'w1' a second time" in refusal("fresh", path)
    said = run("fresh", path, "--repeated-ids", policy)
    assert stored() == expected and pair("11", "alpha", 0.5).grade == grade
    assert "2 judgments " in said.partition("\n")[2]
    assert ("1 pair needs more judgments: 110." in said) == (grade is None)
    again = run("fresh", path, "--repeated-ids", policy)
    assert f"0 judgments added, {len(expected)} unchanged" in again and stored() == expected


@pytest.mark.django_db
def test_four_judgments_are_put_in_an_order_by_which_the_rule_decides_on_all(tmp_path: Path) -> None:
    path = file_of(tmp_path, ("w1", 2), ("w1", 2), ("w2", 4), ("w2", 4))
    assert "judgment 3 of its pair" in refusal("fresh", file_of(tmp_path, ("w1", 2), ("w3", 2), ("w2", 4), ("w4", 4)))
    path = file_of(tmp_path, ("w1", 2), ("w1", 2), ("w2", 4), ("w2", 4))
    run("fresh", path, *AS_PUBLISHED)
    assert stored() == [("w1", 2, 1), ("w2", 4, 1), ("w1+2", 2, 2), ("w2+2", 4, 2)]
    assert pair("11", "alpha", 0.5).status == "discarded"


def test_four_that_agree_keep_the_grade_of_all_and_a_release_of_them_holds(judged: World, tmp_path: Path) -> None:
    path = export(judged.collection, tmp_path / "before")
    rows = rows_with_ids(path)
    count = Counter(one["pair_id"] for one in rows)
    twice = [one for one in rows if count[one["pair_id"]] == 2]
    fresh = fresh_collection()
    run("fresh", write_raw(tmp_path / "a.csv", [*rows, *twice]), *AS_PUBLISHED)
    assert not replay_collection(collection=fresh, rule=rule_of(fresh)).changed
    captions = Caption.objects.filter(description__collection=fresh).select_related("description").order_by("pk")
    write_training(fresh, list(captions))
    folder = tmp_path / "out"
    export(fresh, folder)
    again = Counter(one["pair_id"] for one in rows_with_ids(folder / "raw_annotations.csv"))
    assert set(again.values()) == {4} and len(again) == len(count)
    assert grades_in(folder) == grades_in(path.parent)
    making = json.loads((folder / "manifest.json").read_text())["making"]
    assert making["repeated_ids"] == {"as-published": {"imports": 1, "judgments": len(twice), "left_out": 0}}
    assert f"{len(twice)} of them were by an id that had judged the pair already" in (folder / "README.md").read_text()
    # Without the policy in the manifest, so many judgments of a pair are no release.
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["making"]["repeated_ids"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert [problem for problem in check_release(folder) if "although the first 2 agree" in problem]


@pytest.mark.django_db
def test_what_the_rule_does_not_look_at_is_left_out_and_told(tmp_path: Path) -> None:
    path = file_of(tmp_path, ("w1", 3), ("w2", 3), ("w3", 0))
    for _ in range(2):
        assert "1 judgment left out, since the pair is decided without." in run("fresh", path, *AS_PUBLISHED)
    assert stored() == [("w1", 3, 1), ("w2", 3, 1)]
    run("other", file_of(tmp_path, *((f"w{number}", 4 * (number % 2)) for number in range(5))), *AS_PUBLISHED)
    assert len(stored()) == 2 + 4


@pytest.mark.django_db
def test_the_name_of_a_repeated_id_is_nobody_elses(tmp_path: Path) -> None:
    said = refusal("fresh", file_of(tmp_path, ("w1", 3), ("w1", 3), ("w1+2", 3)), *AS_PUBLISHED)
    assert "line 4, worker: found 'w1+2', expected another id: a judgment of 'w1', who has several" in said
    long = "w" * 39
    said = refusal("fresh", file_of(tmp_path, (long, 3), (long, 3)), *AS_PUBLISHED)
    assert f"line 3, worker: found '{long}', expected at most 38 characters" in said
    collection = Collection.objects.create(name="fresh", title="Fresh")
    add_member(collection=collection, account=Account.objects.create_user("bo"), role="annotator", worker="w1+2")
    said = refusal("fresh", file_of(tmp_path, ("w1", 3), ("w1", 3)), *AS_PUBLISHED)
    assert "'w1+2', who has an account here" in said


@pytest.mark.django_db
def test_an_import_by_a_command_is_kept_with_its_policy(tmp_path: Path) -> None:
    path = file_of(tmp_path, ("w1", 3), ("w1", 3))
    run("fresh", path, "--repeated-ids", "last")
    job = JudgmentImport.objects.get()
    assert (job.repeated_ids, job.state, job.member, job.stored_file, job.file_name) == (
        *("last", "done", None, "", "a.csv"),
    )
    assert (job.counts["repeated"], job.counts["named"]["lacking"]) == (1, ["110"])


@pytest.mark.django_db
@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "left-out"])
def test_an_import_decides_as_the_audit_says(tmp_path: Path, policy: Policy) -> None:
    chance = random.Random(policy)
    rows = []
    for number in range(80):
        # As many queries as pairs: every query has one moment of the small world.
        query, moment = f"Query number {number}.", number % len(MOMENTS)
        for _ in range(chance.choice((1, 2, 2, 3, 4, 4, 4, 5))):
            judged = row(chance.choice("abcdefgh"), chance.randint(0, 4), moment=moment, query=str(number))
            rows.append(judged | {"query": query, "caption": CAPTIONS[moment], "similarity": 0.5})
    path = write_raw(tmp_path / "a.csv", rows)
    run("fresh", path, "--repeated-ids", policy)
    audited = decided(read_judgments(path), policy)
    imported = Pair.objects.order_by("candidate__query__position").values_list("status", "grade")
    as_audited = {"consensus": "graded", "disputed": "open"}
    found = [(as_audited.get(status, status), grade) for status, grade in imported]
    assert found == list(zip(audited.states, audited.grades, strict=True))
    assert len(Counter(audited.states)) == 3
