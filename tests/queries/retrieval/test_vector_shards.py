"""Vectors move from the database to files and stay what they are, whoever is killed, deleted or damaged meanwhile."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection

from operation.backup.database import snapshot
from operation.backup.files import stored_files
from queries.models import Embedding, VectorShard
from queries.retrieval import vector_shards
from queries.retrieval.vector_shards import VectorsError, clean_up, open_shard, pack, reading_vectors

pytestmark = pytest.mark.django_db(transaction=True)

ENCODER, OTHER = "one@1", "other@1"


class Killed(BaseException):
    """Stands for the signal that ends the process between two shards."""


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch, settings: object, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"  # type: ignore[attr-defined]
    monkeypatch.setattr(vector_shards, "SHARD_ROWS", 4)
    open_shard.cache_clear()


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def vector_of(text: str) -> np.ndarray:
    return np.frombuffer(digest(text), dtype=np.uint8).astype("<f4")


def encoded(texts: str, encoder: str = ENCODER) -> None:
    """A row for each letter."""
    Embedding.objects.bulk_create(
        Embedding(encoder=encoder, digest=digest(text), vector=vector_of(text).tobytes()) for text in texts
    )


def known(encoder: str = ENCODER) -> str:
    """The letters whose vectors are there, read from where they are."""
    letters = {digest(letter): letter for letter in "abcdefghijklmnopqrstuvwxyz"}
    known_letters = []
    for row in Embedding.objects.filter(encoder=encoder):
        letter = letters[bytes(row.digest)]
        inside = row.shard_id is not None
        vector = open_shard(row.shard_id)[row.place] if inside else np.frombuffer(row.vector, dtype="<f4")
        assert np.array_equal(vector, vector_of(letter)), letter
        known_letters.append(letter)
    return "".join(sorted(known_letters))


def sizes(encoder: str = ENCODER) -> list[int]:
    return sorted(VectorShard.objects.filter(encoder=encoder).values_list("rows", flat=True))


def files() -> set[str]:
    root = Path(default_storage.path(""))
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def named() -> set[str]:
    return set(VectorShard.objects.values_list("vectors_file", flat=True))


def test_vectors_move_to_shards_and_short_ones_become_one() -> None:
    encoded("abcdefghij")
    encoded("abc", OTHER)
    assert pack(encoder=ENCODER, all_of_it=False) == 8
    assert (sizes(), Embedding.objects.filter(encoder=ENCODER, shard=None).count()) == ([4, 4], 2)
    assert pack(encoder=ENCODER) == 2
    assert pack(encoder=ENCODER) == 0
    encoded("klm")
    assert pack(encoder=ENCODER) == 5, "the last, short shard is written anew with them"
    assert (sizes(), known(), sizes(OTHER), known(OTHER)) == ([1, 4, 4, 4], "abcdefghijklm", [], "abc")
    call_command("pack_vectors")
    assert (sizes(OTHER), known(OTHER)) == ([3], "abc")
    assert not Embedding.objects.exclude(vector=None).exists()
    assert files() == named()
    with snapshot() as (session, _):
        assert named() <= stored_files(session), "a backup has them"


def test_it_goes_on_where_it_was_killed_and_leaves_no_stray_file(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded("abcdefghij")

    def die(vectors: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        pack(encoder=ENCODER, progress=die)
    assert (sizes(), known()) == ([4], "abcdefghij")
    first = VectorShard.objects.get()
    # Killed between the file and its record.
    real = vector_shards.sha256_of
    monkeypatch.setattr(vector_shards, "sha256_of", lambda path: die(0))
    with pytest.raises(Killed):
        pack(encoder=ENCODER)
    monkeypatch.setattr(vector_shards, "sha256_of", real)
    assert len(files()) == 2 and known() == "abcdefghij"
    pack(encoder=ENCODER)
    assert (sizes(), known(), files()) == ([2, 4, 4], "abcdefghij", named())
    assert first.vectors_file in files()


def test_texts_that_went_leave_no_vector_in_a_file_and_readers_keep_theirs() -> None:
    encoded("abcdefgh")
    pack(encoder=ENCODER)
    before = files()
    Embedding.objects.filter(digest__in=[digest("a"), digest("f")]).delete()
    clean_up()
    assert (sizes(), known()) == ([2, 4], "bcdegh")
    assert files() == named() and not files() & before
    Embedding.objects.all().delete()
    clean_up()
    assert (sizes(), files()) == ([], set())


def test_who_reads_keeps_the_files_until_done() -> None:
    encoded("abc")
    pack(encoder=ENCODER)
    reads, done = Event(), Event()

    def read() -> None:
        with reading_vectors():
            reads.set()
            done.wait(60)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        reads.wait(60)
        former = files()
        encoded("de")
        pack(encoder=ENCODER)
        assert former < files()
        done.set()
        reader.result()
    clean_up()
    assert (files(), known()) == (named(), "abcde") and not former & files()


def test_a_damaged_file_is_forgotten_and_its_texts_alone(capsys: pytest.CaptureFixture[str]) -> None:
    encoded("abcdefgh")
    pack(encoder=ENCODER)
    damaged = VectorShard.objects.order_by("pk").first()
    assert damaged is not None
    Path(default_storage.path(damaged.vectors_file)).write_bytes(b"half")
    call_command("pack_vectors", check=True)
    assert f"{damaged.vectors_file} in the storage is damaged" in capsys.readouterr().out
    assert (known(), files()) == ("efgh", named())


def test_vectors_of_two_widths_by_one_encoder_are_refused() -> None:
    encoded("ab")
    Embedding.objects.create(encoder=ENCODER, digest=digest("c"), vector=b"\0" * 8)
    with pytest.raises(VectorsError, match="found vectors of 2 and of 32 numbers by one@1, expected one width"):
        pack(encoder=ENCODER)
    assert Embedding.objects.filter(shard=None).count() == 3
