"""Clips per second of `cut_clips`, beside ffmpeg processes that do the same cuts in the same run.

Both decode and encode anew with x264's same preset and quality, to the same size, with the index at the front. Ours
includes the database, the posters, the storage and looking at the files; the peers are `ffmpeg -ss START -t LENGTH`
a clip, one after the other with all threads ("ffmpeg"), and as many at a time as there are cores with one thread each
("ffmpeg side by side"). The work: drawn films of 720 lines, moments of 3 to 15 s with some overlap; a turn is the clips
of two films, and counts by the seconds that the clips last. Prints one JSON object as its last line; `ratios` is our
time over the peer's.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, scratch_site

RATE = 24
CORES = len(os.sched_getaffinity(0))

Cut = tuple[Path, float, float]


@dataclass(frozen=True, slots=True)
class Size:
    """So many films, moments of each, seconds, and how large their pictures are."""

    films: int = 6
    moments: int = 3
    seconds: int = 30
    width: int = 1280
    height: int = 720


SMALL = Size(films=2, moments=1, seconds=5, width=320, height=180)


def main() -> None:
    options = parser(__doc__).parse_args()
    size = SMALL if options.small else Size()
    with scratch_site(options, broker=True) as home:
        films = [draw_film(home / "films" / f"film-{number}.mp4", number, size) for number in range(size.films)]
        cuts = draw_moments(films, size)
        # Each once before any is timed: libraries and pages are then loaded for all.
        peer(cuts[:1], home / "warm", threads=0, at_once=1)
        cut_ours(cuts[:1], "warm")
        turns = Turns()
        for first in range(0, size.films, 2):
            part = [cut for cut in cuts if cut[0] in films[first : first + 2]]
            ways: dict[str, Callable[[], None]] = {
                "ffmpeg": partial(peer, part, home / f"alone-{first}", threads=0, at_once=1),
                OURS: partial(cut_ours, part, f"bench-{first}"),
                "ffmpeg side by side": partial(peer, part, home / f"beside-{first}", threads=1, at_once=CORES),
            }
            turns.take_all(ways, rounds=1, units=lasting(part))
        report(figures(cuts, turns, sum(file.stat().st_size for file in home.glob("beside-*/*.mp4"))))


def lasting(cuts: list[Cut]) -> float:
    """The seconds that these clips last."""
    return sum(end - start for _, start, end in cuts)


def draw_film(path: Path, seed: int, size: Size) -> Path:
    """A moving, noisy picture, encoded as downloads are: B-frames, key frames up to ten seconds apart."""
    import imageio_ffmpeg

    path.parent.mkdir(parents=True, exist_ok=True)
    scene = f"testsrc2=size={size.width}x{size.height}:rate={RATE},noise=alls=8:allf=t:all_seed={seed}"
    line = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", scene, "-t", str(size.seconds)]
    encode = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-crf", "26", "-pix_fmt", "yuv420p"]
    subprocess.run([*line, *encode, str(path)], check=True)
    return path


def draw_moments(films: list[Path], size: Size) -> list[Cut]:
    """Stretches of each film, 3 to 15 s long as TVR's mostly are."""
    dice = random.Random(7)
    cuts = []
    for film in films:
        for _ in range(size.moments):
            length = dice.uniform(3, min(15, size.seconds))
            start = round(dice.uniform(0, size.seconds - length), 2)
            cuts.append((film, start, round(start + length, 2)))
    return cuts


def peer(cuts: list[Cut], folder: Path, *, threads: int, at_once: int) -> None:
    """The cuts by ffmpeg processes."""
    import imageio_ffmpeg

    from corpus.clips.encode import ENCODING, MAX_LINES

    folder.mkdir()
    program = imageio_ffmpeg.get_ffmpeg_exe()

    def cut(number: int) -> None:
        film, start, end = cuts[number]
        limit = ["-threads", str(threads)] if threads else []
        read = [*limit, "-ss", str(start), "-i", str(film), "-t", f"{end - start:.3f}"]
        made = [
            "-an",
            "-vf",
            f"scale=-2:min({MAX_LINES}\\,ih)",
            "-c:v",
            "libx264",
            *(part for name, value in ENCODING.items() for part in (f"-{name}", value)),
            *limit,
        ]
        target = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(folder / f"{number}.mp4")]
        subprocess.run([program, "-v", "error", *read, *made, *target], check=True)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(cut, range(len(cuts))))


def cut_ours(cuts: list[Cut], name: str) -> None:
    """cut_clips for a collection of these moments."""
    from django.core.management import call_command

    from corpus.clips.import_videos import import_videos
    from corpus.models import Moment, Video
    from foundation.models import Collection

    collection = Collection.objects.create(name=name, title="Benchmark")
    for film in dict.fromkeys(path for path, _, _ in cuts):
        video = Video.objects.create(collection=collection, name=film.stem)
        own = [(start, end) for path, start, end in cuts if path == film]
        Moment.objects.bulk_create(Moment(video=video, start=start, end=end) for start, end in own)
    import_videos(collection=collection, folder=cuts[0][0].parent)
    call_command("cut_clips", name)


def figures(cuts: list[Cut], turns: Turns, peer_bytes: int) -> dict[str, Any]:
    """What is told: seconds are those a second of clip."""
    from django.core.files.storage import default_storage

    from corpus.models import Clip

    ready = Clip.objects.exclude(video_file="").exclude(moment__video__collection__name="warm")
    return {
        "clips": len(cuts),
        "clip_seconds": round(lasting(cuts), 1),
        "cores": CORES,
        "failed": len(cuts) - ready.count(),
        "clips_per_second": figure(len(cuts) / (turns.wall(OURS) * lasting(cuts))),
        "bytes": sum(default_storage.size(clip.video_file) for clip in ready),
        "peer_bytes": peer_bytes,
        **turns.figures(),
    }


if __name__ == "__main__":
    main()
