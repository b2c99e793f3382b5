"""The demo's films in the background: drawn, matched to their videos and cut into clips, one after the other.

The films' descriptions are known before a frame is drawn, so captions, queries and candidates are made meanwhile. A
pair can be judged as soon as its clip is there.
"""

import threading
from pathlib import Path
from types import TracebackType

from config import building
from demo.theatre import build_theatre

TOLD_EVERY = 10
"""Films between two lines on the terminal; the pages tell of each."""


class _Stopped(Exception):
    """Nobody waits for the films any longer."""


class Filming:
    """A thread that makes the films. As a context, it ends with the block, finished or not; a later start goes on."""

    def __init__(self, folder: Path, *, videos: int) -> None:
        self._folder, self._videos = folder, videos
        self._collection_id: int | None = None
        self._known = threading.Event()
        self._stopped = threading.Event()
        self._fault: BaseException | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Filming":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._known.set()
        if self._thread is not None:
            self._thread.join()

    def begin(self) -> None:
        """Start to draw, unless that was begun. It needs no database."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="filming", daemon=True)
            self._thread.start()

    def bring_into(self, collection_id: int) -> None:
        """Bring every film, as soon as it is drawn, into a collection that has its descriptions."""
        self.begin()
        self._collection_id = collection_id
        self._known.set()

    def wait(self) -> None:
        """Until every film is drawn and cut. Raises: what ended the making of a film."""
        if self._thread is not None:
            self._thread.join()
        if self._fault is not None:
            raise self._fault

    def _work(self) -> None:
        try:
            build_theatre(self._folder, videos=self._videos, progress=self._drawn)
            self._known.wait()
            self._bring_in()
        except _Stopped:
            pass
        except BaseException as error:
            self._fault = error
        finally:
            if self._known.is_set():
                from django.db import connections

                connections.close_all()

    def _drawn(self, done: int, total: int) -> None:
        self._go_on()
        building.tell(done=f"{done} of {total} videos are drawn.")
        if done and done % TOLD_EVERY == 0:
            print(f"  {done} of {total} videos are drawn", flush=True)
        if done and self._known.is_set():
            self._bring_in()

    def _bring_in(self) -> None:
        from corpus.clips.cut_clips import cut_clips_of_video, videos_to_cut
        from corpus.clips.import_videos import import_videos
        from foundation.models import Collection

        self._go_on()
        assert self._collection_id is not None, "the collection is known by now"
        collection = Collection.objects.get(pk=self._collection_id)
        import_videos(collection=collection, folder=self._folder / "videos")
        for video in list(videos_to_cut(collection).exclude(path="").values_list("pk", flat=True)):
            self._go_on()
            cut_clips_of_video(video_id=video)

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise _Stopped
