"""The workshop: makes a whole season of films in a folder, on every core, and can be interrupted."""

import contextlib
import hashlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .script import Film, write_films
from .truth import Scene, write_scenes

EDITION = 4  # counts up when the drawing changes, so that films of an older edition are made anew
_ROOT = Path(__file__).resolve().parents[2]


def build_theatre(folder: Path, *, videos: int = 40, seed: int = 7,
                  progress: Callable[[int, int], None] | None = None) -> list[Scene]:  # fmt: skip
    """Makes the paper theatre's videos and what is true of them.

    Writes folder/videos/<video_name>.mp4, folder/descriptions.jsonl (TVR's format) and
    folder/scenes.json, the last two when every video is there. Finished videos are kept, so that an
    interrupted build goes on where it stopped; a video whose script or drawing has changed since is
    made anew. The same seed gives the same scenes and the same frames.

    Args: videos: how many, >= 1; progress: called in this thread with (videos done, videos).
    Returns: the scenes, in the order of their description ids.
    Raises: ValueError if videos < 1; RuntimeError if a video cannot be made.
    """
    from .film import is_finished, shoot

    if videos < 1:
        raise ValueError(f"a theatre needs at least one video, not {videos}")
    folder = Path(folder)
    (folder / "videos").mkdir(parents=True, exist_ok=True)
    _sweep(folder / "videos")
    films = write_films(videos, seed)
    missing = [f for f in films if not is_finished(f, film_path(folder, f), film_stamp(f, seed))]
    done = videos - len(missing)
    if progress:
        progress(done, videos)
    hands = min(_cores(), len(missing))
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    results: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
    if hands > 1:
        for film in sorted(missing, key=lambda f: -f.duration):
            todo.put(film.number)
        for _ in range(hands):
            _hire(todo, folder, seed, videos, results)
    try:
        for film in missing:
            if hands > 1:
                result = results.get()
                if isinstance(result, BaseException):
                    raise RuntimeError(f"the paper theatre stopped: {result}") from result
            else:
                shoot(film, film_path(folder, film), film_stamp(film, seed))
            done += 1
            if progress:
                progress(done, videos)
    finally:
        while not todo.empty():  # after a failure, nobody begins another film
            with contextlib.suppress(queue.Empty):
                todo.get_nowait()
    scenes = [scene for film in films for scene in film.scenes]
    write_scenes(folder, scenes)
    return scenes


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sweep(videos: Path) -> None:
    """Removes what builds that were killed more than an hour ago left half-written."""
    for part in videos.glob(".*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > 3600:
                part.unlink()


def film_path(folder: Path, film: Film) -> Path:
    return folder / "videos" / f"{film.name}.mp4"


def film_stamp(film: Film, seed: int) -> str:
    """What tells a film from another of the same name: edition, seed and script."""
    script = f"{EDITION} {seed} {film.number} {film.duration} {film.scenes}"
    return "qreels paper theatre " + hashlib.sha256(script.encode()).hexdigest()[:24]


def _hire(todo: "queue.SimpleQueue[int]", folder: Path, seed: int, videos: int,
          results: "queue.SimpleQueue[str | BaseException]") -> None:  # fmt: skip
    """Starts a process that makes films from the list; a word on every film is put into `results`.

    A plain process rather than multiprocessing: a Celery worker's processes are daemons and may have no
    multiprocessing children, fork is unsafe beside threads, and spawn would run the caller's main again.
    It ends by itself when this process does, because its input ends.
    """

    def work() -> None:
        try:
            _employ(todo, folder, seed, videos, results)
        except BaseException as error:  # the thread that waits raises it
            results.put(error)

    threading.Thread(target=work, daemon=True).start()


def _employ(todo: "queue.SimpleQueue[int]", folder: Path, seed: int, videos: int,
            results: "queue.SimpleQueue[str | BaseException]") -> None:  # fmt: skip
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", __package__, str(folder.resolve()), str(seed), str(videos)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as hand:
        assert hand.stdin and hand.stdout
        try:
            while True:
                try:
                    number = todo.get_nowait()
                except queue.Empty:
                    return
                hand.stdin.write(f"{number}\n")
                hand.stdin.flush()
                answer = hand.stdout.readline().strip()
                if answer != f"made {number}":
                    raise RuntimeError(f"video {number + 1} could not be made: {answer or 'the process ended'}")
                results.put(answer)
        finally:
            hand.stdin.close()
