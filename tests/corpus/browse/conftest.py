"""A collection to browse, small or of any size."""

import pytest
from django.test import Client

from corpus.models import Clip, Description, Moment, Video
from foundation.models import Account, Collection
from foundation.text import normalise


def logged_in(name: str = "ada") -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def video(collection: Collection, name: str, *, duration: float | None = 60, path: str = "/films/one.mp4") -> Video:
    return Video.objects.create(collection=collection, name=name, duration=duration, path=path)


def moment(video: Video, start: float, end: float, *texts: str, kind: str = "v") -> Moment:
    stored = Moment.objects.create(video=video, start=start, end=end)
    for number, text in enumerate(texts):
        Description.objects.create(
            collection=video.collection,
            moment=stored,
            source_id=f"{stored.pk}-{number}",
            text=text,
            normalised=normalise(text),
            kind=kind,
        )
    return stored


@pytest.fixture
def shelf(collection: Collection) -> Collection:
    """Four videos: one in order, one with every trouble of clips, one without a file, one of nothing at all."""
    good = video(collection, "alpha", duration=100)
    Clip.objects.create(moment=moment(good, 10, 20, "Ada opens a red umbrella."), video_file="a.mp4", duration=10)
    Clip.objects.create(
        moment=moment(good, 15, 45, "Ada closes the door.", "“Who is there?”", kind="t"),
        video_file="b.mp4",
        poster_file="b.jpg",
        duration=30,
    )
    bad = video(collection, "beta", duration=50)
    Clip.objects.create(moment=moment(bad, 49, 52, "An umbrella falls."), problem="beta ends at 48.00 s")
    Clip.objects.create(moment=moment(bad, 0, 5, "Bo laughs."), video_file="c.mp4", duration=2)
    moment(bad, 5, 7, "Bo runs.")
    moment(video(collection, "gamma_1", duration=None, path=""), 0, 4, "Cy sings of umbrellas.")
    video(collection, "delta", duration=30)
    return collection


def fill(collection: Collection, videos: int, moments: int, name: str = "v") -> None:
    """Many videos of 60 s with `moments` moments each, every third with a clip, each with a description."""
    films = Video.objects.bulk_create(
        Video(collection=collection, name=f"{name}{n:05}", duration=60) for n in range(videos)
    )
    stretches = Moment.objects.bulk_create(
        Moment(video=film, start=n, end=n + 3) for film in films for n in range(moments)
    )
    Clip.objects.bulk_create(Clip(moment=stretch, video_file="x.mp4", duration=3) for stretch in stretches[::3])
    Description.objects.bulk_create(
        Description(collection=collection, moment=stretch, source_id=f"{name}{n}", text=f"Bo takes lamp{n} away.")
        for n, stretch in enumerate(stretches)
    )
