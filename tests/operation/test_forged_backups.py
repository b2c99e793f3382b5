"""Whoever can write where backups lie runs nothing by a restore; what was withdrawn since a backup stays so."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotation.models import Invitation
from annotation.people.erasure import erase_account
from annotation.qualification.invitations import make_invitation
from corpus.models import Clip
from foundation.access.api_tokens import make_token
from foundation.accounts.password_links import make_password_link
from foundation.models import Account, ApiToken, OneTimeLink
from operation.backup.authenticity import mac_of
from operation.backup.database import dump, parameters, snapshot
from operation.models import Backup
from tests.conftest import World, build_world
from tests.operation.sites import empty_site, made, restored, rows, stored
from tests.workers import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
ANOTHER_KEY = "another-secret-key-of-another-installation-4711"


@pytest.fixture
def place(settings: Any, tmp_path: Path) -> Path:
    """A backup of a small collection with two files in the storage."""
    settings.MEDIA_ROOT = str(tmp_path / "media")
    settings.VIDEO_FOLDER = tmp_path / "videos"
    settings.VAR = tmp_path / "var"
    build_world(clips=True)
    for clip in Clip.objects.all():
        for name in (clip.video_file, clip.poster_file):
            default_storage.save(name, ContentFile(name.encode() * 100))
    made(tmp_path / "backups")
    return tmp_path / "backups"


def manifest_in(place: Path) -> Path:
    (manifest,) = (place / "backups").glob("*.json")
    return manifest


def forged_dump(place: Path, marker: Path) -> None:
    """In the place of the dump, one that has the server run a program as soon as rows are loaded."""
    with psycopg.connect(**parameters(), autocommit=True) as own:  # type: ignore[arg-type]
        for body in ("", f"COPY (SELECT 1) TO PROGRAM 'touch {marker}';"):
            own.execute(
                "CREATE OR REPLACE FUNCTION evil_check(int) RETURNS boolean LANGUAGE plpgsql AS"
                f" $$ BEGIN {body} RETURN true; END $$"
            )
            if not body:
                own.execute("CREATE TABLE evil (a int CHECK (evil_check(a)))")
                own.execute("INSERT INTO evil VALUES (1)")
        try:
            with psycopg.connect(**parameters()) as seen:  # type: ignore[arg-type]
                seen.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
                (name,) = seen.execute("SELECT pg_export_snapshot()").fetchone()  # type: ignore[misc]
                (file,) = (place / "backups").glob("*.dump")
                dump(file, seen=name)
        finally:
            own.execute("DROP TABLE evil")
            own.execute("DROP FUNCTION evil_check")
    facts = json.loads(manifest_in(place).read_text())
    facts["dump_sha256"] = sha256(file.read_bytes()).hexdigest()
    manifest_in(place).write_text(json.dumps(facts))


def sign(place: Path) -> None:
    """As if the installation itself had written what lies there."""
    path = manifest_in(place)
    path.with_suffix(".mac").write_text(mac_of(f"backups/{path.name}", path.read_text()))


def without_macs(place: Path) -> None:
    for path in (place / "backups").glob("*.mac"):
        path.unlink()


def both(place: Path, tmp_path: Path, *arguments: str) -> list[str]:
    """What the two ways of running a dump say, restoring and trying; "" where it was run."""
    refusals = []
    with empty_site(tmp_path) as there:
        for call in (
            lambda: restored(there, place, *arguments),
            lambda: call_command("restore", str(place), "--verify", *arguments),
        ):
            try:
                call()
                refusals.append("")
            except CommandError as refusal:
                refusals.append(str(refusal))
        if refusals[0]:
            assert rows(there["DATABASE_URL"], "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
            assert rows(there["DATABASE_URL"], "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'qreels_load_%'") == [
                (0,)
            ]
    return refusals


def test_a_dump_and_manifest_that_somebody_else_made_are_refused_before_anything_is_run(
    place: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    forged_dump(place, marker)
    for why in both(place, tmp_path):
        assert "was made with another key than this installation's, or was changed since" in why
    without_macs(place)
    for why in both(place, tmp_path):
        assert "isn't signed: its .mac is gone, or somebody else made it" in why
    assert not marker.exists() and not (tmp_path / "elsewhere" / "media").exists()


def test_even_where_it_is_taken_it_is_run_by_a_role_that_may_do_nothing_else(place: Path, tmp_path: Path) -> None:
    """The backup is the installation's own by its signature, or the owner takes it without one."""
    marker = tmp_path / "ran"
    forged_dump(place, marker)
    sign(place)
    for why in both(place, tmp_path):
        assert "permission denied to COPY to or from an external program" in why
    without_macs(place)
    for why in both(place, tmp_path, "--unsigned"):
        assert "permission denied to COPY to or from an external program" in why
    assert not marker.exists()


