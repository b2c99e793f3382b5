"""Builds the videos of the theatre in a folder, on every core; an interrupted build can be resumed."""

import contextlib
import hashlib
import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .scenes import Scene, write_scenes
from .script import Film, write_films

EDITION = 4  # counts up when the drawing changes, so that films of an older edition are made anew
_ROOT = Path(__file__).resolve().parents[2]


def video_names(videos: int = 40, seed: int = 7) -> list[str]:
    """The names of a theatre's videos."""
    return [film.name for film in write_films(videos, seed)]


def write_programme(folder: Path, *, videos: int = 40, seed: int = 7) -> list[Scene]:
    """Write folder/descriptions.jsonl and folder/scenes.json of a theatre whose videos are drawn later.

    They follow from the scripts alone, so that descriptions can be worked on while `build_theatre` draws.
    Returns: the scenes, in the order of their description ids. Raises: ValueError if videos < 1.
    """
    if videos < 1:
        raise ValueError(f"a theatre needs at least one video, not {videos}")
    scenes = [scene for film in write_films(videos, seed) for scene in film.scenes]
    folder.mkdir(parents=True, exist_ok=True)
    write_scenes(folder, scenes)
    return scenes


def build_theatre(folder: Path, *, videos: int = 40, seed: int = 7, small: bool = False,
                  progress: Callable[[int, int], None] | None = None) -> list[Scene]:  # fmt: skip
    """Make the paper theatre's videos and their ground truth.

    Writes folder/videos/<video_name>.mp4, folder/descriptions.jsonl (TVR's format) and
    folder/scenes.json, the last two when every video is there. Finished videos are kept, so that an
    interrupted build goes on where it stopped; a video whose script or drawing has changed since is
    made anew. The same seed gives the same scenes and the same frames.

    Args: videos: how many, >= 1; small: half as wide and high, in a third of the time; progress: called in this thread
    with (videos done, videos).
    Returns: the scenes, in the order of their description ids.
    Raises: ValueError if videos < 1; RuntimeError if a video cannot be made.
    """
    from .film import is_finished

    if videos < 1:
        raise ValueError(f"a theatre needs at least one video, not {videos}")
    folder = Path(folder)
    (folder / "videos").mkdir(parents=True, exist_ok=True)
    _sweep(folder / "videos")
    films = write_films(videos, seed)
    missing = [f for f in films if not is_finished(f, film_path(folder, f), film_stamp(f, seed, small=small))]
    done = videos - len(missing)
    if progress:
        progress(done, videos)
    for _ in _made(missing, folder, seed, videos, small=small):
        done += 1
        if progress:
            progress(done, videos)
    scenes = [scene for film in films for scene in film.scenes]
    write_scenes(folder, scenes)
    return scenes


def _made(films: list[Film], folder: Path, seed: int, videos: int, *, small: bool) -> Iterator[Film]:
    """Make the films on every core, the longest first; yields each when it is done.

    In plain processes rather than multiprocessing: a Celery worker's processes are daemons and may have no
    multiprocessing children, fork is unsafe beside threads, and spawn would run the caller's main again.
    They end by themselves when this process does, because their input ends.
    """
    from .film import shoot

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores, len(films))
    if not films:
        return
    if workers < 2 and not small:  # how large pictures are is one for all of a process
        for film in films:
            shoot(film, film_path(folder, film), film_stamp(film, seed))
            yield film
        return
    command = [sys.executable, "-m", __package__, str(folder.resolve()), str(seed), str(videos)]
    command += ["small"] if small else []
    path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
    idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()

    def make(film: Film) -> Film:
        worker = idle.get()
        assert worker.stdin and worker.stdout
        try:
            worker.stdin.write(b"%d\n" % film.number)
            answer = worker.stdout.readline().decode().strip()
        except OSError as error:
            answer = str(error)
        finally:
            idle.put(worker)
        if answer != f"made {film.number}":
            raise RuntimeError(f"video {film.number + 1} could not be made: {answer or 'the process ended'}")
        return film

    with contextlib.ExitStack() as processes, ThreadPoolExecutor(workers) as threads:
        for _ in range(workers):
            worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    env=os.environ | {"PYTHONPATH": path}, bufsize=0)  # fmt: skip
            idle.put(processes.enter_context(worker))
        drawings = [threads.submit(make, film) for film in sorted(films, key=lambda f: -f.duration)]
        try:
            for future in as_completed(drawings):
                yield future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)  # after a failure, no other film is begun


def _sweep(videos: Path) -> None:
    """Remove half-written files of builds that were killed more than an hour ago."""
    for part in videos.glob(".*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > 3600:
                part.unlink()


def film_path(folder: Path, film: Film) -> Path:
    return folder / "videos" / f"{film.name}.mp4"


def film_stamp(film: Film, seed: int, *, small: bool = False) -> str:
    """A stamp of edition, seed and script that tells films of the same name apart."""
    script = f"{EDITION} {seed} {film.number} {film.duration} {film.scenes}" + " small" * small
    return "qreels paper theatre " + hashlib.sha256(script.encode()).hexdigest()[:24]
