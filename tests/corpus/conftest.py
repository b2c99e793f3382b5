"""Description files and tiny films made on the spot."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from tests.foundation.conftest import collection, media

__all__ = ["collection", "media"]


def row(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A good row of a TVR file, with changes; a field changed to `...` is left out."""
    record = {
        "vid_name": "film",
        "duration": 60.0,
        "ts": [number, number + 2.5],
        "desc": f"Ada opens door {number}.",
        "type": "v",
        "desc_id": number,
        **changes,
    }
    return {field: value for field, value in record.items() if value is not ...}


@pytest.fixture
def tvr(tmp_path: Path) -> Callable[..., Path]:
    """Writes a TVR file: rows as dicts, or as bytes to stand there as they are."""

    def write(*rows: dict[str, Any] | bytes, name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write


def make_film(
    path: Path, *, seconds: float = 4.0, rate: int = 25, width: int = 64, height: int = 48, sound: bool = False
) -> Path:
    """An H.264 film whose frame n is all of grey level 16 + 2n (mod 220)."""
    with av.open(str(path), "w") as target:
        # Like films from the wild: B-frames, and a key frame only every ten frames.
        options = {"crf": "1", "preset": "veryfast", "g": "10", "bf": "2"}
        picture = target.add_stream("libx264", rate=rate, options=options)
        picture.width, picture.height, picture.pix_fmt = width, height, "yuv420p"
        voice = target.add_stream("aac", rate=16000, layout="mono") if sound else None
        for number in range(round(seconds * rate)):
            level = np.full((height * 3 // 2, width), 128, np.uint8)
            level[:height] = 16 + 2 * number % 220
            target.mux(picture.encode(av.VideoFrame.from_ndarray(level, format="yuv420p")))
        target.mux(picture.encode(None))
        if voice is not None:
            for number in range(int(seconds * 16000) // 1024):
                heard = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
                heard.sample_rate, heard.pts = 16000, number * 1024
                target.mux(voice.encode(heard))
            target.mux(voice.encode(None))
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4 s at 25 frames a second; frame n is of grey level 16 + 2n."""
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", sound=True)
