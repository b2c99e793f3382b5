"""Cut all clips of one video, exact to the frame, decoding as little as possible."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.clips.encode import Gif, Mp4, Studio, encode_poster, read_sound
from corpus.clips.hidden_regions import Region, hide
from corpus.clips.sound_film import SoundFacts, film_of_sound, sound_facts, sound_of_stretch
from corpus.clips.video_reader import FilmError, FrameFolder, OnlySound, Picture, VideoFile, open_film

NOISE = 1e-6
"""Seconds within which two times are the same: they are decimal fractions on both sides."""


@dataclass(frozen=True, slots=True)
class CutSpan:
    """What to cut: from `start` up to `end` (s), as an mp4 with its poster, as a GIF, or both.

    `whole`: that it has to lie in the film up to its end.
    """

    start: float
    end: float
    mp4: bool = True
    poster: bool = True
    gif: bool = False
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip in memory; what wasn't asked for is empty. `begin` and `seconds`: which stretch of the film it shows."""

    mp4: bytes
    poster: bytes
    gif: bytes
    begin: float
    seconds: float


def cut_film(
    path: Path,
    stretches: Sequence[CutSpan],
    *,
    frame_rate: float | None = None,
    sound: bool = False,
    slack: float | None = None,
    threads: int = 0,
    hidden: Sequence[Region] = (),
) -> Iterator[tuple[int, Cut | FilmError]]:
    """Cut all stretches of one film in a single pass.

    A frame belongs to a clip if the middle of its display time lies in start <= t < end. A picture held for longer than
    two frames is shown for the part of its time that lies there. If no frame belongs, the clip is the one frame that is
    shown in the middle of the stretch.

    Args:
        frame_rate: pictures a second where `path` is a folder of pictures.
        sound: keep it, as AAC. Of a file that has sound alone it is kept in any case, under its waveform.
        slack: seconds that a stretch may end after the film does; None: any.
        threads: that decode; 0: as many as fit. Each clip is encoded by one.
        hidden: what no clip, poster or GIF shows.

    Yields: (position in `stretches`, its clip or why there is none), in the order of their ends in the film. What is
    broken in one place fails there and nowhere else, and a clip is the same to the byte whatever else is cut.

    Raises: FilmError, before the first clip, if the film can't be opened.
    """
    try:
        with open_film(path, frame_rate=frame_rate, threads=threads) as film:
            waiting = deque(sorted(range(len(stretches)), key=lambda place: stretches[place].start))
            shop = _Shop(film, path if sound and isinstance(film, VideoFile) else None, slack, hidden)
            while waiting:
                yield from _walk(shop, stretches, waiting)
    except OnlySound:
        facts = sound_facts(path)
        for place in sorted(range(len(stretches)), key=lambda place: stretches[place].end):
            yield place, _cut_sound(path, facts, stretches[place], slack)


def _cut_sound(path: Path, facts: SoundFacts, stretch: CutSpan, slack: float | None) -> Cut | FilmError:
    """A clip of what has no pictures: its waveform, with its sound."""
    import av

    start, end, ends = stretch.start, stretch.end, facts.seconds
    if stretch.whole and slack is not None and ends is not None and end > ends + slack + NOISE:
        return FilmError(f"{path.name} ends at {ends:.2f} s, and the moment only at {end:g} s")
    try:
        samples, seconds = sound_of_stretch(path, facts, start, end)
        mp4, poster, gif = film_of_sound(samples, seconds, mp4=stretch.mp4, gif=stretch.gif)
        return Cut(mp4, poster if stretch.poster else b"", gif, start, seconds)
    except FilmError as problem:
        return problem
    except (av.FFmpegError, OSError) as error:
        return FilmError(f"{path.name}: the clip at {start:g} s can't be encoded: {error}")


def _walk(shop: "_Shop", stretches: Sequence[CutSpan], waiting: deque[int]) -> Iterator[tuple[int, Cut | FilmError]]:
    """Read on from the next waiting stretch until jumping ahead is cheaper, the film ends, or it can't be decoded."""
    import av

    place = waiting.popleft()
    active = {place: _Work(shop, stretches[place])}
    ends = 0.0
    try:
        for picture in shop.film.pictures(stretches[place].start):
            ends = picture.time + picture.length
            while waiting and stretches[waiting[0]].start < ends:
                place = waiting.popleft()
                active[place] = _Work(shop, stretches[place])
            shop.turn_to(picture)
            for place in [place for place, work in active.items() if work.over(picture)]:
                yield place, active.pop(place).result()
            for work in active.values():
                work.take(picture)
            if not active and (not waiting or shop.film.jump_pays(picture.time, stretches[waiting[0]].start)):
                return
        for place in list(active):
            yield place, active.pop(place).result(film_ends=ends)
    except (FilmError, av.FFmpegError, OSError) as error:
        problem = error if isinstance(error, FilmError) else FilmError(f"{shop.film.name} can't be decoded: {error}")
        for place in active:
            yield place, problem
    finally:
        for work in active.values():
            work.close()


