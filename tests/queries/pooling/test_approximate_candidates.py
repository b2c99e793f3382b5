"""Candidates by an approximate search: only where a lead asked for it, with its recall wherever they are told of."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.batches.opening import open_annotation
from annotation.models import Batch, Seat
from annotation.settings.services import configure
from datasets.content.splits import Splits
from datasets.content.training import Training
from datasets.formats.procedure_of_candidates import approximate_search as in_words
from datasets.releases.make_release import create_release, write_release
from datasets.releases.manifest import _approximate_search
from evaluation.releases.check_release import check_release
from foundation.collections.members import add_member
from foundation.models import Account, Collection
from queries.models import CandidateSearch, Query, VectorIndex, VectorShard
from queries.pooling.candidates import fetch_candidates
from queries.retrieval import approximate_search, vector_indexes
from queries.retrieval.approximate_search import Effort
from queries.retrieval.embedding_cache import embed
from queries.retrieval.vector_shards import pack
from tests.annotation.judging_steps import judge
from tests.queries.pooling.test_fetching_in_the_browser import captioned, lead_of
from tests.queries.pooling.training_arrays import load_training

pytestmark = [pytest.mark.long, pytest.mark.django_db]
SIZE = 300


@pytest.fixture
def collection(monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.setattr(vector_indexes, "LEAST_ROWS", 260)
    collection = captioned(SIZE)
    Query.objects.filter(split="val").update(text="A dog sleeps.", normalised="a dog sleeps.")
    return configure(collection=collection, changes={"least_recall": "0.5"})


def told(collection: Collection) -> dict[str, object]:
    return _approximate_search(collection, Training(Splits(collection)))


def rows() -> list[tuple[object, ...]]:
    return list(Query.objects.order_by("pk").values_list("pk", "search", "candidates__moment", "candidates__rank"))


def test_recall_is_kept_with_the_candidates_and_told_wherever_they_are(
    collection: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told_before(collection) == []
    call_command("fetch_candidates", "friends")
    search = CandidateSearch.objects.get()
    assert 0.5 <= search.recall <= 1 and search.depth == 40 and search.least_recall == 0.5
    words = f"it found {100 * search.recall:.1f} % of the 40 moments that the exact search finds (at least 50 %"
    assert words in capsys.readouterr().out
    assert set(Query.objects.values_list("search", flat=True)) == {search.pk}
    assert load_training(collection).search == search.pk
    _, ada = lead_of(collection)
    page = ada.get("/c/friends/candidates/").content.decode()
    assert words in page and "The search is approximate, with a recall of at least 0.5" in page
    listed = told(collection)["approximate_search"]
    assert listed == [
        {
            "recall": round(search.recall, 4),
            **{"least_recall": 0.5, "depth": 40, "sample": search.sample, "texts": search.texts},
            **{"probes": search.probes, "shortlist": search.shortlist, "queries": 3, "training": True},
        }
    ]
    assert "Candidates of val, test and pseudo-training were searched for" in in_words({"approximate_search": listed})

    # The same once more: the same rows of the same search, by the same index.
    before, made_at = rows(), VectorIndex.objects.get().made_at
    assert fetch_candidates(collection=collection).search == search
    assert (rows(), VectorIndex.objects.get().made_at) == (before, made_at)

    # Exact again, nothing is said of it any more; no index stays whose vectors are gone.
    collection = configure(collection=collection, changes={"least_recall": ""})
    assert fetch_candidates(collection=collection).search is None
    assert not Query.objects.exclude(search=None).exists() and load_training(collection).search == 0
    assert told(collection) == {} and "The search is exact." in ada.get("/c/friends/candidates/").content.decode()
    name = Path(VectorIndex.objects.get().index_file)
    embed(["Somebody waits for a bus in the rain."])
    pack(encoder=VectorShard.objects.get().encoder)
    assert not VectorIndex.objects.exists() and name.suffix == ".npy"


def told_before(collection: Collection) -> list[object]:
    return list(CandidateSearch.objects.filter(collection=collection))


def test_too_little_recall_leaves_the_candidates_as_they_are(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_candidates(collection=collection)
    before = rows()
    monkeypatch.setattr(approximate_search, "EFFORTS", (Effort(1, 1),))
    configure(collection=collection, changes={"least_recall": "0.999"})
    with pytest.raises(CommandError, match=r"99\.9 % are expected: lower least_recall in the settings"):
        call_command("fetch_candidates", "friends")
    assert rows() == before
    monkeypatch.setattr(vector_indexes, "LEAST_ROWS", 1000)
    VectorIndex.objects.all().delete()
    call_command("fetch_candidates", "friends")
    assert "The search was exact: there are too few captions for an index." in capsys.readouterr().out
    assert CandidateSearch.objects.count() == 1 and not Query.objects.exclude(search=None).exists()


@pytest.mark.django_db(transaction=True)
def test_a_release_of_approximate_candidates_says_so_and_holds_together(
    transactional_db: None, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(vector_indexes, "LEAST_ROWS", 260)
    collection = configure(collection=captioned(SIZE), changes={"least_recall": "0.5"})
    fetch_candidates(collection=collection)
    search = CandidateSearch.objects.get()
    people = [
        add_member(collection=collection, account=Account.objects.create(username=name), role="annotator")
        for name in ("bo", "cy")
    ]
    open_annotation(collection=collection)
    for batch in Batch.objects.order_by("pk"):
        for person in people:
            Seat.objects.create(batch=batch, annotator=person, expires_at=timezone.now() + timedelta(hours=1))
            for pair in batch.pairs.order_by("pk"):
                judge(person, pair, pair.pk % 5)
    release = create_release(collection=collection, formats=["tvr-ranking", "datasheet"])
    assert write_release(release=release, folder=tmp_path / "release")
    assert check_release(tmp_path / "release") == []
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    (stated,) = manifest["approximate_search"]
    assert (stated["recall"], stated["least_recall"], stated["queries"]) == (round(search.recall, 4), 0.5, 3)
    sentences = in_words(manifest)
    assert f"{100 * search.recall:.2f} % of the 40 moments" in sentences
    for name in ("README.md", "datasheet/DATASHEET.md"):
        assert sentences in (tmp_path / "release" / name).read_text()
