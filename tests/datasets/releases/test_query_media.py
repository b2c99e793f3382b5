"""A release has the pictures, clips and sounds that were queries, and only words are ranked against captions."""

import json
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from datasets.validation.check_release import check_release
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
    about = {"kind": "picture", "suffix": "png", "size": 9, "sha256": "0" * 64, "alone": alone}
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


def test_a_query_without_words_has_no_candidates_by_its_label(unjudged: World) -> None:
    queries = Query.objects.filter(collection=unjudged.collection)
    for query in queries:
        QueryMedium.objects.create(query=query, kind="sound", suffix="mp3", media_file="x", size=1, alone=True)
    with pytest.raises(Refused, match="no topic has words"):
        fetch_candidates(collection=unjudged.collection)
