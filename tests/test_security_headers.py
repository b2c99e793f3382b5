"""Security headers: on every kind of response, and no page that needs what they forbid."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.storage import clip_storage
from config.variables import Clips
from config.web.security_headers import origins_of, policy
from tests.paths import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)(?![^>]*application/json)", re.IGNORECASE)
HANDLER = re.compile(r"\son(?:click|change|submit|load|error|input|focus|blur|key\w+|mouse\w+)\s*=", re.IGNORECASE)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_page_has_a_script_or_a_style_sheet_in_it(path: Path) -> None:
    text = path.read_text()
    for pattern in (SCRIPT, HANDLER, re.compile(r"<style\b"), re.compile(r"javascript:")):
        found = pattern.search(text)
        assert not found, f"{path.name}: {found and found[0]} is refused by the content security policy"


def test_the_search_would_see_them() -> None:
    assert SCRIPT.search('<script type="module">') and not SCRIPT.search('<script type="module" src="a.js">')
    assert HANDLER.search('<a onclick="go()">') and not HANDLER.search('<option value="x">')


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/login/", "/no-such-page/", "/static/css/qreels.css", "/", "/healthz"])
def test_every_response_says_what_it_may(client: Client, path: str) -> None:
    answer: Any = client.get(path)
    assert "default-src 'none'; script-src 'self';" in answer["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    kept = answer["Cache-Control"]
    assert ("no-cache" in kept and "private" in kept) or "no-store" in kept or path.startswith("/static/")


def test_clips_of_a_bucket_may_be_loaded_from_there_and_nowhere_else() -> None:
    assert origins_of(clip_storage(Clips())) == []
    own = clip_storage(Clips(QREELS_S3_BUCKET="clips", QREELS_S3_ENDPOINT="https://s3.example.org:9000/"))
    assert origins_of(own) == ["https://s3.example.org:9000"]
    assert "media-src 'self' blob: https://s3.example.org:9000;" in policy(origins_of(own))
    amazon = clip_storage(Clips(QREELS_S3_BUCKET="clips", QREELS_S3_REGION="eu-central-1"))
    assert origins_of(amazon) == [
        "https://clips.s3.amazonaws.com",
        "https://clips.s3.eu-central-1.amazonaws.com",
    ]


def test_a_production_site_passes_django_s_checks_for_deployment() -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "QREELS_ENV": "production",
        "QREELS_SECRET_KEY": "k5nG2-x_Qw8Zr1LmV0pTy7Hs4Jc9Bd3Fa6Ue",
        "QREELS_ALLOWED_HOSTS": "qreels.example.org",
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    }
    # Longer than Django asks for.
    environment["QREELS_SECRET_KEY"] *= 2
    line = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
