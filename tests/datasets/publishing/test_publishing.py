"""Publishing a release: whole, once, and as it is; to a folder, a bucket and a hub that are real processes."""

import hashlib
import io
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from annotation.people.erasure import erase_member
from datasets.models import Release
from datasets.publishing.identities import find_identities
from datasets.publishing.publish import items_of, publish, target_of
from datasets.releases.make_release import create_release, write_release
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.datasets.conftest import World
from tests.datasets.hub import Hub, hub  # noqa: F401 - a fixture

pytestmark = pytest.mark.long


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


def published(*arguments: object) -> str:
    out = StringIO()
    call_command("publish_release", "tiny", "v1", *map(str, arguments), stdout=out)
    return out.getvalue()


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_gets_every_file_once(release: Release, tmp_path: Path) -> None:
    target = tmp_path / "out"
    dry = published(target, "--dry-run")
    assert dry.count("would be sent") == len(release.files)
    assert f"{target / 'test.json'}: would be sent\n" in dry
    assert not target.exists()
    assert published(target) == f"Release v1: {len(release.files)} files sent, 0 were there already.\n"
    assert hashes(target) == release.files
    times = {path: path.stat().st_mtime_ns for path in target.iterdir()}
    assert published(target) == f"Release v1: 0 files sent, {len(release.files)} were there already.\n"
    assert {path: path.stat().st_mtime_ns for path in target.iterdir()} == times


def test_what_was_cut_off_goes_on_and_other_files_are_left_alone(release: Release, tmp_path: Path) -> None:
    target = tmp_path / "out"
    published(target)
    (target / "manifest.json").unlink()
    (target / "notes.txt").write_text("mine")
    assert published(target).startswith("Release v1: 1 file sent")
    assert hashes(target) == release.files | {"notes.txt": hashlib.sha256(b"mine").hexdigest()}


def test_what_is_there_otherwise_is_replaced_only_when_asked(release: Release, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "test.json").write_text("[]")
    with pytest.raises(CommandError, match="is there and isn't release v1's"):
        published(target)
    assert [path.name for path in target.iterdir()] == ["test.json"]
    assert "is there with other content" in published(target, "--dry-run")
    published(target, "--replace")
    assert hashes(target) == release.files


def test_the_manifest_goes_last(release: Release, tmp_path: Path) -> None:
    order: list[str] = []
    publish(release=release, target=target_of(str(tmp_path / "out")), arrived=lambda item: order.append(item.path))
    assert order[-1] == "manifest.json"
    assert set(order) == set(release.files)


def test_one_format_alone_lies_at_the_top(release: Release) -> None:
    release.manifest["files"]["beir/qrels/test.tsv"] = {"sha256": "0" * 64, "size": 1}
    release.formats = ["beir", "tvr-ranking"]
    assert [item.goes_to for item in items_of(release, "beir")] == ["qrels/test.tsv", "manifest.json"]
    assert "qrels/test.tsv" not in {item.goes_to for item in items_of(release, "tvr-ranking")}
    with pytest.raises(Refused, match="has no parquet: it has beir, tvr-ranking"):
        items_of(release, "parquet")


@pytest.mark.parametrize("target", ["s3://", "hf://owner", "invenio://zenodo.org/records/1", "ftp://somewhere/x"])
def test_an_unknown_target_is_told_with_those_there_are(release: Release, target: str) -> None:
    with pytest.raises(CommandError, match="expected a folder, s3://BUCKET/PREFIX, hf://OWNER/NAME or invenio://HOST"):
        published(target)


