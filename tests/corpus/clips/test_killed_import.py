"""An import of a large folder that is killed: what it has opened isn't opened again."""

import os
import signal
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from corpus.clips.import_videos import KEPT_AT_ONCE, import_videos
from corpus.models import ProbedFile, Video
from foundation.models import Collection
from tests.corpus.conftest import make_film
from tests.forked import ForkedProcess
from tests.paths import ROOT

BROKEN = KEPT_AT_ONCE + 20
PROGRAM = """
import os, signal, sys, django
sys.path.insert(0, sys.argv[2])
django.setup()
from pathlib import Path
from corpus.clips.import_videos import KEPT_AT_ONCE, import_videos
from foundation.models import Collection

def die(done, total):
    if done == KEPT_AT_ONCE + 10:
        os.kill(os.getpid(), signal.SIGKILL)

import_videos(collection=Collection.objects.get(), folder=Path(sys.argv[1]), progress=die)
"""


@pytest.mark.django_db(transaction=True)
def test_a_killed_import_goes_on_with_the_files_that_it_has_not_opened(tmp_path: Path) -> None:
    collection = Collection.objects.create(name="paper", title="Paper")
    folder = tmp_path / "films"
    folder.mkdir()
    film = make_film(folder / "a-film.mp4", seconds=1)
    names = ["a-film", *(f"b-{number:03d}" for number in range(BROKEN))]
    for name in names[1:]:
        (folder / f"{name}.mp4").write_bytes(b"no film")
    Video.objects.bulk_create(Video(collection=collection, name=name) for name in names)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    database = settings.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    at = f"/{database['NAME']}?host={host}" if host.startswith("/") else f"{host}:{database['PORT']}/{database['NAME']}"
    url = f"postgresql://{database['USER']}:{database['PASSWORD']}@{at}"
    env = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings"}
    killed = ForkedProcess([str(program), str(folder), str(ROOT)], env=env, log=tmp_path / "log")
    assert killed.wait(60) == -signal.SIGKILL, (tmp_path / "log").read_text()
    assert ProbedFile.objects.count() == KEPT_AT_ONCE
    assert not Video.objects.exclude(path="").exists(), "no video has a file before all are opened"

    # One of them is whole now: another file than before, it is opened.
    (folder / "b-000.mp4").write_bytes(film.read_bytes())
    told: list[int] = []
    report = import_videos(collection=collection, folder=folder, progress=lambda done, total: told.append(done))
    assert told[0] == KEPT_AT_ONCE - 1 and told[-1] == len(names)
    assert report.matched == 2 and len(report.unreadable) == BROKEN - 1
    assert sorted(Video.objects.exclude(path="").values_list("name", flat=True)) == ["a-film", "b-000"]
    assert Video.objects.get(name="a-film").duration == pytest.approx(1, abs=0.1)
    assert not ProbedFile.objects.exists()
    again: list[int] = []
    import_videos(collection=collection, folder=folder, progress=lambda done, total: again.append(done))
    assert again[0] == 1, "an import that was done is none that was broken off"
