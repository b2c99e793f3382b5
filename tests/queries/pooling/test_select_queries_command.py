"""`manage.py select_queries COLLECTION --val N --test N --seed S --stratify BY`, against the database."""

from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.batches.opening import open_annotation
from corpus.models import Description, Moment, Video
from foundation.models import Collection
from foundation.text import normalise
from queries.models import Attempt, Candidate, Caption, Draw, Query
from queries.pooling.query_selection import training_descriptions

SHOWS = {"castle": 24, "friends": 12, "": 12}
"""Show -> distinct captions; names without a show begin with the season, as TVR's own do."""
GENRES = {"castle": "crime", "friends": "comedy", "": "comedy"}


@pytest.fixture
def shows(db: None) -> Collection:
    """48 distinct captions of 16 videos; every fourth is said of a second moment too, in another spelling."""
    collection = Collection.objects.create(name="shows", title="Shows", has_clips=False)
    number = 0
    for show, captions in SHOWS.items():
        for place in range(captions):
            name = f"{show}_s01e{place % 4:02}_seg02".lstrip("_") + ("" if show else f"_clip_{place % 4}")
            video, _ = Video.objects.get_or_create(collection=collection, name=name, defaults={"duration": 1000})
            text = f"Somebody of {show or 'no show'} does thing {place}."
            _caption(collection, video, number, text)
            if place % 4 == 0:
                _caption(collection, video, 1000 + number, text.upper().replace(" ", "  "))
            number += 1
    return collection


def _caption(collection: Collection, video: Video, number: int, text: str) -> None:
    moment = Moment.objects.create(video=video, start=number, end=number + 0.5)
    description = Description.objects.create(
        collection=collection, moment=moment, source_id=str(number), text=f"Rosa: {text}", normalised=""
    )
    attempt = Attempt.objects.create(
        description=description, number=1, text=text, rewriter="rules", similarity_passed=True, names_passed=True
    )
    Caption.objects.create(
        description=description, attempt=attempt, text=text, normalised=normalise(text), status="accepted"
    )


@pytest.fixture
def genres(tmp_path: Path, shows: Collection) -> Path:
    """A table of the videos, with a genre whose name has a space, a line of its own in a cell, and a comma."""
    path = tmp_path / "about videos.csv"
    rows = [
        f'{name},"{GENRES[name.partition("_s01")[0] if "_s01" in name else ""]}","two\nlines, one comma"'
        for name in shows.videos.values_list("name", flat=True)
    ]
    path.write_bytes(("\ufeff" + "video_name,main genre,notes\r\n" + "\r\n".join(rows) + "\r\n").encode())
    return path


def select(*arguments: Any, val: int = 8, test: int = 16, seed: int = 5) -> str:
    out = StringIO()
    drawn = ["--val", str(val), "--test", str(test), "--seed", str(seed)]
    call_command("select_queries", "shows", *drawn, *map(str, arguments), stdout=out)
    return out.getvalue()


def show_of(query: Query) -> str:
    name = query.description.moment.video.name
    return name.partition("_s01")[0] if "_s01" in name else ""


def drawn_by(stratum: Any) -> dict[str, Counter[str]]:
    queries = Query.objects.select_related("description__moment__video")
    return {split: Counter(map(stratum, queries.filter(split=split))) for split in ("val", "test")}


def test_every_show_has_its_share_of_val_and_test(shows: Collection) -> None:
    output = select("--stratify", "show")
    assert output.startswith("8 val and 16 test queries drawn from 48 distinct captions; ")
    assert drawn_by(show_of) == {
        "val": Counter({"castle": 4, "friends": 2, "": 2}),
        "test": Counter({"castle": 8, "friends": 4, "": 4}),
    }
    assert Draw.objects.get().stratify == "show"


def test_every_value_of_another_attribute_has_its_share(shows: Collection, genres: Path) -> None:
    select("--stratify", f"{genres}:main genre")
    counts = drawn_by(lambda query: GENRES[show_of(query)])
    assert counts == {"val": Counter(crime=4, comedy=4), "test": Counter(crime=8, comedy=8)}
    assert Draw.objects.get().stratify.startswith("main genre sha256:")