def test_a_bucket_gets_every_file_once(s3: Any, release: Release) -> None:
    target = f"s3://{s3.name}/sets/tiny"
    keys = {f"sets/tiny/{path}" for path in release.files}
    assert published(target, "--dry-run").count("would be sent") == len(keys)
    assert published(target).startswith(f"Release v1: {len(keys)} files sent")
    found = {one.key: one for one in s3.objects.filter(Prefix="sets/")}
    assert set(found) == keys
    body = found["sets/tiny/test.json"].get()["Body"].read()
    assert hashlib.sha256(body).hexdigest() == release.files["test.json"]
    s3.Object("sets/tiny/val.json").delete()
    assert published(target).startswith("Release v1: 1 file sent")
    s3.Object("sets/tiny/val.json").put(Body=b"[]")
    with pytest.raises(CommandError, match=r"sets/tiny/val\.json is there and isn't"):
        published(target)
    with pytest.raises(CommandError, match=r"can't be sent|can't be looked at"):
        published("s3://no-such-bucket/x")


def test_a_hub_gets_one_commit_with_every_file_and_a_tag(release: Release, hub: Hub) -> None:  # noqa: F811
    target = "hf://ada/tiny"
    assert published(target, "--dry-run").count("would be sent") == len(release.files)
    assert hub.repositories == {}
    published(target)
    assert (hub.commits, hub.tags) == (["Release v1"], {"ada/tiny": ["v1"]})
    found = {path: hashlib.sha256(hub.content("ada/tiny", path)).hexdigest() for path in hub.repositories["ada/tiny"]}
    assert found == release.files
    assert hub.uploads, "some go by LFS"
    assert len(hub.uploads) < len(release.files), "and some don't"
    assert published(target).startswith("Release v1: 0 files sent")
    assert (len(hub.commits), len(hub.uploads)) == (1, len(set(hub.uploads)))


@pytest.mark.parametrize("arguments", [(), ("--format", "parquet")], ids=["whole", "parquet"])
def test_the_card_at_a_hub_s_root_names_every_table_where_it_lies(
    judged: World,
    hub: Hub,  # noqa: F811
    arguments: tuple[str, ...],
) -> None:
    from huggingface_hub import DatasetCard

    create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "parquet"])
    published("hf://ada/tiny", *arguments)
    card = DatasetCard(hub.content("ada/tiny", "README.md").decode())
    assert card.data.to_dict()["license"] == "unknown"
    named: dict[str, str] = {}
    for config in card.data.to_dict()["configs"]:
        for entry in config["data_files"]:
            # What the Hub's library asks of a split's name; "all" it keeps for itself.
            assert re.fullmatch(r"\w+(\.\w+)*", entry["split"])
            assert entry["split"] != "all"
            named[entry["path"]] = config["config_name"]
    assert set(named.values()) == {"grades", "train", "raw_annotations", "moments", "videos"}
    assert [config["config_name"] for config in card.data.to_dict()["configs"] if config.get("default")] == ["grades"]
    assert set(named) == {path for path in hub.repositories["ada/tiny"] if path.endswith(".parquet")}
    for path, table in named.items():
        read = pq.read_table(io.BytesIO(hub.content("ada/tiny", path)))
        assert ("relevance" in read.column_names) == (table in ("grades", "raw_annotations"))


def test_the_card_belongs_to_the_tables_alone(judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "parquet"])
    assert "README.md" not in {item.goes_to for item in items_of(release, "tvr-ranking")}
    assert "README.md" in {item.goes_to for item in items_of(release, "parquet")}
    assert {"README.md", "parquet/README.md"} <= {item.goes_to for item in items_of(release)}


def test_a_hub_that_fails_at_the_commit_gets_no_large_file_twice(release: Release, hub: Hub) -> None:  # noqa: F811
    uploads: list[str] = []
    for fault in ("tired", "busy", "cut", "garbage"):
        hub.commit_faults = [fault]
        with pytest.raises(CommandError, match=r"can't be published to: .*What was sent stays"):
            published("hf://ada/tiny")
        assert hub.uploads == (uploads or hub.uploads), fault
        uploads = list(hub.uploads)
    assert uploads
    assert hub.commits == []
    published("hf://ada/tiny")
    assert hub.uploads == uploads
    assert hub.commits == ["Release v1"]


NAMES = ("wilhelmina-quist", "Wilhelmina", "Quistgaard", "quist@example.org", "97531086", "86420975")


