"""What changed between two releases: queries, pairs and grades, read from their files."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from datasets.releases.diff import COLUMNS, compare_releases
from datasets.releases.diff_in_words import in_words
from datasets.releases.make_release import create_release
from tests.datasets.conftest import World


def compared(*arguments: str) -> str:
    out = StringIO()
    call_command("compare_releases", "tiny", *arguments, stdout=out)
    return out.getvalue()


def test_nothing_changed_between_a_release_and_itself(judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1")
    found = compare_releases(release, release)
    assert (found.rows, found.settings) == ([], [])
    assert compared("v1", "v1").endswith("No differences.\n")


def test_what_judging_added_and_what_was_removed_the_other_way(unjudged: World) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    first = create_release(collection=unjudged.collection, name="v1")
    unjudged.judge_all()
    second = create_release(collection=unjudged.collection, name="v2")
    on, back = compare_releases(first, second), compare_releases(second, first)
    assert on.counts["val"] == {
        "query": {"added": 1, "changed": 0, "removed": 0},
        "pair": {"added": 4, "changed": 0, "removed": 0},
        "grade": {"added": 4, "changed": 0, "removed": 0},
    }
    assert on.counts["test"]["query"]["added"] == 2
    assert on.counts["training"] == {"query": {"added": 0, "changed": 0, "removed": 0}}
    assert back.counts["val"]["pair"] == {"added": 0, "changed": 0, "removed": 4}
    assert len(on.rows) == len(back.rows)
    assert {"name": "counts.val.pairs", "before": 1, "after": 5} in on.settings
    (grade, *_) = [row for row in on.rows if row.what == "grade"]
    assert grade.before is None
    assert grade.after in range(5)


def test_what_changed_is_said_in_words(unjudged: World, client_of: Any) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    first = create_release(collection=unjudged.collection, name="v1")
    unjudged.judge_all()
    second = create_release(collection=unjudged.collection, name="v2", adjudicated=True)
    on, back = compare_releases(first, second), compare_releases(second, first)
    said = in_words(on.counts, on.settings)
    assert said[0] == "3 queries more, 10 pairs more, no grade changed."
    assert said[1].startswith("The manifests also differ in adjudicated grades")
    assert in_words(back.counts, [])[0] == "3 queries fewer, 10 pairs fewer, no grade changed."
    same = compare_releases(first, first)
    assert in_words(same.counts, same.settings) == ["Queries, pairs and grades of val and test are the same."]
    page = (
        client_of(unjudged.collection.memberships.get(account__username="ada").account)
        .get(f"/c/tiny/releases/{first.pk}/to/{second.pk}/")
        .content.decode()
    )
    assert said[0] in page and page.count("<details") == page.count("</details>")


def test_changed_grades_are_counted_in_the_singular_too() -> None:
    nothing = {what: {"added": 0, "changed": 0, "removed": 0} for what in ("query", "pair", "grade")}
    once = {**nothing, "grade": {"added": 0, "changed": 1, "removed": 0}}
    reworded = {"query": {"added": 0, "changed": 1, "removed": 0}}
    assert in_words({"val": once, "test": nothing, "training": reworded}, []) == [
        "1 grade changed.",
        "For training: 1 query reworded.",
    ]


def test_a_grade_and_a_caption_that_changed_are_said_with_both_values(judged: World) -> None:
    first = create_release(collection=judged.collection, name="v1")
    pair = judged.pair("103", 1)
    was = pair.grade
    assert was is not None
    type(pair).objects.filter(pk=pair.pk).update(grade=(was + 1) % 5)
    type(pair.candidate).objects.filter(pk=pair.candidate_id).update(caption_text="Another one.")
    second = create_release(collection=judged.collection, name="v2")
    caption, grade = compare_releases(first, second).rows
    assert (grade.split, grade.what, grade.change, grade.pair_id) == ("test", "grade", "changed", str(pair.pk))
    assert (grade.before, grade.after) == (was, (was + 1) % 5)
    assert (caption.what, caption.field, caption.after) == ("pair", "caption", "Another one.")
    rows = list(csv.DictReader(StringIO(compared("v1", "v2", "--csv"))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["what"], row["before"]) for row in rows] == [("pair", caption.before), ("grade", str(was))]
    said = json.loads(compared("v1", "v2", "--json"))
    assert said["counts"]["test"]["grade"] == {"added": 0, "changed": 1, "removed": 0}
    assert "  test: grades 1 changed\n" in compared("v1", "v2")


def test_an_unknown_release_is_told_with_those_there_are(judged: World) -> None:
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(CommandError, match=r"There is no release 'v2' of tiny\. Releases: v1\."):
        compared("v1", "v2")
