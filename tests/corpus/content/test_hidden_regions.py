"""What is hidden of a video is in no clip of it, poster or GIF, and the clips that showed it are gone."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connections
from PIL import Image

from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.clips.hidden_regions import Region, hide
from corpus.content.hiding import hide_in_video, hide_regions, typed
from corpus.description_formats import BadRow
from corpus.description_import.removing import remove_video
from corpus.models import Clip, ContextClip, FormerClip, HiddenRegion, Moment, Video
from foundation.infra.advisory_lock import alone_at
from foundation.models import Collection
from foundation.refused import Refused

pytestmark = pytest.mark.django_db(transaction=True)
CONTEXT = CuttingPlan(gif=True, context=1.0)
COLUMNS = "video,start,end,x,y,width,height,mask\n"


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten seconds of fine noise, whose left half is dark and right half bright: encoded once."""
    path = tmp_path_factory.mktemp("noisy") / "film.mp4"
    noise = np.random.default_rng(1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for _ in range(100):
            picture = noise.integers(0, 60, (240, 320, 1), np.uint8).repeat(3, axis=2)
            picture[:, 160:] += 150
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path


@pytest.fixture
def film(noisy: Path, tmp_path: Path, transactional_db: None) -> Video:
    """That film, for the test alone, and one moment of two seconds."""
    path = Path(shutil.copy(noisy, tmp_path))
    collection = Collection.objects.create(name="paper", title="Paper")
    video = Video.objects.create(collection=collection, name="film", duration=10, path=str(path))
    Moment.objects.create(video=video, start=2, end=4)
    return video


def roughness(file: str, place: tuple[slice, slice]) -> float:
    """How much neighbouring pixels of a stored picture or clip differ there: a mosaic hardly does."""
    with default_storage.open(file) as stored:
        if file.endswith(".mp4"):
            with av.open(stored) as container:
                grey = next(container.decode(video=0)).to_ndarray(format="gray")
        else:
            grey = np.asarray(Image.open(stored).convert("L"))
    return float(np.abs(np.diff(grey[place].astype(int), axis=1)).mean())


LEFT, RIGHT = (slice(0, 240), slice(0, 140)), (slice(0, 240), slice(180, 320))


def files() -> list[str]:
    clip, context = Clip.objects.get(), ContextClip.objects.get()
    return [clip.video_file, clip.poster_file, clip.gif_file, context.video_file]


def test_clip_poster_gif_and_context_show_a_mosaic_and_what_showed_more_is_gone(film: Video) -> None:
    cut_clips_of_video(video_id=film.pk, plan=CONTEXT)
    before = files()
    assert all(roughness(file, LEFT) > 5 for file in before)
    assert hide_in_video(video=film, lines="- - 0 0 0.5 1")
    assert not any(default_storage.exists(file) for file in before)
    assert not (Clip.objects.exists() or FormerClip.objects.exists() or ContextClip.objects.exists())
    cut_clips_of_video(video_id=film.pk, plan=CONTEXT)
    for file in files():
        assert roughness(file, LEFT) < 2 and roughness(file, RIGHT) > 5
    assert not hide_in_video(video=film, lines=typed(film)), "nothing changed, and the clips stay"
    assert Clip.objects.exists()


def test_a_region_holds_for_its_time_and_a_mask_for_what_it_covers(film: Video, tmp_path: Path) -> None:
    hide_in_video(video=film, lines="5 9 0 0 1 1")
    cut_clips_of_video(video_id=film.pk, plan=CONTEXT)
    assert roughness(Clip.objects.get().video_file, LEFT) > 5
    mask = np.zeros((24, 32), np.uint8)
    mask[:, 16:] = 255
    Image.fromarray(mask).save(tmp_path / "right.png")
    (tmp_path / "hidden.csv").write_text(f"{COLUMNS}film,,,,,,,right.png\n")
    call_command("hide_regions", "paper", str(tmp_path / "hidden.csv"))
    cut_clips_of_video(video_id=film.pk, plan=CONTEXT)
    for file in files():
        assert roughness(file, RIGHT) < 2 and roughness(file, LEFT) > 5
    stored = HiddenRegion.objects.get().mask_file
    assert hide_regions(collection=film.collection, path=tmp_path / "hidden.csv") == 0 and Clip.objects.exists()
    assert not hide_in_video(video=film, lines=typed(film)), "a page that is saved as it is keeps the mask"
    assert hide_in_video(video=film, lines=f"{typed(film)}\n1.0625001 - 0 0 0.1 0.1")
    assert list(film.hidden_regions.order_by("pk").values_list("mask_file", "start")) == [
        (stored, None),
        ("", 1.0625001),
    ]
    assert not hide_in_video(video=film, lines=typed(film)) and default_storage.exists(stored)
    (tmp_path / "hidden.csv").write_text("video\nfilm\n")
    assert hide_regions(collection=film.collection, path=tmp_path / "hidden.csv") == 1
    assert not HiddenRegion.objects.exists() and not default_storage.exists(stored)


REFUSED = [
    ("other,,,0,0,1,1,", "the name of a video of this collection"),
    ("film,,,0,0,1,,", "all four, as shares of it"),
    ("film,,,0.5,0,0.6,1,", "all four, as shares of it"),
    ("film,,,0,0,1,2,", "a share of the picture, 0 to 1"),
    ("film,4,2,0,0,1,1,", "an end after the start"),
    ("film,4,2,,,,,film.mp4", "an end after the start"),
    ("film,1,2,,,,,", "all four, as shares of it"),
    ("film,x,,0,0,1,1,", "seconds"),
    ("film,1_0,,0,0,1,1,", "seconds"),
    ("film,inf,,0,0,1,1,", "seconds"),
    ("film,,,nan,0,1,1,", "a share of the picture, 0 to 1"),
    ("film,,,0,0,1,1,right.png", "either a mask or a rectangle"),
    ("film,,,,,,,gone.png", "a file beside this one"),
    (f"film,,,,,,,{'long' * 99}.png", "a PNG or JPEG picture"),
    ("film,,,,,,,../film.mp4", "a file beside this one"),
    ("film,,,,,,,film.mp4", "a PNG or JPEG picture"),
]


def test_a_file_is_taken_whole_or_not_at_all(film: Video, tmp_path: Path) -> None:
    for rows, words in REFUSED:
        (tmp_path / "hidden.csv").write_text(f"{COLUMNS}film,,,0,0,0.1,0.1,\n{rows}\n")
        with pytest.raises(Refused, match=r"hidden\.csv, line 3") as refusal:
            hide_regions(collection=film.collection, path=tmp_path / "hidden.csv")
        assert words in str(refusal.value) and not HiddenRegion.objects.exists(), rows


def test_numbers_of_json_and_clock_times_are_taken_as_they_are(film: Video, tmp_path: Path) -> None:
    row = '{"video": "film", "start": 0, "end": "0:12.5", "x": 0, "y": 0.0, "width": 1, "height": 0.5}\n'
    (tmp_path / "hidden.jsonl").write_text(row)
    assert hide_regions(collection=film.collection, path=tmp_path / "hidden.jsonl") == 1
    assert typed(film) == "0 12.5 0 0 1 0.5"


def test_a_mask_that_can_t_be_stored_leaves_everything_as_it_was(film: Video, tmp_path: Path, settings: Any) -> None:
    cut_clips_of_video(video_id=film.pk, plan=CONTEXT)
    hide_in_video(video=film, lines="5 9 0 0 1 1")
    Image.new("L", (8, 8), 255).save(tmp_path / "all.png")
    (tmp_path / "hidden.csv").write_text(f"{COLUMNS}film,,,,,,,all.png\n")
    (tmp_path / "full").write_bytes(b"")
    settings.MEDIA_ROOT = tmp_path / "full"
    with pytest.raises(CommandError, match="can't be stored"):
        call_command("hide_regions", "paper", str(tmp_path / "hidden.csv"))
    assert typed(film) == "5 9 0 0 1 1"


def test_a_video_s_masks_go_with_it(film: Video, tmp_path: Path) -> None:
    Image.new("L", (8, 8), 255).save(tmp_path / "all.png")
    (tmp_path / "hidden.csv").write_text(f"{COLUMNS}film,,,,,,,all.png\n")
    assert hide_regions(collection=film.collection, path=tmp_path / "hidden.csv") == 1
    stored = HiddenRegion.objects.get().mask_file
    remove_video(video=film)
    assert not default_storage.exists(stored)


def test_nobody_waits_in_the_browser_while_clips_are_cut(film: Video, client_of: Any) -> None:
    from tests.conftest import make_people

    ada = client_of(make_people(film.collection, "ada")["ada"].account)
    with ThreadPoolExecutor(1) as cutting, alone_at("corpus.cutting", film.pk, wait=True):
        answer = cutting.submit(_sent, ada, f"/c/paper/videos/{film.pk}/hide").result(timeout=60)
    assert "Clips are being cut right now." in answer and not HiddenRegion.objects.exists()


def _sent(client: Any, address: str) -> str:
    try:
        return str(client.post(address, {"regions": "- - 0 0 1 1"}, follow=True).content.decode())
    finally:
        connections.close_all()


def test_a_mask_finer_than_the_picture_covers_every_pixel_that_it_touches() -> None:
    mask = np.zeros((481, 641), bool)
    mask[:, 333] = True
    picture = av.VideoFrame.from_ndarray(
        np.random.default_rng(3).integers(0, 255, (48, 64, 3), np.uint8), format="rgb24"
    ).reformat(format="yuv420p")
    before = picture.to_ndarray(format="gray").copy()
    hide(picture, [Region(None, None, mask=mask)])
    changed = (picture.to_ndarray(format="gray") != before).any(axis=0)
    assert list(np.flatnonzero(changed)) == [33]


def test_a_lead_types_regions_on_the_video_s_page(film: Video, client_of: Any) -> None:
    from tests.conftest import make_people

    people = make_people(film.collection, "ada", "bo")
    ada, page = client_of(people["ada"].account), f"/c/paper/videos/{film.pk}/"
    answer = ada.post(f"{page}hide", {"regions": "1 2 3"}, follow=True).content.decode()
    assert "six numbers a line" in answer and not HiddenRegion.objects.exists()
    ada.post(f"{page}hide", {"regions": "- 12.5 0.4 0.1 0.2 0.3\n\n"})
    assert "- 12.5 0.4 0.1 0.2 0.3" in ada.get(page).content.decode()
    with pytest.raises(BadRow):
        hide_in_video(video=film, lines="a b c d e f")
    assert client_of(people["bo"].account).post(f"{page}hide", {}).status_code == 403


@pytest.mark.parametrize(("width", "height"), [(64, 48), (66, 50), (2, 2), (853, 480)])
def test_a_mosaic_covers_every_pixel_that_a_region_touches_in_any_size(width: int, height: int) -> None:
    noise = np.random.default_rng(2).integers(0, 255, (height, width, 3), np.uint8)
    picture = av.VideoFrame.from_ndarray(noise, format="rgb24").reformat(format="yuv420p")
    before = picture.to_ndarray(format="gray").copy()
    hide(picture, [Region(None, None, 0.3, 0.3, 0.4, 0.4)])
    after = picture.to_ndarray(format="gray")
    left, right, top, bottom = int(0.3 * width), -int(-0.7 * width // 1), int(0.3 * height), -int(-0.7 * height // 1)
    outside = np.ones_like(after, bool)
    outside[top:bottom, left:right] = False
    assert np.array_equal(after[outside], before[outside])
    assert len(np.unique(after[top:bottom, left:right])) <= 64
