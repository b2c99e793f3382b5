"""Clips per second of `cut_clips`, beside ffmpeg processes that do the same cuts in the same run.

Both decode and encode anew with x264's same preset and quality, to the same size, with the index at the front. Ours
includes the database, the posters and the storage; the peers are `ffmpeg -ss START -t LENGTH` a clip, one after the
other with all threads ("ffmpeg"), and as many at a time as there are cores with one thread each ("ffmpeg side by
side"). The work: a drawn corpus like TVR's, 720 lines, moments of 3 to 15 s with some overlap. Prints one JSON object
as its last line; `ratios` is our time over the peer's.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

VIDEOS, SECONDS, MOMENTS = 4, 60, 5
WIDTH, HEIGHT, RATE = 1280, 720, 24
CORES = len(os.sched_getaffinity(0))


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home / "var")
    from config.demo.__main__ import prepare_site, set_up_django
    from config.demo.check import _leave_servers
    from config.embedded import ensure_broker, ensure_database

    try:
        ensure_database()
        ensure_broker()
        set_up_django()
        prepare_site()
        films = [draw_film(home / "films" / f"film-{number}.mp4", number) for number in range(VIDEOS)]
        cuts = draw_moments(films)
        # Each once before any is timed: libraries and pages are then loaded for all.
        peer(cuts[:1], home / "warm", threads=0, at_once=1)
        measured = {
            "ffmpeg": peer(cuts, home / "alone", threads=0, at_once=1),
            "ffmpeg side by side": peer(cuts, home / "beside", threads=1, at_once=CORES),
        }
        ours, size, failed = measure_ours(films, cuts)
        peers_size = sum(file.stat().st_size for file in (home / "beside").iterdir())
        print(
            json.dumps(
                {
                    "clips": len(cuts),
                    "clip_seconds": round(sum(end - start for _, start, end in cuts), 1),
                    "cores": CORES,
                    "failed": failed,
                    "clips_per_second": round(len(cuts) / ours, 2),
                    "seconds": round(ours, 2),
                    "peer_seconds": {name: round(seconds, 2) for name, seconds in measured.items()},
                    "bytes": size,
                    "peer_bytes": peers_size,
                    "ratios": {name: round(ours / seconds, 3) for name, seconds in measured.items()},
                }
            )
        )
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def draw_film(path: Path, seed: int) -> Path:
    """A moving, noisy picture, encoded as downloads are: B-frames, key frames up to ten seconds apart."""
    import imageio_ffmpeg

    path.parent.mkdir(parents=True, exist_ok=True)
    scene = f"testsrc2=size={WIDTH}x{HEIGHT}:rate={RATE},noise=alls=8:allf=t:all_seed={seed}"
    line = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", scene, "-t", str(SECONDS)]
    encode = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-crf", "26", "-pix_fmt", "yuv420p"]
    subprocess.run([*line, *encode, str(path)], check=True)
    return path


def draw_moments(films: list[Path]) -> list[tuple[Path, float, float]]:
    """`MOMENTS` stretches of each film, 3 to 15 s long as TVR's mostly are."""
    dice = random.Random(7)
    cuts = []
    for film in films:
        for _ in range(MOMENTS):
            length = dice.uniform(3, 15)
            start = round(dice.uniform(0, SECONDS - length), 2)
            cuts.append((film, start, round(start + length, 2)))
    return cuts


def peer(cuts: list[tuple[Path, float, float]], folder: Path, *, threads: int, at_once: int) -> float:
    """Seconds that ffmpeg processes take for the cuts."""
    import imageio_ffmpeg

    from corpus.encoding import CRF, MAX_LINES, PRESET

    folder.mkdir()
    program = imageio_ffmpeg.get_ffmpeg_exe()

    def cut(number: int) -> None:
        film, start, end = cuts[number]
        limit = ["-threads", str(threads)] if threads else []
        read = [*limit, "-ss", str(start), "-i", str(film), "-t", f"{end - start:.3f}"]
        made = ["-an", "-vf", f"scale=-2:{MAX_LINES}", "-c:v", "libx264", "-preset", PRESET, "-crf", CRF, *limit]
        target = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(folder / f"{number}.mp4")]
        subprocess.run([program, "-v", "error", *read, *made, *target], check=True)

    begun = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(cut, range(len(cuts))))
    return time.perf_counter() - begun


def measure_ours(films: list[Path], cuts: list[tuple[Path, float, float]]) -> tuple[float, int, int]:
    """Seconds that cut_clips takes, the bytes of its mp4 files, and how many clips failed."""
    from django.core.files.storage import default_storage
    from django.core.management import call_command

    from corpus.models import Clip, Collection, Moment, Video
    from corpus.videos import import_videos

    collection = Collection.objects.create(name="bench", title="Benchmark")
    for film in films:
        video = Video.objects.create(collection=collection, name=film.stem)
        Moment.objects.bulk_create(
            Moment(video=video, start=start, end=end) for path, start, end in cuts if path == film
        )
    import_videos(collection=collection, folder=films[0].parent)
    begun = time.perf_counter()
    call_command("cut_clips", "bench")
    seconds = time.perf_counter() - begun
    ready = Clip.objects.exclude(video_file="")
    return seconds, sum(default_storage.size(clip.video_file) for clip in ready), len(cuts) - ready.count()


if __name__ == "__main__":
    main()
