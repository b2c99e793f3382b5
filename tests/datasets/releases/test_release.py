"""A release is made once, from one consistent state, and written out as often as anybody likes."""

import hashlib
import json
import tarfile
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connections, transaction

from annotation.models import Pair
from datasets.models import Release
from datasets.releases.archive import files_in
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.collections.members import get_or_create_collection
from foundation.refused import Refused
from queries.models import Caption, Draw
from queries.pooling.candidates import training_file
from tests.datasets.conftest import World, make_caption
from tests.paths import ROOT


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def elsewhere(action: Callable[[], object]) -> None:
    """Do something in a thread, and so in another transaction."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert failures == []


class Once:
    """Does something elsewhere at the first query that is written."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.action, self.calls = action, 0

    def __call__(self, queries: int) -> None:
        self.calls += 1
        if self.calls == 1:
            elsewhere(self.action)


def test_a_release_holds_together(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1.0")
    assert write_release(release=release, folder=tmp_path / "new" / "out") is True
    assert check_release(tmp_path / "new" / "out") == []


def test_the_same_state_twice_is_the_same_draft(judged: World, tmp_path: Path) -> None:
    first = create_release(collection=judged.collection)
    second = create_release(collection=judged.collection)
    assert first == second
    assert first.name == f"draft-{first.content_hash[:8]}"
    assert Release.objects.count() == 1


def test_a_draft_made_anew_is_the_same_to_the_byte(judged: World) -> None:
    first = create_release(collection=judged.collection)
    Release.objects.all().delete()
    default_storage.delete(first.archive)
    second = create_release(collection=judged.collection)
    assert (second.name, second.archive_sha256) == (first.name, first.archive_sha256)


def test_a_named_release_gives_the_same_bytes_after_more_judging(unjudged: World, tmp_path: Path) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    release = create_release(collection=unjudged.collection, name="v1")
    draft = create_release(collection=unjudged.collection)
    write_release(release=release, folder=tmp_path / "before")
    unjudged.judge_all()
    again = create_release(collection=unjudged.collection, name="v1")
    write_release(release=again, folder=tmp_path / "after")
    assert content(tmp_path / "before") == content(tmp_path / "after")
    assert again == release
    assert create_release(collection=unjudged.collection).name != draft.name


def test_a_name_says_when_it_was_released_and_a_draft_says_nothing(judged: World) -> None:
    named = create_release(collection=judged.collection, name="v1")
    draft = create_release(collection=judged.collection)
    assert named.manifest["created_at"] == named.created_at.replace(microsecond=0).isoformat()
    assert draft.manifest["created_at"] is None
    assert named.content_hash == draft.content_hash


def test_a_draw_from_each_caption_says_so(judged: World, tmp_path: Path) -> None:
    Draw.objects.update(each_caption=True)
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "out")
    assert release.manifest["draw"] == {"val": 2, "test": 2, "seed": 7, "stratify": "", "each_caption": True}
    told = "2 queries for val and 2 for test were drawn at random from all captions, no two equal (seed 7)."
    assert told in (tmp_path / "out" / "README.md").read_text()


