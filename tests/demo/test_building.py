"""While the demo is being built, its people can log in and every page says what happens."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import WorkedItem
from config import building
from corpus.models import Clip, Moment
from demo import build
from demo.filming import Filming
from demo.plans import THEATRE, DemoPlan
from foundation.models import Collection
from foundation.refused import Refused
from tests.annotation.conftest import school
from tests.conftest import World
from tests.drawn import TwoFilms

__all__ = ["school"]

pytestmark = pytest.mark.django_db


def test_the_people_are_there_before_anything_is_built_and_pages_say_how_far_it_is() -> None:
    with building.under_way():
        build.begin(THEATRE)
        build.begin(THEATRE)
        client = Client()
        building.tell(done="12 of 40 videos are drawn.")
        build.step("Cutting a clip for every moment", then="the guideline")
        sentence = "Now: Cutting a clip for every moment. 12 of 40 videos are drawn. Next: the guideline."
        assert sentence in client.get("/login/").content.decode()
        assert client.login(username=build.LEAD, password=build.PASSWORD)
        overview = client.get("/", follow=True)
        assert overview.redirect_chain == [("/c/theatre/", 302)] and sentence in overview.content.decode()
        assert "Add videos" in overview.content.decode()
        assert Client().login(username=build.ANNOTATORS[0], password=build.PASSWORD)
    assert "is being prepared" not in client.get("/c/theatre/").content.decode()
    build.step("Checking, exporting, scoring")
    assert building.told() == "", "only a demo under way is told of"


def test_what_a_killed_builder_said_is_said_no_longer(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("QREELS_VAR", str(tmp_path))
    program = (
        "import os\nfrom config import building\nwith building.under_way():\n"
        "    building.tell('x')\n    print(building.told(), flush=True)\n    os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    assert (done.returncode, done.stdout) == (-9, "Now: x.\n")
    assert (tmp_path / "run" / "building.json").exists()
    assert building.told() == ""


def test_films_come_into_a_collection_that_was_described_before_they_were_drawn(
    transactional_db: None, two_films: TwoFilms, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    plan = DemoPlan("theatre", "Paper theatre", val=1, test=1, seed=7, videos=2)
    collection = build.describe(plan)
    described = collection.descriptions.order_by("pk").values_list("text", flat=True)
    assert list(described) == [scene.description for scene in two_films.scenes], "what is described is what is drawn"
    two_films.build(tmp_path / "films", videos=2)
    with Filming(tmp_path / "films", videos=2) as filming:
        filming.begin()
        filming.bring_into(collection.pk)
        filming.wait()
    assert not Clip.objects.filter(video_file="").exists()
    assert Clip.objects.count() == Moment.objects.filter(video__collection=collection).count() > 0
    assert not build.is_complete(plan), "nothing is open to be judged"


def test_a_demo_that_was_killed_before_its_guideline_was_published_is_not_complete(
    school: World,
) -> None:
    collection: Collection = school.collection
    plan = DemoPlan(collection.name, collection.title, val=1, test=1, seed=7, videos=1)
    assert build.is_open(plan) and not build.is_complete(plan)
    Collection.objects.filter(pk=collection.pk).update(guideline=" ")
    collection.refresh_from_db()
    with pytest.raises(Refused, match="the text is empty"):
        build.publish_guideline_with_examples(collection, lambda asked, moment: 2.0)
    assert not WorkedItem.objects.exists()
    collection.guideline = ""
    collection.save()
    build.publish_guideline_with_examples(collection, lambda asked, moment: 2.0)
    collection.refresh_from_db()
    assert build.is_complete(plan)
