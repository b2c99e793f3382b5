"""The films with their sound: for every word a tone, at a pitch of each person's own."""

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.spoken.lines import Line
from demo.theatre.cast import CAST

RATE = 48_000
STEPS = (1, 9 / 8, 5 / 4, 3 / 2)
"""How far above their pitch people go, word by word."""
THUNDER_SECONDS = 1.5


def pitch_of(name: str) -> float:
    """In Hz: nobody has another's."""
    person = CAST[name]
    place = [other.name for other in CAST.values() if other.gender == person.gender].index(name)
    return float((200 if person.gender == "woman" else 95) * 2 ** (place / 6))


def soundtrack(lines: Sequence[Line], seconds: float, thunder: float | None = None) -> Any:
    """A film's sound. Args: thunder: when there is a clap of it. Returns: float32 of shape (1, n), within -1 and 1."""
    import numpy as np

    sound = np.zeros(round(seconds * RATE), dtype=np.float32)

    def add(at: float, tone: Any) -> None:
        begin = round(at * RATE)
        part = sound[begin : begin + len(tone)]
        part += tone[: len(part)]

    for line in lines:
        dice, words = random.Random(f"{line.video} {line.start}"), line.words.split()
        each = (line.end - line.start) / len(words)
        time = np.arange(round(0.85 * each * RATE)) / RATE
        swell = np.sin(np.pi * time / (0.85 * each)) ** 0.5
        for place in range(len(words)):
            turns = 2 * np.pi * pitch_of(line.speaker) * dice.choice(STEPS) * time
            voice = sum(np.sin(turns * overtone) / overtone**1.5 for overtone in range(1, 7))
            add(line.start + place * each, (0.2 * swell * voice).astype(np.float32))
    if thunder is not None:
        noise = np.random.default_rng(7).standard_normal(round(THUNDER_SECONDS * RATE))
        rumble = np.convolve(noise, np.ones(200) / 200, "same") * 200**0.5
        add(thunder, (0.3 * rumble * np.exp(-np.linspace(0, 5, len(rumble)))).astype(np.float32))
    return np.clip(sound, -1, 1)[None]


def give_voice(silent: Path, path: Path, sound: Any) -> None:
    """Write a film with sound, its pictures as they are. The file appears under its name only when it is finished."""
    import av
    import numpy as np

    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part")
    try:
        with av.open(str(silent)) as source, av.open(str(temporary), "w", format="mp4") as target:
            pictures = target.add_stream_from_template(source.streams.video[0])
            track = target.add_stream("aac", rate=RATE, layout="mono")
            for packet in source.demux(video=0):
                if packet.dts is not None:
                    packet.stream = pictures
                    target.mux(packet)
            for begin in range(0, sound.shape[1], 1024):
                part = np.ascontiguousarray(sound[:, begin : begin + 1024])
                frame = av.AudioFrame.from_ndarray(part, format="fltp", layout="mono")
                frame.sample_rate, frame.pts = RATE, begin
                target.mux(track.encode(frame))
            target.mux(track.encode(None))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def subtitles(lines: Sequence[Line], thunder: float | None = None) -> str:
    """A film's lines as SubRip."""
    cues = [(line.start, line.end, f"{line.speaker}: {line.words}") for line in lines]
    if thunder is not None:
        cues.append((thunder, thunder + THUNDER_SECONDS, "(thunder)"))
    return "".join(
        f"{number}\n{_time(start)} --> {_time(end)}\n{text}\n\n"
        for number, (start, end, text) in enumerate(sorted(cues), start=1)
    )


def _time(seconds: float) -> str:
    whole = round(1000 * seconds)
    return f"{whole // 3_600_000:02d}:{whole // 60_000 % 60:02d}:{whole // 1000 % 60:02d},{whole % 1000:03d}"