def test_the_same_stratified_draw_again_changes_nothing_and_another_is_refused(shows: Collection, genres: Path) -> None:
    select("--stratify", f"{genres}:main genre")
    before = list(Query.objects.order_by("pk").values())
    assert "were drawn already" in select("--stratify", f"{genres}:main genre")
    for other in ("show", ""):
        with pytest.raises(CommandError, match=r"drawn with seed 5, by main genre sha256:\w+; --redraw discards"):
            select("--stratify", other)
    genres.write_bytes(genres.read_bytes().replace(b"crime", b"drama"))
    with pytest.raises(CommandError, match="--redraw discards"):
        select("--stratify", f"{genres}:main genre")  # the same name, another table
    assert list(Query.objects.order_by("pk").values()) == before


def test_the_draw_does_not_depend_on_the_order_of_rows(shows: Collection) -> None:
    select("--stratify", "show")
    first = list(Query.objects.order_by("split", "position").values_list("split", "normalised"))
    Query.objects.all().delete()
    Draw.objects.all().delete()
    for video in shows.videos.order_by("-name"):  # every row is written anew, so that the table's order is another
        video.save()
        for description in Description.objects.filter(moment__video=video).order_by("-pk"):
            description.save()
            description.caption.save()
    select("--stratify", "show")
    assert list(Query.objects.order_by("split", "position").values_list("split", "normalised")) == first


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("shwo", "found --stratify shwo, expected show, or FILE.csv:COLUMN"),
        ("{genres}:genre", "about videos.csv: found the columns ['video_name', 'main genre', 'notes'], expected "),
        ("{genres}.gone:genre", "can't be read: No such file or directory"),
    ],
    ids=["no way", "no column", "no file"],
)
def test_an_unknown_attribute_is_a_clear_sentence_and_draws_nothing(
    shows: Collection, genres: Path, asked: str, sentence: str
) -> None:
    with pytest.raises(CommandError) as error:
        select("--stratify", asked.format(genres=genres))
    assert sentence in str(error.value)
    assert not Query.objects.exists() and not Draw.objects.exists()


def test_videos_without_a_value_are_named(shows: Collection, genres: Path) -> None:
    lines = [line for line in genres.read_bytes().split(b"\r\n") if not line.startswith(b"friends_s01e02")]
    genres.write_bytes(b"\r\n".join(lines))
    with pytest.raises(CommandError, match=r"1 video with captions has no value of main genre.*: friends_s01e02_seg02"):
        select("--stratify", f"{genres}:main genre")
    assert not Query.objects.exists()


def test_a_stratified_draw_is_fixed_once_judging_has_begun(shows: Collection) -> None:
    select("--stratify", "show", val=1, test=1)
    for query in Query.objects.select_related("description__caption"):
        caption = query.description.caption
        Candidate.objects.create(
            query=query,
            moment=query.description.moment,
            caption=caption,
            caption_text=caption.text,
            rank=1,
            similarity=1.0,
        )
    open_annotation(collection=shows)
    before = list(Query.objects.order_by("pk").values())
    for arguments in (["--stratify", "show"], ["--stratify", ""]):
        with pytest.raises(CommandError, match="their judging has begun: they are fixed"):
            select(*arguments, "--redraw", val=2, test=2)
    assert list(Query.objects.order_by("pk").values()) == before
    assert "were drawn already" in select("--stratify", "show", val=1, test=1)


def test_no_caption_is_in_two_splits_however_it_is_spelled(shows: Collection) -> None:
    select("--stratify", "show")
    keys = {
        split: [normalise(text) for text in Query.objects.filter(split=split).values_list("text", flat=True)]
        for split in ("val", "test")
    }
    keys["train"] = [normalise(text) for text in training_descriptions(shows).values_list("caption__text", flat=True)]
    assert [len(keys["val"]), len(keys["test"])] == [8, 16]
    assert len(set(keys["val"])) == 8 and len(set(keys["test"])) == 16
    assert not set(keys["val"]) & set(keys["test"])
    assert not set(keys["train"]) & ({*keys["val"], *keys["test"]})
    drawn = {*keys["val"], *keys["test"]}
    everything = [normalise(text) for text in Caption.objects.values_list("text", flat=True)]
    assert sorted(keys["train"]) == sorted(key for key in everything if key not in drawn)
    assert len(everything) - len(keys["train"]) > 24, "a second spelling of a drawn caption is left out as well"
