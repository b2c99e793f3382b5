"""A film whose picture size changes: each clip has the size of its first picture, and shows all others whole."""

import io
from pathlib import Path

import av
import numpy as np
import pytest

from corpus.clips.cut import Cut, CutSpan, cut_film
from tests.corpus import films
from tests.corpus.films import run_ffmpeg

H264 = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "8", "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of 160 x 96, one of 96 x 160, one of 320 x 192."""
    folder = tmp_path_factory.mktemp("sizes")
    parts = []
    for second, (width, height) in enumerate([(160, 96), (96, 160), (320, 192)]):
        pictures = b"".join(films.draw(25 * second + number, width, height).tobytes() for number in range(25))
        part = folder / f"{second}.ts"
        raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", "25", "-i", "-")
        run_ffmpeg(*raw, *H264, "-output_ts_offset", str(second), part, pictures=pictures)
        parts.append(part.read_bytes())
    path = folder / "film.ts"
    path.write_bytes(b"".join(parts))
    return path


def shown(cut: Cut) -> list[np.ndarray]:
    with av.open(io.BytesIO(cut.mp4)) as clip:
        return [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]


SPANS = {(0, 0.4): (160, 96), (0.8, 1.6): (160, 96), (1.2, 1.6): (96, 160), (1.8, 2.4): (96, 160), (2.2, 3): (320, 192)}


def test_a_clip_is_the_same_whatever_else_is_cut(film: Path) -> None:
    stretches = [CutSpan(*span, gif=True) for span in SPANS]
    together = dict(cut_film(film, stretches))
    for place, (stretch, size) in enumerate(zip(stretches, SPANS.values(), strict=True)):
        ((_, alone),) = cut_film(film, [stretch], threads=1)
        assert isinstance(alone, Cut), alone
        assert alone == together[place]
        assert {picture.shape[1::-1] for picture in shown(alone)} == {size}


def test_a_picture_of_another_shape_is_shown_whole_between_bars(film: Path) -> None:
    ((_, cut),) = cut_film(film, [CutSpan(0.8, 1.6)])
    assert isinstance(cut, Cut), cut
    pictures = shown(cut)
    assert len(pictures) == 20
    upright = pictures[10]
    assert upright[:, :48].max() < 24, "a black bar at the left"
    assert upright[:, -48:].max() < 24, "a black bar at the right"
    inner = upright[:, 52:108]
    assert films.difference(inner, films.draw(30, 96, 160)) < 8


def test_a_picture_of_the_same_shape_fills_the_clip(film: Path) -> None:
    ((_, cut),) = cut_film(film, [CutSpan(0, 3)])
    assert isinstance(cut, Cut), cut
    assert films.difference(shown(cut)[60], films.draw(60, 320, 192)) < 8
