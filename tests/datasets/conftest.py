"""A small collection, judged to the end: 3 videos, 12 moments, 2 val and 2 test queries, 7 pseudo-training queries."""

import io
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Value
from django.db.models.functions import Concat
from django.utils import timezone

from annotation.batches.opening import open_annotation
from annotation.judging.judgments import give_judgment
from annotation.models import Batch, Pair, Seat
from annotation.review.decisions import review_batch
from corpus.models import Description, Moment, Video
from foundation.collections.members import get_or_create_collection
from foundation.models import Account, Collection, Membership
from foundation.text import normalise
from queries.models import Attempt, Candidate, Caption, Draw, Query
from queries.pooling.candidates import training_file
from tests.annotation.judging_steps import graded
from tests.conftest import make_people
from tests.datasets.judgment_files import JUDGED, write_raw
from tests.snapshots import begin_with

CAPTIONS = (
    "A woman opens the door.",
    "A man pours coffee, and a dog watches.",
    'Two people argue about "the chair".',
    "A man reads a letter.",
    "A woman waves from a café.",
    "A man sits down.",
    "Somebody hands over a basket.",
    "A girl jumps.",
    "A woman reads by the window.",
    "A man enters with\na box.",
    "Two people dance.",
    "a MAN  reads a letter.",
)
"""The last one equals the fourth, which is a test query."""
SOURCE_IDS = ("101", "102", "103", "104", "105", "106", "107", "108", "s-109", "010", "111", "112")
DRAWN = (("val", 1), ("val", 0), ("test", 2), ("test", 3))
"""(split, place in CAPTIONS) in the order of the draw; position counts inside a split."""


class World:
    """The collection and its people, and what they do."""

    def __init__(self, collection: Collection, members: dict[str, Membership]) -> None:
        self.collection = collection
        self.members = members

    def query(self, source_id: str) -> Query:
        return Query.objects.get(collection=self.collection, description__source_id=source_id)

    def pair(self, source_id: str, rank: int) -> Pair:
        return Pair.objects.get(candidate__query=self.query(source_id), candidate__rank=rank)

    def judge(self, pair: Pair, *grades: tuple[str, int]) -> None:
        for who, grade in grades:
            member = self.members[who]
            in_an_hour = timezone.now() + timedelta(hours=1)
            Seat.objects.get_or_create(batch=pair.batch, annotator=member, defaults={"expires_at": in_an_hour})
            given = give_judgment(member=member, sent=graded(pair.public_id, grade))
            assert given.outcome == "counted"

    def judge_all(self) -> None:
        """Decide every pair that is open, by rank: most agree, every third needs a second round; rank 2 of the
        first val query is discarded."""
        pairs = Pair.objects.filter(batch__query__collection=self.collection, status=Pair.Status.OPEN)
        for number, pair in enumerate(
            pairs.order_by("batch__query__split", "batch__query__position", "candidate__rank")
        ):
            if pair == self.pair("102", 2):
                self.judge(pair, ("bo", 0), ("cy", 4), ("di", 1), ("ed", 3))
            elif number % 3 == 2:
                self.judge(pair, ("ed", 0), ("bo", 2), ("di", 1), ("cy", 1))
            else:
                self.judge(pair, ("cy", number % 5), ("di", min(4, number % 5 + number % 2)))

    def extend(self, source_id: str) -> None:
        batch = Batch.objects.get(query=self.query(source_id), status=Batch.Status.DECIDED)
        review_batch(member=self.members["ada"], batch_id=batch.pk, decision="extend")


@pytest.fixture(autouse=True)
def media(settings: object, tmp_path: Path) -> Path:
    folder = tmp_path / "media"
    settings.MEDIA_ROOT = folder
    return folder


@pytest.fixture
def unjudged(transactional_db: None) -> World:
    """Candidates are fetched and the first batches open."""
    begin_with("tiny, unjudged", open_world)
    return find_world()


