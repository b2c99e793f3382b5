"""While a real import runs, people join and settings and roles change; who needs the same descriptions is told so."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection, connections

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.judgments import give_judgment
from annotation.models import Judgment
from annotation.qualification.exam_sampling import draw_exam
from annotation.qualification.guidelines import publish_guideline
from annotation.settings.services import SettingsRefused, configure
from corpus.description_formats import FileChoices
from corpus.description_import.jobs import keep_upload, progress_of_import, run_import
from corpus.models import Description, Import
from foundation.collections.lifecycle import archive_collection, change_role, remove_member, unarchive_collection
from foundation.collections.members import add_member, set_cast
from foundation.models import Account, Membership
from foundation.refused import Busy
from queries.pooling.query_selection import select_queries
from tests.annotation.judging_steps import graded
from tests.conftest import World, build_world
from tests.datasets.judgment_files import row, write_raw
from tests.workers import wait_until

ROWS = "clip1 0.0 3.0##Ada opens the door.\nclip1 4.0 9.0##Bo sings.\n"


@pytest.fixture
def world(transactional_db: None) -> World:
    """Ada owns it, and this connection waits for a lock no longer than a request does."""
    world = build_world(queries=1, candidates=4)
    Membership.objects.filter(pk=world["ada"].pk).update(role=Membership.Role.OWNER)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '3s'")
    return world


@contextmanager
def held_up_at(table: str, work: Callable[[], object]) -> Iterator[None]:
    """`work` in a connection of its own, which waits to write to a table that another session has locked."""

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor, ThreadPoolExecutor(1) as pool:
            cursor.execute(f"LOCK TABLE {table} IN SHARE MODE")
            future = pool.submit(run)
            try:
                wait_until(lambda: future.done() or somebody_waits())
                assert not future.done(), future.exception()
                yield
                assert not future.done()
            finally:
                other.rollback()
            future.result(60)
    finally:
        other.close()


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None


def join_and_change_everything(world: World) -> None:
    """Each of these took the collection's row, and would wait for three seconds and fail."""
    ada, collection = world["ada"], world.collection
    owner = Membership.objects.get(pk=ada.pk)
    joined = add_member(collection=collection, account=Account.objects.create(username="gil"), role="annotator")
    configure(collection=collection, changes={"pay_per_hour": "15", "title": "Paper, cut out"})
    set_cast(collection=collection, cast="Ada, f", context="A play")
    assert change_role(member=owner, other_id=joined.pk, role="lead").leads
    remove_member(member=owner, other_id=joined.pk)
    publish_guideline(lead=owner, source="Look closely.")
    archive_collection(member=owner)
    unarchive_collection(member=owner)


def test_an_import_of_descriptions_is_in_nobodys_way(world: World, tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    collection, before = world.collection, Description.objects.count()
    upload = SimpleUploadedFile("more.txt", ROWS.replace("clip1", "clip2").encode())
    job = keep_upload(member=world["ada"], upload=upload, choices=FileChoices("charades-sta"))
    tasks = next_tasks(member=world["bo"])

    with held_up_at("corpus_description", lambda: call_command("import_descriptions", "paper", path, verbosity=0)):
        join_and_change_everything(world)
        sent = graded(tasks[0].pair, 3)
        assert give_judgment(member=world["bo"], sent=sent).outcome == "counted"

        # A second one gets its sentence, from the command at once; an upload's import waits and says for what.
        judgments = write_raw(tmp_path / "a.csv", [row("x1", 3)])
        for command, file in (("import_descriptions", path), ("import_judgments", judgments)):
            with pytest.raises(CommandError, match=r"Another import into paper, or a draw .* try again"):
                call_command(command, "paper", file, verbosity=0)
        with pytest.raises(Busy, match="is under way"):
            run_import(import_id=job.pk)
        progress = progress_of_import(Import.objects.get(pk=job.pk))
        assert progress["words"].startswith("Waits until another import into this collection has ended")
        assert (progress["state"], progress["silent"]) == ("queued", False)
        with pytest.raises(Busy, match="is under way"):
            select_queries(collection=collection, val=1, test=1, seed=1)
        with pytest.raises(Busy, match="is under way"):
            draw_exam(collection=collection, seed=1)
    assert Description.objects.count() == before + 2
    run_import(import_id=job.pk)
    assert progress_of_import(Import.objects.get(pk=job.pk))["state"] == "done"
    assert Description.objects.count() == before + 4


def test_an_import_of_judgments_is_in_nobodys_way(world: World, tmp_path: Path) -> None:
    path = write_raw(tmp_path / "a.csv", [row("x1", 3), row("x2", 4), row("x1", 2, moment=1)])

    with held_up_at("annotation_judgment", lambda: call_command("import_judgments", "paper", path, verbosity=0)):
        join_and_change_everything(world)
        # But not what the judgments are imported by, and can't be seen yet.
        with pytest.raises(SettingsRefused, match=r"largest_difference can't be changed now\. Another import"):
            configure(collection=world.collection, changes={"largest_difference": "2"})
    assert Judgment.objects.count() == 3


def test_who_joins_under_a_worker_id_that_is_imported_is_not_given_the_judgments(world: World, tmp_path: Path) -> None:
    path = write_raw(tmp_path / "a.csv", [row("w07", 3), row("x2", 4)])

    def refused() -> None:
        with pytest.raises(CommandError, match="'w07', who has joined meanwhile"):
            call_command("import_judgments", "paper", path, verbosity=0)

    with held_up_at("annotation_batch", refused):
        joined = add_member(
            collection=world.collection, account=Account.objects.create(username="gil"), role="annotator"
        )
        assert joined.worker == "w07"
    assert not Judgment.objects.exists()