def test_the_manifest_tells_settings_models_and_draw(judged: World, tmp_path: Path) -> None:
    write_release(release=create_release(collection=judged.collection, name="v1"), folder=tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["release"] == "v1"
    assert manifest["collection"] == "tiny"
    pyproject = ROOT / "pyproject.toml"
    version = tomllib.loads(pyproject.read_text())["project"]["version"]
    assert (manifest["code"]["name"], manifest["code"]["version"]) == ("qreels", version)
    assert manifest["draw"] == {"val": 2, "test": 2, "seed": 7, "stratify": ""}
    assert manifest["settings"]["batch_size"] == 3
    assert manifest["settings"]["consensus"]["largest_difference"] == 1
    assert manifest["models"]["encoders"] == ["some-encoder"]
    assert manifest["counts"]["val"] == {
        "queries_drawn": 2,
        "queries": 2,
        "queries_without_grade": 0,
        "queries_finished": 0,
        "queries_extended": 0,
        "pairs": 5,
        "pairs_by_grade": {"0": 1, "1": 3, "2": 0, "3": 0, "4": 1},
        "pairs_graded_in_round_one": 3,
        "pairs_graded_in_round_two": 2,
        "pairs_discarded": 1,
        "pairs_withdrawn": 0,
        "pairs_undecided": 0,
        "judgments": 18,
    }
    assert manifest["counts"]["test"]["queries_extended"] == 1
    assert manifest["counts"]["test"]["queries_finished"] == 1
    assert manifest["counts"]["workers"] == 4


def test_a_model_in_a_folder_is_known_by_its_name_alone(judged: World) -> None:
    models = create_release(collection=judged.collection).manifest["models"]
    assert models["taggers"] == ["some-tagger"]
    assert [(rewriter["model"], rewriter["captions"]) for rewriter in models["rewriters"]] == [
        ("rewriter-x", 11),
        ("rules-1", 1),
    ]


def test_judging_meanwhile_is_not_half_in_it(unjudged: World, tmp_path: Path) -> None:
    for rank in (1, 2, 3):
        unjudged.judge(unjudged.pair("102", rank), ("bo", 3), ("cy", 4))
    progress = Once(unjudged.judge_all)
    release = create_release(collection=unjudged.collection, progress=progress)
    write_release(release=release, folder=tmp_path / "out")
    assert Pair.objects.filter(status=Pair.Status.CONSENSUS).count() > 3, "the judging did happen"
    assert check_release(tmp_path / "out") == []
    assert release.manifest["counts"]["val"]["pairs"] == 3
    assert json.loads((tmp_path / "out" / "test.json").read_text()) == []
    assert len((tmp_path / "out" / "raw_annotations.csv").read_text().splitlines()) == 1 + 6
    assert progress.calls == 1 + 1, "after the query of val, and after all of train"


def test_who_releases_first_under_a_name_has_it(judged: World, media: Path) -> None:
    def release_too() -> None:
        create_release(collection=judged.collection, name="v1")

    mine = create_release(collection=judged.collection, name="v1", progress=Once(release_too))
    assert Release.objects.get() == mine
    assert [path.name for path in (media / "releases" / "tiny").iterdir()] == [Path(mine.archive).name]


def test_a_snapshot_inside_another_transaction_is_refused(judged: World) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        create_release(collection=judged.collection)


def test_two_collections_may_use_one_name(judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1")
    other = get_or_create_collection(name="other")
    with pytest.raises(Refused, match="no queries are drawn yet"):
        create_release(collection=other, name="v1")
    assert Release.objects.get() == release


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "a b", "ä", "x" * 61, "v1\n"])
def test_an_unsafe_name_is_refused(judged: World, name: str) -> None:
    with pytest.raises(Refused, match="can't name a release"):
        create_release(collection=judged.collection, name=name)
    assert not Release.objects.exists()


def test_nobody_names_a_draft_but_a_draft_has_its_name(judged: World) -> None:
    with pytest.raises(Refused, match="there is no release draft-mine"):
        create_release(collection=judged.collection, name="draft-mine")
    draft = create_release(collection=judged.collection)
    assert create_release(collection=judged.collection, name=draft.name) == draft


def test_an_unknown_format_is_refused_naming_the_known_ones(judged: World) -> None:
    with pytest.raises(Refused, match="there is no format 'xml'; formats: beir, capsule, croissant"):
        create_release(collection=judged.collection, formats=["tvr-ranking", "xml"])


def test_a_release_never_gets_another_format(judged: World) -> None:
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(Refused, match="v1 was made without trec and never changes"):
        create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "trec"])


def test_a_release_never_gets_another_training_file(judged: World) -> None:
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(Refused, match="v1 was made without a top 5 for training and never changes"):
        create_release(collection=judged.collection, name="v1", depths=[5])


