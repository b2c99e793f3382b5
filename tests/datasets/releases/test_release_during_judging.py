"""People go on judging while a release is made and exported in every format: it is of one instant all the same."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from annotation.models import Pair
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases import make_release, manifest
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.counted import counted
from tests.datasets import readers
from tests.datasets.conftest import World
from tests.datasets.releases.test_release import elsewhere


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuse_differences(folder: Path) -> readers.Said:
    """The release holds together, and readers of every format read the same of it. Returns: what they read."""
    assert check_release(folder) == []
    stated = readers.read_tvr_ranking(folder)
    for read in (readers.read_by_pyarrow, readers.read_trec, readers.read_beir):
        found = read(folder)
        assert found.grades == stated.grades
        assert [set(texts) for texts in found.texts.values()] == [set(texts) for texts in stated.texts.values()]
    assert readers.read_by_pyarrow(folder).judgments == stated.judgments
    card = (folder / "parquet" / "README.md").read_text()
    sheet = (folder / "datasheet" / "DATASHEET.md").read_text()
    pairs = [len(stated.pairs[split]) for split in readers.SPLITS]
    assert f"| `grades` | val {pairs[0]}, test {pairs[1]} |" in card
    assert f"| Graded pairs | {pairs[0]} | {pairs[1]} |" in card
    assert f"gave {counted(len(stated.judgments), 'judgment')} in this release" in sheet
    return stated


class Judging:
    """The judgments that are still to come, one at a time, each over a connection of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        pairs = Pair.objects.filter(batch__query__collection=world.collection, status=Pair.Status.OPEN)
        self.left = [
            (pair, who, min(4, number % 5 + (number % 2 if who == "di" else 0)))
            for number, pair in enumerate(pairs.order_by("candidate__rank", "batch__query__position", "pk"))
            for who in ("cy", "di")
        ]
        self.given: list[str] = []

    def one(self, where: str) -> None:
        """Somebody judges now, once at every place."""
        if where not in self.given:
            pair, who, grade = self.left.pop(0)
            elsewhere(lambda: self.world.judge(pair, (who, grade)))
            self.given.append(where)


@contextmanager
def judged_before_every_step(judging: Judging, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Before the state is looked at and described, before every format is written, and before the files are packed."""

    def after_a_judgment(step: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            judging.one(f"before {step}")
            return work(*arguments, **options)

        return wrapped

    with monkeypatch.context() as patched:
        for module, name in ((make_release, "refuse_unready"), (manifest, "describe"), (make_release.archives, "pack")):
            patched.setattr(module, name, after_a_judgment(name, getattr(module, name)))
        for name, found in FORMATS.items():
            patched.setitem(FORMATS, name, replace(found, write=after_a_judgment(name, found.write)))
        yield


def test_judgments_at_every_boundary_are_in_none_of_the_formats(
    unjudged: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rank in (1, 2, 3):
        unjudged.judge(unjudged.pair("102", rank), ("bo", rank), ("cy", 4))
    before = create_release(collection=unjudged.collection, formats=list(FORMATS))
    Release.objects.all().delete()
    judging = Judging(unjudged)
    with judged_before_every_step(judging, monkeypatch):
        release = create_release(
            collection=unjudged.collection,
            formats=list(FORMATS),
            progress=lambda queries: judging.one(f"inside, {judging.given[-1].removeprefix('inside, ')}"),
        )
    steps = ["refuse_unready", "describe", *FORMATS, "pack"]
    assert [where for where in judging.given if not where.startswith("inside")] == [f"before {step}" for step in steps]
    assert len(judging.given) == len(steps) + 4, "and in the midst of the four formats that go query by query"
    assert Pair.objects.filter(status=Pair.Status.CONSENSUS).count() >= 6, "the judging did happen"
    write_release(release=release, folder=tmp_path / "v1")
    stated = refuse_differences(tmp_path / "v1")
    assert len(stated.judgments) == before.manifest["counts"]["val"]["judgments"]
    assert (release.name, release.archive_sha256) == (before.name, before.archive_sha256), "to the byte"


def test_every_release_made_while_people_judge_holds_together(unjudged: World, tmp_path: Path) -> None:
    """Two people judge, each over a connection of their own, while releases are made one after another."""
    unjudged.judge(unjudged.pair("102", 1), ("bo", 3), ("ed", 4))
    plan = {who: [one for one in Judging(unjudged).left if one[1] == who] for who in ("cy", "di")}
    failures: list[BaseException] = []
    gate = threading.Semaphore(2)

    def judge(own: list[tuple[Pair, str, int]]) -> None:
        try:
            for pair, who, grade in own:
                gate.acquire()
                unjudged.judge(pair, (who, grade))
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    people = [threading.Thread(target=judge, args=(own,)) for own in plan.values()]
    for person in people:
        person.start()
    seen: list[int] = []
    while any(person.is_alive() for person in people):
        # What is let in is judged while the release is being made: nobody waits for the other.
        gate.release(6)
        release = create_release(collection=unjudged.collection, formats=list(FORMATS))
        folder = tmp_path / release.name
        write_release(release=release, folder=folder)
        seen.append(len(refuse_differences(folder).judgments))
    assert failures == []
    write_release(release=create_release(collection=unjudged.collection, formats=list(FORMATS)), folder=tmp_path / "v")
    seen.append(len(refuse_differences(tmp_path / "v").judgments))
    assert seen == sorted(seen), "a later release has what an earlier one had"
    assert seen[0] < seen[-1], "there was judging between them"


def test_an_export_while_people_judge_gives_the_releases_own_bytes(
    unjudged: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unjudged.judge(unjudged.pair("102", 1), ("bo", 3), ("cy", 4))
    release = create_release(collection=unjudged.collection, name="v1", formats=list(FORMATS))
    write_release(release=release, folder=tmp_path / "before")
    judging = Judging(unjudged)
    unpack = make_release.archives.unpack

    def unpack_meanwhile(*arguments: Any) -> None:
        judging.one("before unpacking")
        unpack(*arguments)
        judging.one("after unpacking")

    monkeypatch.setattr(make_release.archives, "unpack", unpack_meanwhile)
    again = create_release(collection=unjudged.collection, name="v1", formats=list(FORMATS))
    write_release(release=again, folder=tmp_path / "after")
    assert len(judging.given) == 2
    assert files(tmp_path / "after") == files(tmp_path / "before")


def test_of_two_who_release_every_format_under_one_name_at_once_one_has_it_whole(
    unjudged: World, tmp_path: Path
) -> None:
    """Each sees another state, since somebody judges between: the name stands for one of them, in all formats."""
    unjudged.judge(unjudged.pair("102", 1), ("bo", 3), ("cy", 4))
    judging = Judging(unjudged)
    calls: list[int] = []
    other: list[Release] = []

    def release_too(queries: int) -> None:
        calls.append(queries)
        if len(calls) == 1:
            judging.one("between")
            judging.one("between")
            elsewhere(
                lambda: other.append(create_release(collection=unjudged.collection, name="v1", formats=list(FORMATS)))
            )

    mine = create_release(collection=unjudged.collection, name="v1", formats=list(FORMATS), progress=release_too)
    assert other == [mine] == list(Release.objects.all())
    write_release(release=mine, folder=tmp_path / "v1")
    assert sum(len(pairs) for pairs in refuse_differences(tmp_path / "v1").pairs.values()) >= 1
