"""Which pictures of a clip a model sees."""

import io
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from annotation.machine_judges.server.frames import content_of, digest_of, frame_times, pictures_at
from corpus.clips.video_reader import FilmError
from tests.corpus.films import draw_film, number_in, steady


def film(folder: Path, **more: int) -> bytes:
    return draw_film(folder / "film.mp4", steady(10, 40), **more).read_bytes()


def seen(pictures: list[bytes]) -> list[int]:
    return [number_in(np.asarray(Image.open(io.BytesIO(picture)))) for picture in pictures]


def test_times_are_the_centres_of_equal_parts() -> None:
    assert frame_times(4.0, 4) == (0.5, 1.5, 2.5, 3.5)
    assert frame_times(1.0, 3) == (0.167, 0.5, 0.833)
    assert frame_times(4.0, 0) == ()


def test_pictures_are_those_shown_at_their_times(tmp_path: Path) -> None:
    assert seen(pictures_at(film(tmp_path), frame_times(4.0, 4), 512)) == [5, 15, 25, 35]


def test_after_its_end_a_clip_shows_its_last_picture(tmp_path: Path) -> None:
    assert seen(pictures_at(film(tmp_path), (3.0, 5.0, 99.0), 512)) == [30, 39, 39]


def test_a_picture_is_no_larger_than_asked_for_and_never_enlarged(tmp_path: Path) -> None:
    sizes = [
        Image.open(io.BytesIO(pictures_at(film(tmp_path, width=320, height=200), (1.0,), pixels)[0])).size
        for pixels in (160, 2048)
    ]
    assert sizes == [(160, 100), (320, 200)]


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path) -> None:
    clip = film(tmp_path)
    assert pictures_at(clip, (1.0, 2.0), 96) == pictures_at(clip, (1.0, 2.0), 96)


def test_what_is_no_clip_is_said_so() -> None:
    with pytest.raises(FilmError, match="can't be decoded"):
        pictures_at(b"no film", (1.0,), 512)


def test_a_files_digest_is_its_contents_and_a_lost_file_has_none(media: Path) -> None:
    names = [
        default_storage.save(f"clips/{name}.mp4", ContentFile(content)) for name, content in (("a", b"1"), ("b", b"1"))
    ]
    assert digest_of(names[0]) == digest_of(names[1]) and len(digest_of(names[0]) or "") == 64
    assert digest_of("clips/none.mp4") is None
    with pytest.raises(FilmError, match="is lost"):
        content_of("clips/none.mp4")
