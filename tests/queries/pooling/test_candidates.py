"""Candidates over time: moments that come later, batches that are opened, work that is killed half-way."""

from pathlib import Path

import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from annotation.batches.opening import open_annotation
from corpus.models import Description, Moment
from foundation.models import Collection
from foundation.text import normalise
from queries.models import Candidate, Caption, Embedding, Query, VectorShard
from queries.pooling.candidates import fetch_candidates
from queries.pooling.query_selection import select_queries
from queries.retrieval import distributed_search, embedding_cache, vector_shards
from queries.retrieval.embedding_cache import embed
from queries.retrieval.encoder import load_encoder
from queries.retrieval.exact_search import Targets, search
from tests.queries.pooling.training_arrays import load_training
from tests.queries.pooling.whole_pool import build_pool
from tests.queries.test_main_way import SENTENCES, accept_all, friends, rewrite_all

__all__ = ["friends"]


class Killed(BaseException):
    """Stands for the signal that ends the process between two blocks."""


@pytest.fixture(autouse=True)
def drawn(friends: Collection) -> None:
    rewrite_all(friends)
    accept_all(friends)
    select_queries(collection=friends, val=2, test=3, seed=3)


def add_moment(collection: Collection, text: str) -> Moment:
    video = collection.videos.get()
    place = Moment.objects.count()
    moment = Moment.objects.create(video=video, start=place, end=place + 1)
    described = Description.objects.create(
        collection=collection,
        moment=moment,
        source_id=str(100 + place),
        text=text,
        normalised=normalise(text),
        kind="v",
    )
    rewrite_all(collection)
    accept_all(collection)
    assert described.caption.status == "accepted"
    return moment


def rows(query: Query) -> list[tuple[object, ...]]:
    return list(query.candidates.order_by("rank").values_list("pk", "rank", "moment_id", "similarity"))


def test_the_encoder_and_its_weights_are_named(friends: Collection) -> None:
    fetched = fetch_candidates(collection=friends)
    identity = load_encoder().identity
    assert identity.startswith("all-MiniLM-L6-v2@")
    assert fetched.encoder == load_training(friends).encoder == identity
    assert set(Query.objects.values_list("ranked_by", flat=True)) == {identity}


def test_a_new_moment_is_ranked_for_queries_whose_batch_is_not_opened(friends: Collection) -> None:
    fetch_candidates(collection=friends)
    moment = add_moment(friends, "Someone opens the door and walks into the apartment.")
    fetched = fetch_candidates(collection=friends)
    assert (fetched.queries, fetched.reranked, fetched.kept) == (0, 5, 0)
    for query in Query.objects.all():
        assert [rank for _, rank, _, _ in rows(query)] == list(range(1, len(SENTENCES) + 2))
        assert query.candidates.filter(moment=moment).exists()
    again = fetch_candidates(collection=friends)
    assert (again.queries, again.reranked) == (0, 0)


def test_queries_that_are_being_judged_keep_their_candidates_and_it_is_said(
    friends: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_candidates(collection=friends)
    open_annotation(collection=friends)
    before = {query.pk: rows(query) for query in Query.objects.all()}
    moment = add_moment(friends, "Someone opens the door and walks into the apartment.")
    call_command("fetch_candidates", "friends")
    output = capsys.readouterr().out
    assert (
        "5 queries keep their candidates because their batches are opened; 5 of them would be ranked differently"
        in output
    )
    assert {query.pk: rows(query) for query in Query.objects.all()} == before
    assert moment.pk in load_training(friends).moments


def test_only_the_queries_that_changed_get_new_rows(friends: Collection) -> None:
    fetch_candidates(collection=friends)
    query = Query.objects.order_by("pk").first()
    assert query is not None
    query.candidates.filter(rank=1).delete()
    others = list(Candidate.objects.exclude(query=query).order_by("pk").values())
    assert fetch_candidates(collection=friends).reranked == 1
    assert query.candidates.count() == len(SENTENCES)
    assert list(Candidate.objects.exclude(query=query).order_by("pk").values()) == others


def test_encoding_goes_on_where_it_was_killed(friends: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    Embedding.objects.all().delete()
    monkeypatch.setattr(embedding_cache, "BLOCK", 3)

    def die(texts: int) -> None:
        if texts:
            raise Killed

    with pytest.raises(Killed):
        fetch_candidates(collection=friends, encoding=die)
    first = dict(Embedding.objects.values_list("digest", "pk"))
    assert len(first) == 3
    fetch_candidates(collection=friends)
    assert first.items() <= dict(Embedding.objects.values_list("digest", "pk")).items()


def test_shards_and_blocks_change_nothing_beside_another_collection(
    friends: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates and arrays are those of one search among all texts of the pool, as before there were shards."""
    monkeypatch.setattr(distributed_search, "QUERIES_A_BLOCK", 3)
    monkeypatch.setattr(vector_shards, "SHARD_ROWS", 4)
    Caption.objects.filter(description=friends.descriptions.first()).update(text="Someone waits.")
    add_moment(friends, "Someone opens the door and walks into the apartment.")
    embed([f"Someone does thing {number}." for number in range(5)])
    fetched = fetch_candidates(collection=friends)
    assert VectorShard.objects.count() >= 3 and not Embedding.objects.filter(shard=None).exists()
    pool = build_pool(friends)
    vectors = embed(pool.texts)
    whole = search(vectors, Targets.of(vectors, pool.moments_of_text), k=friends.depth)
    assert (fetched.captions, fetched.moments) == (len(pool.texts), len(SENTENCES) + 1)

    def expected(key: str) -> list[tuple[int, int, str, float]]:
        row = pool.row_of_key[key]
        ranking = zip(whole.moments[row].tolist(), whole.texts[row].tolist(), whole.similarities[row], strict=True)
        return [(m, pool.caption_of[t, m], pool.texts[t], s) for m, t, s in ranking if t >= 0]

    for query in Query.objects.all():
        rows = query.candidates.order_by("rank").values_list("moment_id", "caption_id", "caption_text", "similarity")
        assert list(rows) == expected(query.normalised)
    training = load_training(friends)
    for place, description in enumerate(training.descriptions.tolist()):
        best = expected(Caption.objects.get(description=description).normalised)
        assert [m for m in training.moments[place].tolist() if m >= 0] == [m for m, *_ in best]
        assert [c for c in training.captions[place].tolist() if c >= 0] == [c for _, c, *_ in best]
        assert training.similarities[place, : len(best)].tolist() == [float(np.float32(s)) for *_, s in best]


def test_the_search_goes_on_where_it_was_killed_and_gives_the_same(
    friends: Collection, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    fetch_candidates(collection=friends)
    whole = load_training(friends)
    monkeypatch.setattr(distributed_search, "QUERIES_A_BLOCK", 3)

    def die(queries: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        fetch_candidates(collection=friends, ranking=die)
    folder = Path(default_storage.path("candidates/friends-search"))
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("found-*.npz")}
    assert len(written) == 1
    # What stands is still there, whole, until the new arrays take its place.
    assert (load_training(friends).moments == whole.moments).all()

    def written_once(queries: int) -> None:
        assert all(path.stat().st_mtime_ns == time for path, time in written.items())

    fetch_candidates(collection=friends, ranking=written_once)
    assert not folder.exists()
    for name in ("descriptions", "moments", "captions", "similarities"):
        assert (getattr(load_training(friends), name) == getattr(whole, name)).all()