def test_another_dump_in_the_place_of_the_dump_is_refused(place: Path, tmp_path: Path) -> None:
    """The manifest is the installation's own, and the other dump has as many rows."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # nobody notes the change
        cursor.execute("UPDATE foundation_collection SET title = 'Another'")
        cursor.execute("RESET session_replication_role")
    (file,) = (place / "backups").glob("*.dump")
    with snapshot() as (_, seen):
        dump(file, seen=seen)
    for why in both(place, tmp_path):
        assert f"{file.name} is damaged: its SHA-256 is" in why


def test_a_backup_without_its_signature_needs_to_be_asked_for(place: Path, tmp_path: Path) -> None:
    without_macs(place)
    assert all("isn't signed" in why for why in both(place, tmp_path))
    assert both(place, tmp_path, "--unsigned") == ["", ""]


def test_another_installation_is_given_the_key_of_the_one_that_made_it(
    place: Path, tmp_path: Path, settings: Any
) -> None:
    own, settings.SECRET_KEY = settings.SECRET_KEY, ANOTHER_KEY
    assert all("--secret FILE" in said for said in both(place, tmp_path))
    for content, why in ((ANOTHER_KEY, "another key"), ("", "is empty"), (own, "")):
        (tmp_path / "secret").write_text(f"{content}\n")
        said = both(place, tmp_path, "--secret", str(tmp_path / "secret"))
        assert all(why in one and bool(one) == bool(why) for one in said), said
    assert Backup.objects.get().verified_at is not None
    settings.SECRET_KEY_FALLBACKS = [own]
    assert both(place, tmp_path) == ["", ""], "a key that was replaced is still the installation's"


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a file's content": lambda facts: facts["files"][0].update(sha256="0" * 64),
    "a file's name": lambda facts: facts["files"][0].update(name="clips/other.mp4"),
    "a file less": lambda facts: facts["files"].pop(),
    "the dump": lambda facts: facts.update(dump_sha256="0" * 64),
    "the folder of videos": lambda facts: facts.update(video_folder="/"),
    "rows": lambda facts: facts["rows"].clear(),
    "the order": lambda facts: facts["files"].reverse(),
}


def test_whatever_is_changed_in_a_manifest_is_noticed(place: Path) -> None:
    path = manifest_in(place)
    written = path.read_text()
    for what, change in CHANGES.items():
        facts = json.loads(written)
        change(facts)
        path.write_text(json.dumps(facts))
        with pytest.raises(CommandError) as refusal:
            call_command("restore", str(place), "--verify")
        assert "or was changed since" in str(refusal.value), what


def test_an_older_manifest_under_a_newer_name_is_noticed(place: Path) -> None:
    older = manifest_in(place)
    newer = older.with_name(f"{(datetime.now(UTC) + timedelta(days=1)):%Y%m%dT%H%M%SZ}.json")
    for ending in (".json", ".mac"):
        newer.with_suffix(ending).write_bytes(older.with_suffix(ending).read_bytes())
    with pytest.raises(CommandError, match="or was changed since"):
        call_command("restore", str(place), "--verify")
    newer.unlink()
    newer.with_suffix(".mac").unlink()


def next_second(place: Path) -> None:
    """Wait until another backup has another id."""
    newest = max(path.stem for path in (place / "backups").glob("*.json"))
    wait_until(lambda: f"{timezone.now():%Y%m%dT%H%M%SZ}" > newest)


def test_nobody_erased_comes_back_by_an_older_backup(place: Path, tmp_path: Path) -> None:
    """Each newer backup in the place says who was erased: whatever is put back, somebody's erasure is known from it."""
    older = manifest_in(place)
    for name in ("bo", "cy"):
        next_second(place)
        erase_account(account=Account.objects.get(username=name))
        made(place)
    _, middle, newest = sorted((place / "backups").glob("*.json"))
    names = "SELECT username FROM foundation_account WHERE username IN ('bo', 'cy', 'di') ORDER BY 1"
    arguments = ("--backup", older.stem)
    content = newest.read_bytes()
    for forged in (middle.read_bytes(), content.replace(b'"erased"', b'"lost"'), b""):
        newest.write_bytes(forged)
        with empty_site(tmp_path) as there:
            with pytest.raises(
                CommandError, match=f"who was erased after .* remove backups/{newest.name} from the place"
            ):
                restored(there, place, *arguments)
            assert rows(there["DATABASE_URL"], "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    newest.write_bytes(content)
    with empty_site(tmp_path) as there:
        restored(there, place, *arguments)
        assert rows(there["DATABASE_URL"], names) == [("di",)]


def test_nothing_is_read_or_written_through_a_symbolic_link(place: Path, tmp_path: Path) -> None:
    victim = next(path for path in sorted((place / "files").rglob("*")) if path.is_file())
    outside = tmp_path / "outside"
    victim.rename(outside)
    victim.symlink_to(outside)
    assert all("is a symbolic link" in why for why in both(place, tmp_path))
    victim.unlink()
    outside.rename(victim)
    (tmp_path / "abroad").mkdir()
    media = tmp_path / "elsewhere" / "media"
    rmtree(media)
    media.mkdir()
    (media / "clips").symlink_to(tmp_path / "abroad")
    with empty_site(tmp_path) as there, pytest.raises(CommandError, match="leads elsewhere by a symbolic link"):
        restored(there, place)
    assert stored(tmp_path / "abroad") == {}


def test_what_was_withdrawn_after_the_backup_stays_withdrawn(place: Path, tmp_path: Path) -> None:
    world = World(Clip.objects.all()[0].moment.video.collection)
    ada, bo = (world.collection.memberships.get(account__username=name) for name in ("ada", "bo"))
    assert ada.account and bo.account
    make_token(account=ada.account, name="figures")
    make_password_link(maker=ada.account, account=bo.account)
    make_invitation(lead=ada)
    next_second(place)
    made(place)
    ApiToken.objects.update(revoked_at=timezone.now())
    OneTimeLink.objects.all().delete()
    Invitation.objects.update(withdrawn_at=timezone.now())
    connection.close()
    with empty_site(tmp_path) as there:
        output = restored(there, place)
        assert "tokens revoked: 1; links for passwords, invitations, recruiting and teams that are void: 2." in output
        for table, open_ones in (
            ("foundation_apitoken", "revoked_at IS NULL"),
            ("foundation_onetimelink", "true"),
            ("annotation_invitation", "withdrawn_at IS NULL"),
            ("campaigns_teamlink", "withdrawn_at IS NULL AND used_at IS NULL"),
            ("foundation_session", "true"),
        ):
            assert rows(there["DATABASE_URL"], f"SELECT count(*) FROM {table} WHERE {open_ones}") == [(0,)], table
