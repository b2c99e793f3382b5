"""Text tracks in videos' own files (mov_text, SubRip, WebVTT, ASS), as plain text. Pictures of text aren't read."""

from pathlib import Path
from typing import Any

from corpus.clips.sound_film import sound_facts
from corpus.clips.video_reader import FilmError, FrameFolder, OnlySound, open_film, open_media, packets_of
from evaluation.reading.subtitles import SubtitleLine, said_lines
from evaluation.reading.timed_text import Cue, plain
from foundation.text import LANGUAGE_TAG

TEXT = frozenset({"mov_text", "subrip", "srt", "webvtt", "ass", "ssa", "text"})
"""FFmpeg's names of the codecs whose tracks are text."""
_BEFORE_TEXT = 8
"""Commas of an ASS event before what is said."""
_SHORT = dict(
    pair.split("=")
    for pair in (
        "ara=ar bul=bg cat=ca ces=cs cze=cs chi=zh zho=zh dan=da deu=de ger=de dut=nl nld=nl ell=el gre=el eng=en "
        "est=et fas=fa per=fa fin=fi fra=fr fre=fr heb=he hin=hi hrv=hr hun=hu ind=id ita=it jpn=ja kor=ko lav=lv "
        "lit=lt may=ms msa=ms nor=no pol=pl por=pt ron=ro rum=ro rus=ru slk=sk slo=sk slv=sl spa=es srp=sr swe=sv "
        "tam=ta tel=te tha=th tur=tr ukr=uk vie=vi"
    ).split()
)
"""BCP 47's tags of languages, by the codes of ISO 639-2 that files have."""


def embedded_subtitles(path: Path) -> dict[str, list[SubtitleLine]]:
    """By language ("" where none is stated) what the text tracks of a video's file say, in seconds of the video.

    Of several tracks of a language it is one of all that is said, not of foreign parts alone, the default one first.
    Raises: FilmError if the file can't be read, InputError for a cue that ends before it begins.
    """
    import av
    from av.stream import Disposition

    with open_media(path) as container:
        tracks = [track for track in container.streams.subtitles if track.codec_context.codec.name in TEXT]
        tracks.sort(
            key=lambda track: (
                bool(track.disposition & Disposition.forced),
                not track.disposition & Disposition.default,
            )
        )
        chosen: dict[str, Any] = {}
        for track in tracks:
            chosen.setdefault(_language(track), track)
        if not chosen:
            return {}
        cues: dict[int, list[Cue]] = {track.index: [] for track in chosen.values()}
        try:
            with open_film(path, threads=1) as film:
                origin = 0.0 if isinstance(film, FrameFolder) else film.origin
        except OnlySound:
            origin = sound_facts(path).origin
        try:
            for packet in packets_of(*chosen.values()):
                said = cues[packet.stream.index]
                said += _cues(packet, origin, len(said))
        except (av.FFmpegError, OSError) as error:
            raise FilmError(f"{path.name}: its subtitles can't be read: {error}") from error
        return {
            language: said_lines(path, cues[track.index], lambda file, place, why: None)
            for language, track in chosen.items()
        }


def _cues(packet: Any, origin: float, before: int) -> list[Cue]:
    if packet.pts is None or not packet.size or not packet.duration:
        return []
    start = float(packet.pts * packet.time_base) - origin
    end = start + float(packet.duration * packet.time_base)
    said: list[Cue] = []
    for part in packet.decode() or ():
        event = part.ass.decode(errors="replace") if part.type == b"ass" else ""
        rows = plain(event.split(",", _BEFORE_TEXT)[-1]).split("\n")
        said.append(Cue(f"subtitle {before + len(said) + 1}", start, end, rows, word_times=False))
    return said


def _language(track: Any) -> str:
    said = str(track.language or "")
    tag = _SHORT.get(said.lower(), said)
    return tag if LANGUAGE_TAG.match(tag) and tag != "und" else ""