class _Shop:
    """State shared by the clips of one film: each picture is prepared once, however many clips show it."""

    def __init__(
        self, film: VideoFile | FrameFolder, sound: Path | None, slack: float | None, hidden: Sequence[Region]
    ) -> None:
        self.film = film
        self.sound = sound
        self.slack = slack
        self.nominal = float(1 / film.rate)
        self._hidden = hidden
        self._studios: dict[object, Studio] = {}
        self._prepared: dict[Studio, Any] = {}

    def turn_to(self, picture: Picture) -> None:
        """Select the picture that `studio` and `prepared` are about."""
        self._frame = picture.frame
        self._covered = [region for region in self._hidden if region.covers(picture.time, picture.length)]
        self._prepared.clear()

    def studio(self) -> Studio:
        """What prepares the pictures of a clip that begins with the selected one, whatever other clips there are."""
        studio = Studio(self._frame, self.film.pixel_aspect)
        return self._studios.setdefault(studio.kind, studio)

    def prepared(self, studio: Studio) -> Any:
        """The selected picture as clips of this studio show it."""
        if studio not in self._prepared:
            self._prepared[studio] = studio.prepare(self._frame)
            if self._covered:
                self._prepared[studio].make_writable()
                hide(self._prepared[studio], self._covered)
        return self._prepared[studio]


class _Work:
    """One clip being made. An error of its own becomes its result and stops no other clip."""

    def __init__(self, shop: _Shop, stretch: CutSpan) -> None:
        self.shop = shop
        self.stretch = stretch
        self.problem: FilmError | None = None
        self.begin = self.stop = 0.0
        self.poster = b""
        self._frames = 0
        self._mp4: Mp4 | None = None
        self._gif = Gif() if stretch.gif else None
        self._spare: tuple[Any, float, float] | None = None

    def over(self, picture: Picture) -> bool:
        """Whether this picture, and so every later one, comes after the clip's end."""
        return picture.time >= self.stretch.end - NOISE

    def take(self, picture: Picture) -> None:
        """Add the picture if it belongs to the clip."""
        if self.problem is not None:
            return
        if picture.frame.is_corrupt and picture.time + picture.length > self.stretch.start:
            self.problem = FilmError(f"{self.shop.film.name} has a damaged picture at {picture.time:.2f} s")
            return
        span = self._span(picture)
        if span is not None:
            self._add(self._prepared(), *span)
        elif not self._frames:
            middle = (self.stretch.start + self.stretch.end) / 2
            if picture.time <= middle < picture.time + picture.length:
                self._spare = self._prepared(), picture.time, picture.time + picture.length

    def _prepared(self) -> Any:
        if not self._frames:
            self._studio = self.shop.studio()
        return self.shop.prepared(self._studio)

    def _span(self, picture: Picture) -> tuple[float, float] | None:
        """From when to when the clip shows the picture (s in the film); None: not at all."""
        start, end, stop = self.stretch.start, self.stretch.end, picture.time + picture.length
        if picture.length <= 2 * self.shop.nominal:
            inside = start - NOISE <= picture.time + picture.length / 2 < end - NOISE
            return (picture.time, stop) if inside else None
        first, last = max(picture.time, start), min(stop, end)
        return (first, last) if last - first >= self.shop.nominal / 2 - NOISE else None

    def _add(self, prepared: Any, first: float, last: float) -> None:
        import av

        try:
            if not self._frames:
                self.begin = first
                self._start(prepared)
            if self._mp4 is not None:
                self._mp4.show(prepared, first - self.begin, last - first)
            if self._gif is not None:
                self._gif.show(prepared, first - self.begin, last - first)
        except (av.FFmpegError, OSError) as error:
            self.problem = FilmError(f"{self.shop.film.name}: the clip at {first:.2f} s can't be encoded: {error}")
        self.stop = last
        self._frames += 1

    def _start(self, prepared: Any) -> None:
        studio = self._studio
        if self.stretch.mp4:
            self._mp4 = Mp4(studio.width, studio.height, self.shop.film.rate, colours=studio.colours)
        if self.stretch.mp4 and self.stretch.poster:
            self.poster = encode_poster(prepared)

    def result(self, film_ends: float | None = None) -> Cut | FilmError:
        """The clip, or why there is none; `film_ends` where the film ended before the stretch was over."""
        import av

        try:
            start, end, name = self.stretch.start, self.stretch.end, self.shop.film.name
            if self.problem is None and not self._frames and self._spare is not None:
                self._add(*self._spare)
            if self.problem is not None:
                return self.problem
            if not self._frames:
                return FilmError(f"{name} has no frame between {start:g} s and {end:g} s")
            if film_ends is not None and self._too_short(film_ends):
                return FilmError(f"{name} ends at {film_ends:.2f} s, and the moment only at {end:g} s")
            mp4 = b"" if self._mp4 is None else self._mp4.finish(self._sound())
            gif = b"" if self._gif is None else self._gif.finish()
            return Cut(mp4, self.poster, gif, self.begin, self.stop - self.begin)
        except (av.FFmpegError, OSError) as error:
            return FilmError(f"{name}: the clip at {start:g} s can't be encoded: {error}")
        finally:
            self.close()

    def _too_short(self, film_ends: float) -> bool:
        slack = self.shop.slack
        return self.stretch.whole and slack is not None and self.stretch.end > film_ends + slack + NOISE

    def _sound(self) -> Any:
        if self.shop.sound is None:
            return None
        assert isinstance(self.shop.film, VideoFile)
        return read_sound(self.shop.sound, begin=self.begin, end=self.stop, origin=self.shop.film.origin)

    def close(self) -> None:
        """Release its resources; safe to repeat."""
        if self._mp4 is not None:
            self._mp4.close()
