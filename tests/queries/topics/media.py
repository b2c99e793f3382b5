"""Small pictures, clips and sounds, made here, and zip files of them."""

from collections.abc import Mapping
from fractions import Fraction
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile

import av
import numpy as np
from PIL import Image


def picture(colour: str = "red", kind: str = "PNG") -> bytes:
    file = BytesIO()
    Image.new("RGB", (32, 24), colour).save(file, kind)
    return file.getvalue()


def clip(codec: str = "libx264", kind: str = "mp4") -> bytes:
    file = BytesIO()
    with av.open(file, "w", format=kind) as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(np.full((24, 32, 3), 40 * number, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


def sound(codec: str = "libmp3lame", kind: str = "mp3") -> bytes:
    file = BytesIO()
    with av.open(file, "w", format=kind) as container:
        stream = container.add_stream(codec, rate=48000, layout="mono")
        tone = np.sin(np.arange(48000) / 20).astype(np.float32)[None]
        frame = av.AudioFrame.from_ndarray(tone, format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 48000, 0, Fraction(1, 48000)
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return file.getvalue()


def zipped(files: Mapping[str, bytes], compression: int = ZIP_STORED) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
