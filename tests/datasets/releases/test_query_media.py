"""A release has the pictures, clips and sounds that were queries, and only words are ranked against captions."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from datasets.models import Release
from datasets.presentation.digest import compute_digest
from evaluation.releases.check_release import check_release
from foundation.refused import Refused
from queries.models import Query, QueryMedium
from queries.pooling.candidates import fetch_candidates
from tests.datasets.conftest import World
from tests.datasets.releases.test_further_files import released, rows


def with_picture(world: World, *, alone: bool) -> Query:
    """A topic with a picture in the place of the first val query."""
    query = world.query("102")
    Query.objects.filter(pk=query.pk).update(description=None, topic_id="robot 1")
    name = default_storage.save("query-media/picture.png", ContentFile(b"a picture"))
    about = {
        "kind": "picture",
        "suffix": "png",
        "size": 9,
        "sha256": hashlib.sha256(b"a picture").hexdigest(),
        "alone": alone,
    }
    QueryMedium.objects.create(query=query, media_file=name, **about)
    return query


def test_files_lie_beside_the_records_that_name_them(judged: World, tmp_path: Path) -> None:
    query = with_picture(judged, alone=False)
    release = released(judged, tmp_path / "release", formats=["tvr-ranking", "beir"])
    assert (tmp_path / "release/query_media/robot%201.png").read_bytes() == b"a picture"
    (row,) = rows(tmp_path / "release/query_media.csv")
    assert row["file"] == "query_media/robot%201.png" and row["words"] == query.text
    asked = [json.loads(line) for line in (tmp_path / "release/beir/queries.jsonl").read_text().splitlines()]
    named = {query["_id"]: query["metadata"].get("query_medium") for query in asked}
    assert named.pop("robot%201") == row["file"] and set(named.values()) == {None}
    assert release.manifest["query_media"] == {"file": "query_media.csv", "kinds": {"picture": 1}, "without_words": 0}
    assert "query_media.csv" in (tmp_path / "release/README.md").read_text()
    default_storage.delete(query.medium.media_file)
    with pytest.raises(Refused, match="gone from the storage"):
        released(judged, tmp_path / "second", name="v2")
    assert check_release(tmp_path / "release") == []


def test_a_label_is_no_words(judged: World, tmp_path: Path) -> None:
    with_picture(judged, alone=True)
    released(judged, tmp_path / "release")
    (row,) = rows(tmp_path / "release/query_media.csv")
    assert row["words"] == ""
    digest = compute_digest(judged.collection, str(Release.objects.get().pk))
    assert [sample["query_id"] for sample in digest["samples"]] == [101], "a label is no sample of a query"


def test_a_query_without_words_has_no_candidates_by_its_label(unjudged: World) -> None:
    queries = Query.objects.filter(collection=unjudged.collection)
    for query in queries:
        QueryMedium.objects.create(query=query, kind="sound", suffix="mp3", media_file="x", size=1, alone=True)
    with pytest.raises(Refused, match="no topic has words"):
        fetch_candidates(collection=unjudged.collection)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: (folder / "query_media/robot%201.png").write_bytes(b"another!!"), "isn't the file with this"),
        (
            lambda folder: (folder / "query_media/robot%201.png").unlink(),
            "line 2: query_media/robot%201.png is missing",
        ),
        (lambda folder: (folder / "query_media/more.png").write_bytes(b""), "more.png has no row in query_media.csv"),
        (lambda folder: edit(folder, "query_media/robot", "../query_media/robot"), "expected a file of its own in"),
        (lambda folder: edit(folder, ",picture,", ",sound,"), "but the manifest says {'kinds': {'picture': 1}"),
        (lambda folder: (folder / "query_media.csv").unlink(), "query_media.csv is missing"),
    ],
)
def test_a_file_that_was_changed_is_found(
    judged: World, tmp_path: Path, change: Callable[[Path], object], problem: str
) -> None:
    with_picture(judged, alone=False)
    released(judged, tmp_path / "out")
    change(tmp_path / "out")
    found = check_release(tmp_path / "out")
    assert any(problem in said for said in found), found


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "query_media.csv"
    path.write_text(path.read_text().replace(old, new))
