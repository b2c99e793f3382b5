"""Clips per second of `cut_clips`, beside ffmpeg processes that do the same cuts in the same run.

Both decode and encode anew with x264's same preset and quality, to the same size, with the index at the front. Ours
includes the database, the posters, the storage and looking at the files; the peers are `ffmpeg -ss START -t LENGTH`
a clip, one after the other with all threads ("ffmpeg"), and as many at a time as there are cores with one thread each
("ffmpeg side by side"). The work: drawn films of 720 lines, moments of 3 to 15 s with some overlap. Prints one JSON
object as its last line; `ratios` is our time over the peer's, `cpu_ratios` the same of processor time, which a busy
machine hardly changes.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

VIDEOS, SECONDS, MOMENTS = 4, 30, 3
WIDTH, HEIGHT, RATE = 1280, 720, 24
CORES = len(os.sched_getaffinity(0))


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home / "var")
    from config.embedded import ensure_broker, ensure_database
    from demo.check import _leave_servers
    from demo.site import prepare_site, set_up_django

    try:
        ensure_database()
        ensure_broker()
        set_up_django()
        prepare_site()
        films = [draw_film(home / "films" / f"film-{number}.mp4", number) for number in range(VIDEOS)]
        cuts = draw_moments(films)
        # Each once before any is timed: libraries and pages are then loaded for all.
        peer(cuts[:1], home / "warm", threads=0, at_once=1)
        spent: dict[str, list[float]] = {name: [0.0, 0.0] for name in ("ours", "ffmpeg", "ffmpeg side by side")}
        # In turns, so that whatever else the machine does falls on all.
        for first in range(0, VIDEOS, VIDEOS // 2):
            part = [cut for cut in cuts if cut[0] in films[first : first + VIDEOS // 2]]
            ways: dict[str, Callable[[], None]] = {
                "ffmpeg": partial(peer, part, home / f"alone-{first}", threads=0, at_once=1),
                "ours": partial(cut_ours, part, f"bench-{first}"),
                "ffmpeg side by side": partial(peer, part, home / f"beside-{first}", threads=1, at_once=CORES),
            }
            for name, way in ways.items():
                begun, used = time.perf_counter(), cpu_seconds()
                way()
                spent[name][0] += time.perf_counter() - begun
                spent[name][1] += cpu_seconds() - used
        report(cuts, spent, sum(file.stat().st_size for file in home.glob("beside-*/*.mp4")))
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


def peer(cuts: list[tuple[Path, float, float]], folder: Path, *, threads: int, at_once: int) -> None:
    """The cuts by ffmpeg processes."""
    import imageio_ffmpeg

    from corpus.clips.encode import CRF, MAX_LINES, PRESET

    folder.mkdir()
    program = imageio_ffmpeg.get_ffmpeg_exe()

    def cut(number: int) -> None:
        film, start, end = cuts[number]
        limit = ["-threads", str(threads)] if threads else []
        read = [*limit, "-ss", str(start), "-i", str(film), "-t", f"{end - start:.3f}"]
        made = ["-an", "-vf", f"scale=-2:{MAX_LINES}", "-c:v", "libx264", "-preset", PRESET, "-crf", CRF, *limit]
        target = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(folder / f"{number}.mp4")]
        subprocess.run([program, "-v", "error", *read, *made, *target], check=True)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(cut, range(len(cuts))))


def cut_ours(cuts: list[tuple[Path, float, float]], name: str) -> None:
    """cut_clips for a collection of these moments."""
    from django.core.management import call_command

    from corpus.clips.import_videos import import_videos
    from corpus.models import Collection, Moment, Video

    collection = Collection.objects.create(name=name, title="Benchmark")
    for film in dict.fromkeys(path for path, _, _ in cuts):
        video = Video.objects.create(collection=collection, name=film.stem)
        own = [(start, end) for path, start, end in cuts if path == film]
        Moment.objects.bulk_create(Moment(video=video, start=start, end=end) for start, end in own)
    import_videos(collection=collection, folder=cuts[0][0].parent)
    call_command("cut_clips", name)


def cpu_seconds() -> float:
    """Of this process and its ended children: what the work costs, however busy the machine is."""
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def report(cuts: list[tuple[Path, float, float]], spent: dict[str, list[float]], peer_bytes: int) -> None:
    """The figures, as one JSON object."""
    from django.core.files.storage import default_storage

    from corpus.models import Clip

    ready = Clip.objects.exclude(video_file="")
    ours, our_cpu = spent.pop("ours")
    figures = {
        "clips": len(cuts),
        "clip_seconds": round(sum(end - start for _, start, end in cuts), 1),
        "cores": CORES,
        "failed": len(cuts) - ready.count(),
        "clips_per_second": round(len(cuts) / ours, 2),
        "seconds": round(ours, 2),
        "cpu_seconds": round(our_cpu, 2),
        "peer_seconds": {name: round(wall, 2) for name, (wall, _) in spent.items()},
        "bytes": sum(default_storage.size(clip.video_file) for clip in ready),
        "peer_bytes": peer_bytes,
        "cpu_ratios": {name: round(our_cpu / cpu, 3) for name, (_, cpu) in spent.items()},
        "ratios": {name: round(ours / wall, 3) for name, (wall, _) in spent.items()},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
