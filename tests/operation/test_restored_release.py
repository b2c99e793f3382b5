"""A restored site has its releases byte for byte, and makes the same ones again."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from datasets.releases.make_release import create_release
from tests.datasets.conftest import World, judged, unjudged  # noqa: F401 - a collection whose pairs are decided
from tests.operation.sites import empty_site, made, restored, stored, this_process_at

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_exports_the_same_bytes_from_its_archive_and_anew(
    settings: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "media")
    settings.VAR = tmp_path / "var"
    settings.VIDEO_FOLDER = tmp_path / "videos"
    collection = request.getfixturevalue("judged").collection
    create_release(collection=collection, name="v1")
    made(tmp_path / "backups")
    with empty_site(tmp_path) as there:
        restored(there, tmp_path / "backups")
        for release in ("v1", "v2"):
            arguments = ["export_release", collection.name]
            call_command(*arguments, str(tmp_path / f"here-{release}"), release=release, stdout=StringIO())
            with this_process_at(there):
                call_command(*arguments, str(tmp_path / f"there-{release}"), release=release, stdout=StringIO())
            here, elsewhere = stored(tmp_path / f"here-{release}"), stored(tmp_path / f"there-{release}")
            if release == "v2":
                # It says when each was made.
                assert here.pop("manifest.json") and elsewhere.pop("manifest.json")
            assert here and here == elsewhere