def name_a_person(world: World) -> Membership:
    """bo becomes somebody whose every trace is found nowhere by chance."""
    member = world.members["bo"]
    Account.objects.create(
        pk=97531086,
        username=NAMES[0],
        first_name=NAMES[1],
        last_name=NAMES[2],
        email=NAMES[3],
    )
    Membership.objects.filter(pk=member.pk).update(account=97531086)
    return Membership.objects.get(pk=member.pk)


def test_no_file_of_a_release_says_who_anybody_is(judged: World, tmp_path: Path) -> None:
    member = name_a_person(judged)
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "v1")
    accounts = Account.objects.all()
    traces = {*NAMES, *(account.email for account in accounts), *(account.password for account in accounts)} - {""}
    for path in (path for path in (tmp_path / "v1").rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").lower()
        assert [trace for trace in traces if trace.lower() in text] == []
    raw = (tmp_path / "v1" / "raw_annotations.csv").read_text()
    workers = set(Membership.objects.values_list("worker", flat=True))
    assert member.worker in raw
    assert not workers & set(accounts.values_list("username", flat=True))
    assert find_identities(tmp_path / "v1", judged.collection) == []


def test_erasing_a_person_leaves_every_release_byte_equal_and_nobody_behind_the_worker(
    judged: World, tmp_path: Path
) -> None:
    member = name_a_person(judged)
    release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "before")
    assert erase_member(lead=judged.members["ada"], member=member) is True
    release.refresh_from_db()
    write_release(release=release, folder=tmp_path / "after")
    assert hashes(tmp_path / "before") == hashes(tmp_path / "after") == release.files
    again = create_release(collection=judged.collection, name="v2")
    assert again.content_hash == release.content_hash, "and one made now says the same"
    member.refresh_from_db()
    assert member.account_id is None
    assert not Account.objects.filter(pk=97531086).exists()


def test_a_release_that_holds_a_mail_address_or_a_username_doesn_t_leave(judged: World, tmp_path: Path) -> None:
    judged.collection.title = "Of BO@example.org"
    judged.collection.save()
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(CommandError, match=r"since manifest\.json holds the mail address"):
        published(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    judged.collection.title = "Tiny"
    judged.collection.save()
    Membership.objects.filter(pk=judged.members["bo"].pk).update(worker="bo")
    release = create_release(collection=judged.collection, name="v2")
    with pytest.raises(Refused, match="has a person's username as a worker"):
        publish(release=release, target=target_of(str(tmp_path / "out")))


def test_a_mail_address_across_two_pieces_of_a_file_is_found(judged: World, tmp_path: Path) -> None:
    from datasets.publishing import identities

    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "x.json").write_text(json.dumps("." * (identities.CHUNK - 8) + "bo@example.org"))
    assert find_identities(folder, judged.collection) == ["x.json holds the mail address of a person of the collection"]


def test_what_is_compressed_is_searched_as_well(judged: World, tmp_path: Path) -> None:
    Membership.objects.filter(pk=judged.members["bo"].pk).update(worker="bo")
    release = create_release(collection=judged.collection, name="v1", formats=["parquet"])
    write_release(release=release, folder=tmp_path / "v1")
    said = "has a person's username as a worker"
    found = find_identities(tmp_path / "v1", judged.collection)
    assert found and all(one.startswith("parquet/raw_annotations/") and one.endswith(said) for one in found)

    folder = tmp_path / "table"
    folder.mkdir()
    texts = ["A woman waits.", None, "Ask BO@Example.org about it.", "Zoos wait."] * 40_000
    table = pa.table({"query": texts, "relevance": list(range(len(texts)))})
    pq.write_table(table, folder / "grades.parquet", compression="gzip")
    assert b"example.org" not in (folder / "grades.parquet").read_bytes().lower()
    assert find_identities(folder, judged.collection) == [
        "grades.parquet holds the mail address of a person of the collection"
    ]
