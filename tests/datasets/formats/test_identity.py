"""Nothing that identifies a person leaves: every file of every format, the archive, all that publishing says.

Searched by bytes, and where bytes are packed (Parquet, gzip, tar) unpacked too.
"""

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from annotation.models import Invitation, InvitationUse
from annotation.people.erasure import erase_account, erase_member
from annotation.qualification.guidelines import publish_guideline
from annotation.review.adjudication import adjudicate_pair
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from foundation.models import Account, Membership
from queries.models import Attempt, Caption
from tests.datasets.conftest import World
from tests.datasets.hub import Hub, hub  # noqa: F401 - a fixture

PEOPLE = {
    "ada": (86420975, "zenobia-crake", "Zenobia", "Crakehallow", "z.crake@example.org"),
    "bo": (97531086, "wilhelmina-quist", "Wilhelmina", "Quistgaard", "quist@example.org"),
    "cy": (75319864, "ødger_thrum", "Ødger", "Þrumbøl", "ødger@example.org"),
}
"""Account id, username, first and last name, mail address: none of them found anywhere by chance."""
WRITTEN = "Thistlewaite"
"""What people have written about each other where only the team reads it."""


def name_people(world: World) -> None:
    """The lead and two annotators are somebody, whose names stand wherever people's names may stand."""
    for who, (pk, username, first, last, mail) in PEOPLE.items():
        account = Account.objects.create(
            pk=pk, username=username, first_name=first, last_name=last, email=mail, password=f"secret-{username}"
        )
        Membership.objects.filter(pk=world.members[who].pk).update(account=account)
        world.members[who] = Membership.objects.get(pk=world.members[who].pk)
    link = Invitation.objects.create(
        collection=world.collection, digest="0" * 64, label=f"for {WRITTEN}", made_by=world.members["ada"]
    )
    InvitationUse.objects.create(invitation=link, annotator=world.members["bo"])
    publish_guideline(lead=world.members["ada"], source=f"Ask {WRITTEN} where in doubt.")
    pair = world.pair("102", 2)
    adjudicate_pair(member=world.members["ada"], pair_id=pair.pk, grade=3, reason=f"{WRITTEN} is wrong.")
    # A caption that a person wrote, and who decided it and why.
    edited = Caption.objects.get(description__source_id="108")
    Attempt.objects.filter(pk=edited.attempt_id).update(rewriter="person", model=world.members["ada"].worker)
    Caption.objects.filter(pk=edited.pk).update(decided_by=world.members["ada"], reason=f"{WRITTEN} said so")


def traces() -> list[str]:
    found = [str(part) for person in PEOPLE.values() for part in person]
    stored = Account.objects.filter(pk__in=[person[0] for person in PEOPLE.values()])
    return [*found, WRITTEN, *stored.values_list("password", flat=True)]


def spellings(trace: str) -> set[bytes]:
    """A trace as it may stand in a file: as it is, in JSON's escapes, in UTF-16."""
    folded = trace.casefold()
    return {folded.encode(), json.dumps(folded)[1:-1].encode(), folded.encode("utf-16-le")}


def told(content: bytes, where: str) -> list[str]:
    """Which traces stand in some bytes, or in what is packed in them."""
    found = []
    for name, text in unpacked(content, where):
        folded = text.decode("utf-8", errors="ignore").casefold().encode()
        found += [
            f"{trace} in {name}"
            for trace in traces()
            if any(spelling in folded or spelling in text.lower() for spelling in spellings(trace))
        ]
    return found