def open_world(name: str = "tiny") -> World:
    """The collection, made; the same under another name."""
    collection = get_or_create_collection(name=name, title="Tiny", has_clips=False)
    collection.batch_size = 3
    collection.save()
    members = make_people(collection, "ada", "bo", "cy", "di", "ed")
    Account.objects.update(email=Concat("username", Value("@example.org")))
    videos = [
        Video.objects.create(collection=collection, name=name, duration=duration)
        for name, duration in (("alpha", 60.5), ("beta", None), ("gamma", 40.0))
    ]
    captions = [
        make_caption(collection, videos[place % 3], place, source_id, text)
        for place, (source_id, text) in enumerate(zip(SOURCE_IDS, CAPTIONS, strict=True))
    ]
    positions = {"val": 0, "test": 0}
    for split, place in DRAWN:
        positions[split] += 1
        query = Query.objects.create(
            collection=collection,
            description=captions[place].description,
            split=split,
            text=captions[place].text,
            normalised=captions[place].normalised,
            position=positions[split],
        )
        make_candidates(query, captions, place)
    Draw.objects.create(collection=collection, val=2, test=2, seed=7)
    write_training(collection, captions)
    open_annotation(collection=collection)
    return World(collection, members)


def find_world() -> World:
    """The world `tiny` that is in the database."""
    collection = Collection.objects.get(name="tiny")
    members = collection.memberships.select_related("collection", "account").order_by("pk")
    return World(collection, {member.account.username: member for member in members})


@pytest.fixture
def judged(transactional_db: None) -> World:
    """Every pair is decided; the first test query has its second batch."""
    begin_with("tiny, judged", judged_world)
    return find_world()


def judged_world() -> World:
    """The same, made."""
    world = open_world()
    world.judge_all()
    world.extend("103")
    world.judge_all()
    return world


def make_caption(collection: Collection, video: Video, place: int, source_id: str, text: str) -> Caption:
    moment = Moment.objects.create(video=video, start=2.5 * place, end=2.5 * place + 4.25)
    description = Description.objects.create(
        collection=collection, moment=moment, source_id=source_id, text=f"Precisely: {text}", normalised=""
    )
    attempt = Attempt.objects.create(
        description=description,
        number=1,
        text=text,
        rewriter="rules",
        model="/opt/models/rewriter-x" if place else "rules-1",
        temperature=0.0,
        seed=1,
        encoder="some-encoder",
        tagger="/opt/models/some-tagger",
        similarity_passed=True,
        names_passed=True,
    )
    return Caption.objects.create(
        description=description,
        attempt=attempt,
        text=text,
        normalised=normalise(text),
        status=Caption.Status.ACCEPTED,
    )


def make_candidates(query: Query, captions: list[Caption], own: int) -> None:
    ranked = [captions[own], *captions[:own], *captions[own + 1 :]][: query.collection.depth]
    Candidate.objects.bulk_create(
        Candidate(
            query=query,
            moment=caption.description.moment,
            caption=caption,
            caption_text=caption.text,
            rank=rank,
            similarity=1.0 if rank == 1 else round(0.9 - rank / 30, 6),
        )
        for rank, caption in enumerate(ranked, start=1)
    )


def write_training(collection: Collection, captions: list[Caption], encoder: str = "") -> None:
    """The arrays that fetch_candidates leaves: all descriptions of the query kinds, val and test ones too."""
    rows = sorted(captions, key=lambda caption: caption.description_id)
    k = collection.depth
    found = np.full((len(rows), k), -1, dtype=np.int64)
    similarities = np.zeros((len(rows), k), dtype=np.float32)
    for row, own in enumerate(rows):
        # The last description has two candidates only: its other places stay unused.
        size = 2 if row == len(rows) - 2 else k
        best = [own, *(other for other in rows if other is not own)][:size]
        found[row, :size] = [caption.pk for caption in best]
        similarities[row, :size] = [1.0, *(0.812345 - place / 10 for place in range(size - 1))]
    moments = {caption.pk: caption.description.moment_id for caption in rows}
    buffer = io.BytesIO()
    np.savez(
        buffer,
        descriptions=np.array([caption.description_id for caption in rows], dtype=np.int64),
        moments=np.vectorize(lambda pk: moments.get(pk, -1))(found),
        captions=found,
        similarities=similarities,
        encoder=encoder,
        search=0,
    )
    default_storage.delete(training_file(collection))
    default_storage.save(training_file(collection), ContentFile(buffer.getvalue()))


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_raw(tmp_path / "raw_annotations.csv", JUDGED)
