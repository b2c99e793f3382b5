"""Grades of files on another scale than the collection's: mapped by a declared table that is kept and told."""

import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.test import Client

from annotation.batches.transitions import rule_of
from annotation.consensus import Rule, needed_in, state_of
from annotation.models import Judgment, Pair
from annotation.review.consensus_replay import replay_collection
from annotation.settings.services import configure
from datasets.content.making import describe_making
from datasets.formats.procedure import procedure_in_english
from datasets.judgment_import.jobs import import_judgments
from datasets.models import JudgmentImport
from datasets.releases.make_release import create_release, write_release
from evaluation.errors import InputError
from evaluation.judgments.repeats import decided
from evaluation.reading.judgments import read_judgments
from evaluation.releases.check_release import check_release
from foundation.collections.members import add_member
from foundation.models import Account
from foundation.refused import Refused
from queries.models import Caption
from tests.api.callers import Caller
from tests.datasets.conftest import World, write_training
from tests.datasets.importing import pair, refusal, run
from tests.datasets.judgment_files import row, write_raw
from tests.datasets.judgment_import.test_importing_in_the_browser import PAGE, ada, ended, upload
from tests.datasets.judgment_import.test_repeated_ids import rows_with_ids
from tests.datasets.judgment_import.test_round_trip import export, fresh_collection

__all__ = ["ada"]

pytestmark = pytest.mark.django_db


def words_file(tmp_path: Path, *judged: tuple[str, object]) -> Path:
    return write_raw(tmp_path / "a.csv", [row(worker, grade) for worker, grade in judged])


def test_words_of_a_file_become_grades_of_the_collection(tmp_path: Path) -> None:
    path = words_file(tmp_path, ("w1", "yes"), ("w2", "partly"))
    said = run("fresh", path, "--map-grades", "no=0,partly=3,yes=4")
    assert "2 judgments added" in said
    assert sorted(Judgment.objects.values_list("grade", flat=True)) == [3, 4] and pair("11", "alpha", 0.5).grade == 4
    kept = JudgmentImport.objects.get()
    assert kept.grade_table == {"no": 0, "partly": 3, "yes": 4}
    assert "0 judgments added, 2 unchanged" in run("fresh", path, "--map-grades", "no=0,partly=3,yes=4")