def test_training_files_have_the_depths_asked_for(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1", depths=[5, 2])
    write_release(release=release, folder=tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").glob("train*")) == ["train_top02.json", "train_top05.json"]
    assert check_release(tmp_path / "out") == []


def test_a_depth_that_no_candidates_reach_is_refused(judged: World) -> None:
    with pytest.raises(Refused, match="asked for the top 7 for training, but 6 candidates a query are fetched"):
        create_release(collection=judged.collection, depths=[1, 7])


def test_nothing_is_released_before_a_pair_has_its_grade(unjudged: World) -> None:
    with pytest.raises(Refused, match="no pair has a grade yet: open judging, and have pairs judged first"):
        create_release(collection=unjudged.collection)


def test_nothing_is_released_before_queries_have_candidates(unjudged: World) -> None:
    query = unjudged.query("104")
    Pair.objects.filter(batch__query=query).delete()
    query.candidates.all().delete()
    unjudged.judge_all()
    with pytest.raises(Refused, match="1 query has no candidates yet: fetch candidates first"):
        create_release(collection=unjudged.collection)


def test_nothing_is_released_before_training_queries_have_candidates(judged: World) -> None:
    default_storage.delete(training_file(judged.collection))
    with pytest.raises(Refused, match="no candidates are fetched yet: fetch candidates first"):
        create_release(collection=judged.collection)


def test_a_caption_refused_since_candidates_were_fetched_stops_a_release(judged: World) -> None:
    Caption.objects.filter(description__source_id="108").update(status=Caption.Status.REFUSED)
    with pytest.raises(Refused, match=r"1 caption among .* not accepted any more: fetch candidates again"):
        create_release(collection=judged.collection)


def test_a_caption_accepted_since_candidates_were_fetched_stops_a_release(judged: World) -> None:
    video = judged.collection.videos.get(name="gamma")
    make_caption(judged.collection, video, 13, "113", "A woman sings.")
    with pytest.raises(Refused, match="1 pseudo-training queries have no candidates yet"):
        create_release(collection=judged.collection)


def test_a_training_caption_equal_to_a_test_query_stops_a_release(judged: World) -> None:
    # The stored normal form hides it from whoever chose the training queries.
    Caption.objects.filter(description__source_id="106").update(text="A man  READS a letter.")
    with pytest.raises(
        Refused, match=r"training query 106 has the same caption as query 104: 'A man  READS a letter\.'"
    ):
        create_release(collection=judged.collection)
    assert not Release.objects.exists()


def test_a_val_caption_equal_to_a_test_query_stops_a_release(judged: World) -> None:
    query = judged.query("101")
    query.text = "A MAN reads a letter."
    query.save()
    with pytest.raises(Refused, match="has the same caption as"):
        create_release(collection=judged.collection)


def test_a_damaged_archive_is_never_exported(judged: World, media: Path, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    path = media / release.archive
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(Refused, match=r"release v1 can't be exported: its archive .* is damaged: SHA-256"):
        write_release(release=release, folder=tmp_path / "exports" / "out")
    assert list((tmp_path / "exports").iterdir()) == [], "neither the folder nor a part of it"


def test_a_lost_archive_is_told(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    default_storage.delete(release.archive)
    with pytest.raises(Refused, match="is no longer in the storage"):
        write_release(release=release, folder=tmp_path / "out")


def test_another_releases_archive_in_its_place_is_told(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    other = create_release(collection=judged.collection, name="v2")
    release.archive, release.archive_sha256 = other.archive, other.archive_sha256
    with pytest.raises(Refused, match=r"manifest\.json in its archive has SHA-256"):
        write_release(release=release, folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_its_archive_unpacks_into_one_folder_with_the_releases_own_bytes(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "beir"])
    with default_storage.open(release.archive) as stored, tarfile.open(fileobj=stored, mode="r:gz") as packed:
        packed.extractall(tmp_path / "here", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["tiny-v1"]
    assert {
        path: hashlib.sha256((tmp_path / "here" / "tiny-v1" / path).read_bytes()).hexdigest() for path in release.files
    } == (release.files)
    assert files_in(tmp_path / "here" / "tiny-v1") == sorted([*release.files])


def test_an_archive_that_is_none_is_told(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    release.archive = default_storage.save("releases/tiny/none.tar.gz", ContentFile(b"no archive"))
    release.archive_sha256 = hashlib.sha256(b"no archive").hexdigest()
    with pytest.raises(Refused, match="can't be unpacked"):
        write_release(release=release, folder=tmp_path / "out")


def test_a_folder_that_holds_the_release_is_left_as_it_is(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    assert write_release(release=release, folder=tmp_path / "out") is False
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()} == before


def test_an_empty_folder_is_filled(judged: World, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert write_release(release=create_release(collection=judged.collection), folder=tmp_path / "out") is True
    assert check_release(tmp_path / "out") == []


def add_a_file(folder: Path) -> None:
    (folder / "mine.txt").write_text("mine")


def lose_a_file(folder: Path) -> None:
    (folder / "val.json").unlink()


def change_a_file(folder: Path) -> None:
    (folder / "val.json").write_text("[]")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (add_a_file, "mine.txt is there too"),
        (lose_a_file, "val.json is missing"),
        (change_a_file, "val.json differs"),
    ],
)
def test_a_folder_with_other_content_is_never_overwritten(
    judged: World, tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "out")
    change(tmp_path / "out")
    before = content(tmp_path / "out")
    with pytest.raises(Refused, match=f"exists and isn't release v1 .{reason}.: name a folder"):
        write_release(release=release, folder=tmp_path / "out")
    assert content(tmp_path / "out") == before


def test_a_file_in_the_folders_place_is_refused(judged: World, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(Refused, match="it is a file"):
        write_release(release=create_release(collection=judged.collection), folder=tmp_path / "out")


def test_a_folder_that_cannot_be_made_is_told(judged: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(Refused, match=r"can't be written to .*/file/out: Not a directory"):
        write_release(release=create_release(collection=judged.collection), folder=tmp_path / "file" / "out")


def test_a_link_to_an_empty_folder_is_followed(judged: World, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_release(release=create_release(collection=judged.collection), folder=tmp_path / "link")
    assert check_release(tmp_path / "real") == []
