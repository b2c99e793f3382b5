"""A release's archive by the API: whole, and the rest of a download that broke off."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.api.callers import Caller
from tests.campaigns.shared_task import judged_queries, released


@pytest.mark.django_db
def test_a_broken_download_goes_on(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    release = released(tmp_path / "made", judged_queries(2))
    ada = Caller(release.collection.memberships.get(account__username="ada"))
    there = f"/collections/{release.collection.name}/releases/{release.pk}/archive"
    answer = ada.get(there)
    whole = b"".join(answer)
    assert answer.status_code == 200 and answer["Content-Type"] == "application/gzip"
    assert "v1.tar.gz" in answer["Content-Disposition"]
    assert answer["ETag"] == f'"{hashlib.sha256(whole).hexdigest()}"' == f'"{release.archive_sha256}"'
    half = len(whole) // 2
    rest = ada.get(there, Range=f"bytes={half}-", **{"If-Range": answer["ETag"]})
    assert rest.status_code == 206 and b"".join(rest) == whole[half:]
    other = ada.get(there, Range=f"bytes={half}-", **{"If-Range": '"another"'})
    assert other.status_code == 200 and b"".join(other) == whole
    assert ada.get(there, Range=f"bytes={len(whole)}-").status_code == 416
