"""A release's signature: taken on where it holds, given out with the release, replaced, withdrawn, and in the trail."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from datasets.models import Release, ReleasePage
from datasets.presentation.services import make_public
from datasets.publishing.folder import FolderTarget
from datasets.publishing.publish import items_of, plan, publish
from datasets.releases.file_cache import open_file
from datasets.releases.make_release import create_release, write_release
from datasets.releases.signing import sign_release, signature_of, withdraw_signature
from evaluation.__main__ import main
from evaluation.releases.check_release import check_release
from evaluation.releases.manifest import SIGNATURE
from foundation.models import Account, AuditEntry, Membership
from foundation.refused import Refused
from tests.api.callers import Caller
from tests.datasets.conftest import World
from tests.datasets.releases.signed import Owner

OWNER = Owner()


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


def manifest_of(release: Release) -> bytes:
    with open_file(release, "manifest.json") as file:
        return file.read()


def logged_in(world: World, name: str) -> Client:
    client = Client()
    client.force_login(world.members[name].account)
    return client


def send(client: Client, release: Release, signature: str | bytes, key: str) -> tuple[int, str]:
    address = reverse("release-signature", args=["tiny", release.pk])
    content = signature if isinstance(signature, bytes) else signature.encode()
    file = SimpleUploadedFile(SIGNATURE, content)
    answer = client.post(address, {"signature": file, "key": key}, follow=True)
    return answer.status_code, answer.content.decode()


def test_a_lead_s_upload_is_shown_replaced_withdrawn_and_in_the_trail(judged: World, release: Release) -> None:
    ada, manifest, other = logged_in(judged, "ada"), manifest_of(release), Owner(2)
    code, page = send(ada, release, OWNER.signs(manifest), f"untrusted comment: minisign public key\n{OWNER.key}\n")
    assert code == 200 and "is signed by the key 0101010101010101, 2026-01-01" in page and OWNER.key in page
    file = ada.get(reverse("release-file", args=["tiny", release.pk, SIGNATURE]))
    assert file.content == OWNER.signs(manifest).encode()

    assert logged_in(judged, "bo").get(file.request["PATH_INFO"]).status_code == 404
    assert send(logged_in(judged, "bo"), release, OWNER.signs(manifest), OWNER.key)[0] == 403

    code, page = send(ada, release, other.signs(manifest, "castle v1"), other.key)
    assert code == 200 and "is signed by the key 0202020202020202, " in page
    ada.post(reverse("release-signature-off", args=["tiny", release.pk]))
    assert signature_of(release) is None
    assert ada.get(file.request["PATH_INFO"]).status_code == 404
    assert "is signed by the key" not in ada.get(reverse("release", args=["tiny", release.pk])).content.decode()

    trail = AuditEntry.objects.filter(table="datasets_releasepage").order_by("pk")
    assert [(entry.after or {}).get("signing_key") for entry in trail] == [OWNER.key, other.key, ""]
    withdraw_signature(release=release)
    assert trail.count() == 3


def test_what_is_no_signature_of_this_manifest_by_this_key_is_refused(judged: World, release: Release) -> None:
    ada, manifest = logged_in(judged, "ada"), manifest_of(release)
    good = OWNER.signs(manifest)
    for signature, key, words in (
        (OWNER.signs(manifest + b" "), OWNER.key, "isn’t the signature of this manifest.json"),
        (good.replace("timestamp:1", "timestamp:2"), OWNER.key, "has another trusted comment than was signed"),
        (good, Owner(2).key, "is of the key 0101010101010101, expected 0202020202020202"),
        (good, "/etc/hostname", "expected a public key of minisign"),
        (good, "", "expected a public key of minisign"),
        ("", OWNER.key, "found no signature"),
        (b"\xff\xfe", OWNER.key, "found no signature"),
        (OWNER.signs(manifest, "a\0b"), OWNER.key, "found no signature"),
        (good + "x" * 2000, OWNER.key, "expected at most 2,000"),
    ):
        code, page = send(ada, release, signature, key)
        assert code == 400 and words in page.replace("&#x27;", "’").replace("isn't", "isn’t"), (words, code)
        assert "Correct what is marked below" not in page, "nothing is wrong with the citation"
    assert not ReleasePage.objects.exclude(signature="").exists()


def test_the_folder_and_what_is_published_have_it_and_it_is_no_stranger(
    judged: World, release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after, target = tmp_path / "before", tmp_path / "after", FolderTarget(tmp_path / "published")
    write_release(release=release, folder=before)
    sign_release(release=release, signature=OWNER.signs(manifest_of(release)).encode(), key=OWNER.key)
    assert write_release(release=release, folder=after) and not write_release(release=release, folder=before)
    publish(release=release, target=target)
    assert [item.path for item in items_of(release)][-2:] == [SIGNATURE, "manifest.json"]
    assert {file.state for file in plan(release, target, items_of(release))} == {"same"}
    for folder in (before, after, target.folder):
        assert check_release(folder) == []
        assert main(["verify", str(folder), "--key", OWNER.key]) == 0
        assert "signature: holds" in capsys.readouterr().out
    assert "manifest.json.minisig" not in release.files


def test_the_public_page_says_who_signed_it(judged: World, release: Release) -> None:
    account = Account.objects.create(username="olga", email="olga@example.org")
    olga = Membership.objects.create(
        collection=judged.collection, account=account, role=Membership.Role.OWNER, worker="w99"
    )
    sign_release(release=release, signature=OWNER.signs(manifest_of(release)).encode(), key=OWNER.key)
    make_public(member=olga, release=release, pictures="none", files="none", indexed=False)
    page = Client().get("/published/tiny/v1/").content.decode()
    assert "is signed by the key 0101010101010101" in page and f"--key {OWNER.key}" in page
    assert SIGNATURE not in page
    assert Client().get(f"/published/tiny/v1/files/{SIGNATURE}").status_code == 404


def test_the_command_and_the_api_do_the_same(judged: World, release: Release, tmp_path: Path) -> None:
    good, file, key = OWNER.signs(manifest_of(release)), tmp_path / SIGNATURE, tmp_path / "minisign.pub"
    file.write_text(good)
    key.write_text(f"untrusted comment: minisign public key\n{OWNER.key}\n")
    call_command("sign_release", "tiny", "v1", str(file), key=str(key))
    ada, here = Caller(judged.members["ada"]), f"/collections/tiny/releases/{release.pk}/signature"
    told = ada.get(here).json()
    assert (told["signature"], told["key"], told["identity"]) == (good, OWNER.key, "01" * 8)
    assert told["at"].startswith("2026-01-01T00:00:00")
    call_command("sign_release", "tiny", "v1", withdraw=True)
    assert ada.get(here).status_code == 404
    assert ada.post(here, {"signature": good, "key": OWNER.key}).json() == told
    wrong = ada.post(here, {"signature": good, "key": Owner(2).key})
    assert wrong.status_code == 422 and "is of the key" in wrong.content.decode()
    assert signature_of(release) is not None
    assert ada.delete(here).status_code == 204 and signature_of(release) is None
    for more in ({}, {"withdraw": True, "key": OWNER.key}):
        with pytest.raises(CommandError, match="expected"):
            call_command("sign_release", "tiny", "v1", **more)
    with pytest.raises((CommandError, Refused), match="is of the key"):
        call_command("sign_release", "tiny", "v1", str(file), key=Owner(2).key)