def unpacked(content: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    yield where, content
    if content.startswith(b"\x1f\x8b"):
        yield from unpacked(gzip.decompress(content), f"{where}, unzipped")
    elif content.startswith(b"PAR1"):
        file = pq.ParquetFile(io.BytesIO(content))
        yield f"{where}, its metadata", repr((file.metadata, file.metadata.metadata, file.schema_arrow)).encode()
        yield f"{where}, its rows", repr(file.read().to_pylist()).encode()
    elif content[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for entry in tar:
                assert (entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) == (0, 0, "", "", 0)
                source = tar.extractfile(entry)
                assert source is not None
                yield from unpacked(source.read(), f"{where}: {entry.name}")


@pytest.fixture
def release(judged: World) -> Release:
    name_people(judged)
    return create_release(collection=judged.collection, name="v1", formats=list(FORMATS), adjudicated=True)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_file_says_who_anybody_is(release: Release, tmp_path: Path) -> None:
    write_release(release=release, folder=tmp_path / "v1")
    there = files(tmp_path / "v1")
    assert set(there) == set(release.files)
    assert {path.partition("/")[0] for path in there if "/" in path} == set(FORMATS) - {"tvr-ranking", "ro-crate"}
    assert [finding for path, content in there.items() for finding in told(content, path)] == []
    # It isn't for want of looking: the pseudonyms that stand for these people are found by the same search.
    workers = set(
        Membership.objects.filter(account__in=[person[0] for person in PEOPLE.values()]).values_list("worker")
    )
    assert len(workers) == 3
    for (worker,) in workers:
        spelled = worker.encode()
        own = [path for path, content in there.items() if any(spelled in text for _, text in unpacked(content, path))]
        assert own, worker
    packed = "parquet/raw_annotations/val.parquet"
    assert any(b"w02" in text for _, text in unpacked(there[packed], packed))


def test_the_archive_and_the_row_say_it_neither(release: Release) -> None:
    with default_storage.open(release.archive) as stored:
        content = stored.read()
    seen = [name for name, _ in unpacked(content, "archive")]
    assert len(seen) > len(release.files), "every file in it was looked at"
    assert told(content, "archive") == []
    row = {field.name: str(field.value_from_object(release)) for field in Release._meta.fields}
    assert told(repr(row).encode(), "row") == []


def test_the_search_finds_a_name_however_it_is_packed(judged: World, tmp_path: Path) -> None:
    name_people(judged)
    Membership.objects.filter(pk=judged.members["bo"].pk).update(worker=PEOPLE["bo"][1])
    judged.collection.title = f"By {PEOPLE['cy'][3]}"
    judged.collection.save()
    release = create_release(collection=judged.collection, name="v1", formats=list(FORMATS))
    write_release(release=release, folder=tmp_path / "v1")
    found = {path for path, content in files(tmp_path / "v1").items() if told(content, path)}
    tables = {f"parquet/raw_annotations/{split}.parquet" for split in ("val", "test")}
    titled = {"README.md", "manifest.json", "parquet/README.md", "croissant/croissant.json", "datasheet/DATASHEET.md"}
    crate = {"ro-crate-metadata.json", "datacite.json"}
    assert found == tables | titled | crate | {"raw_annotations.csv"}
    with default_storage.open(release.archive) as stored:
        assert len(told(stored.read(), "archive")) >= len(found)


def publish_to(*arguments: object) -> str:
    out, err = StringIO(), StringIO()
    call_command("publish_release", "tiny", "v1", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue() + err.getvalue()


def test_publishing_says_it_neither_in_its_listing_nor_to_the_hub(
    release: Release,
    hub: Hub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []
    handle = hub.RequestHandlerClass.parse_request

    def listen(handler: Any) -> bool:
        whole = handle(handler)
        asked.append(handler.raw_requestline + str(getattr(handler, "headers", "")).encode())
        return bool(whole)

    monkeypatch.setattr(hub.RequestHandlerClass, "parse_request", listen)
    listing = publish_to("hf://team/tiny", "--dry-run")
    assert listing.count("would be sent") == len(release.files)
    said = publish_to("hf://team/tiny")
    assert told((listing + said).encode(), "what the command says") == []
    assert len(asked) > 4
    assert told(b"\n".join(asked), "requests") == []
    sent = {path: hub.content("team/tiny", path) for path in hub.repositories["team/tiny"]}
    assert len(sent) == len(release.files)
    assert [finding for path, content in sent.items() for finding in told(content, path)] == []
    assert told(repr((hub.commits, hub.tags)).encode(), "commits and tags") == []


def test_erasing_people_leaves_every_byte_of_every_format_and_nobody_behind_a_worker(
    release: Release, judged: World, tmp_path: Path
) -> None:
    write_release(release=release, folder=tmp_path / "before")
    draft = create_release(collection=judged.collection, formats=list(FORMATS), adjudicated=True)
    write_release(release=draft, folder=tmp_path / "draft")
    Membership.objects.filter(pk=judged.members["ed"].pk).update(role=Membership.Role.LEAD)
    erase_member(lead=judged.members["ada"], member=judged.members["bo"])
    erase_account(account=Account.objects.get(pk=PEOPLE["cy"][0]))
    erase_account(account=Account.objects.get(pk=PEOPLE["ada"][0]))
    assert not Account.objects.filter(pk__in=[person[0] for person in PEOPLE.values()]).exists()
    write_release(release=Release.objects.get(pk=release.pk), folder=tmp_path / "after")
    assert files(tmp_path / "after") == files(tmp_path / "before")
    # One made anew of what is left says the same to the byte: nothing in it came from the accounts.
    default_storage.delete(draft.archive)
    draft.delete()
    anew = create_release(collection=judged.collection, formats=list(FORMATS), adjudicated=True)
    write_release(release=anew, folder=tmp_path / "anew")
    assert files(tmp_path / "anew") == files(tmp_path / "draft")
    for who in PEOPLE:
        member = Membership.objects.get(pk=judged.members[who].pk)
        assert member.account_id is None
        assert member.worker == judged.members[who].worker