def test_a_grade_that_the_table_doesn_t_name_is_an_error_and_nothing_is_imported(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text("yes=4\nno=0\n")
    said = refusal("fresh", words_file(tmp_path, ("w1", "yes"), ("w2", "perhaps")), "--map-grades", str(table))
    assert "a.csv, line 3" in said and "'perhaps'" in said and "one of the table of grades: yes, no" in said
    table.write_text("yes=4\nno=5\n")
    said = refusal("fresh", words_file(tmp_path, ("w1", "yes")), "--map-grades", str(table))
    assert f"{table}, line 2: found 'no' '5', expected a whole number from 0 to 4" in said
    with pytest.raises(CommandError, match="missing"):
        run("fresh", words_file(tmp_path, ("w1", "yes")), "--map-grades", str(tmp_path / "missing"))


def test_qrels_of_another_scale_are_mapped(tmp_path: Path) -> None:
    run("fresh", write_raw(tmp_path / "a.csv", [row("w1", 3), row("w2", 3), row("w1", 0, moment=1)]))
    path = tmp_path / "a.qrels"
    path.write_text("11 w3 alpha@5.0-9.0 2\n11 w4 alpha@5.0-9.0 1\n")
    told = "a.qrels, line 2, grade: found '1', expected one of the table of grades: 2"
    assert told in refusal("fresh", path, "--map-grades", "2=4")
    run("fresh", path, "--map-grades", "2=4,1=3")
    assert list(Judgment.objects.order_by("pk").values_list("grade", flat=True))[-2:] == [4, 3]


def test_a_lead_maps_grades_on_the_page_and_sees_the_table_again(ada: Client, tmp_path: Path) -> None:
    content = words_file(tmp_path, ("w1", "yes"), ("w2", "no")).read_bytes()
    wrong = upload(ada, content, map_grades="yes=9")
    assert wrong.status_code == 400 and not JudgmentImport.objects.exists()
    page = wrong.content.decode()
    assert (
        'aria-describedby="map-grades-hint map-grades-wrong"' in page and "expected a whole number from 0 to 4" in page
    )
    assert 'value="yes=9"' in page, "what was typed stays"
    answer = upload(ada, content, map_grades=" yes = 4, no=0 ")
    job = JudgmentImport.objects.get()
    import_judgments(job.pk)
    assert sorted(Judgment.objects.values_list("grade", flat=True)) == [0, 4]
    page = ada.get(answer["Location"]).content.decode()
    assert "Grades of the file: no=0, yes=4." in page or "Grades of the file: yes=4, no=0." in page
    assert "0 to 4" not in page and PAGE
    job, page = ended(ada, words_file(tmp_path, ("w3", "maybe")).read_bytes())
    assert job.state == "refused" and job.grade_table is None and "Grades of the file" not in page


def test_a_program_maps_grades_and_is_told_what_won_t_do(db: None, tmp_path: Path) -> None:
    account = Account.objects.create(username="ada")
    collection = fresh_collection("paper")
    add_member(collection=collection, account=account, role="lead")
    caller, here = Caller(account), "/collections/paper"
    asked = {"file": caller.send(here, "a.csv", words_file(tmp_path, ("w1", "yes")).read_bytes())}
    for wrong in ("yes", "y\0s=4"):
        refused = caller.post(f"{here}/judgment-imports", {**asked, "map_grades": wrong})
        assert refused.status_code in (409, 422) and refused.json()["errors"][0]["field"].endswith("map_grades")
    job = caller.post(f"{here}/judgment-imports", {**asked, "map_grades": "yes=4"}).json()
    import_judgments(JudgmentImport.objects.get().pk)
    told = caller.get(f"{here}/judgment-imports/{job['judgment_import']}").json()
    assert told["grade_table"] == {"yes": 4} and Judgment.objects.get().grade == 4


def test_the_table_goes_into_the_release_s_manifest_and_procedure(judged: World, tmp_path: Path) -> None:
    assert "grade_tables" not in describe_making(judged.collection)
    rows = [row(worker, grade, moment=moment) for moment in (0, 1) for worker, grade in (("w8", "b"), ("w9", "a"))]
    told = {"query_id": "911", "query": "A dog barks at the moon."}
    path = write_raw(tmp_path / "a.csv", [one | told for one in rows])
    run("tiny", path, "--map-grades", "a=3,b=4")
    making = describe_making(judged.collection)
    assert making["grade_tables"] == [{"grades": {"a": 3, "b": 4}, "judgments": 4}]
    judged.collection.descriptions.filter(attempts__rewriter="import").update(kind="t")
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    sentence = "Of 4 of them grades were mapped to the scale of this collection: a=3, b=4."
    assert sentence in procedure_in_english(release.manifest, "Judging")
    assert (
        json.loads((tmp_path / "out" / "manifest.json").read_text())["making"]["grade_tables"] == making["grade_tables"]
    )


def test_a_scale_of_0_to_100_is_imported_decided_replayed_and_released(judged: World, tmp_path: Path) -> None:
    path = export(judged.collection, tmp_path / "before")
    fresh = fresh_collection()
    configure(collection=fresh, changes={"top_grade": "100", "grade_step": "10", "rounding": "nearest"})
    fresh.refresh_from_db()
    assert (fresh.largest_difference, fresh.extend_threshold) == (25, 62.5)
    configure(collection=fresh, changes={"largest_difference": "30"})
    run("fresh", path, "--map-grades", "0=0,1=20,2=50,3=80,4=100")
    fresh.refresh_from_db()
    assert not replay_collection(collection=fresh, rule=rule_of(fresh)).changed
    grades = set(Pair.objects.filter(batch__collection=fresh).values_list("grade", flat=True)) - {None}
    assert 90 in grades and all(grade % 10 == 0 for grade in grades)
    captions = Caption.objects.filter(description__collection=fresh).select_related("description").order_by("pk")
    write_training(fresh, list(captions))
    raw = export(fresh, tmp_path / "after")
    text = (tmp_path / "after" / "README.md").read_text()
    assert "differ by at most 30 give their mean, rounded to the nearest grade." in text
    assert "Means are rounded to multiples of 10." in text
    rule = Rule.of(json.loads((raw.parent / "manifest.json").read_text())["settings"]["consensus"])
    assert rule == rule_of(fresh)
    read = read_judgments(raw, top_grade=100, step=10)
    assert set(decided(read, rule=rule).grades) - {None} == grades
    with pytest.raises(InputError, match="expected a whole number from 0 to 4"):
        read_judgments(raw)
    wrong = raw.read_text().replace(",100\n", ",95\n", 1).replace(",100\r\n", ",95\r\n", 1)
    raw.write_text(wrong)
    assert any("found relevance '95', expected 0, 10, 20" in problem for problem in check_release(raw.parent))
    with pytest.raises(Refused, match="posteriors are of at most 5 grades, and this collection's go to 100"):
        create_release(collection=fresh, name="v2", posteriors=True)


@pytest.mark.parametrize(
    ("kind", "changes", "told"),
    [
        ("median", {"second_round_people": "1"}, "Otherwise 1 more person is asked, and the median of all grades"),
        ("majority", {}, "A grade that more than half of 2 people give decides."),
        ("mean", {}, "Otherwise 2 more people are asked, and all grades decide in the same way"),
    ],
)
def test_a_release_of_another_rule_says_it_and_holds(
    judged: World, tmp_path: Path, kind: str, changes: dict[str, str], told: str
) -> None:
    path = export(judged.collection, tmp_path / "before")
    fresh = fresh_collection()
    configure(collection=fresh, changes={"consensus_rule": kind, **changes})
    fresh.refresh_from_db()
    rows, given = [], Counter[str]()
    for one in rows_with_ids(path):  # no pair has more judgments than the rule asks for
        rule, before = rule_of(fresh), [int(row["relevance"]) for row in rows if row["pair_id"] == one["pair_id"]]
        if given[one["pair_id"]] < needed_in(state_of(before, rule)[0], rule):
            rows.append(one)
            given[one["pair_id"]] += 1
    run("fresh", write_raw(tmp_path / "a.csv", rows))
    captions = Caption.objects.filter(description__collection=fresh).select_related("description").order_by("pk")
    write_training(fresh, list(captions))
    raw = export(fresh, tmp_path / "after")
    assert told in (raw.parent / "README.md").read_text()
    stated = json.loads((raw.parent / "manifest.json").read_text())["settings"]["consensus"]
    assert stated["kind"] == kind and told in stated["grade"]
