"""Features of a folder of videos, of their subtitles, and of a release's queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.errors import BaselineError
from baselines.features.encoders import frame_encoder, shared_texts, word_encoder
from baselines.features.encoders.interface import FrameEncoder, Pool, WordEncoder
from baselines.features.store import FORMAT, FeatureFile
from baselines.features.writing import FeatureWriter, VideoFeatures
from baselines.progress import bar
from baselines.reading.subtitles import clip_lines
from baselines.reading.videos import MOMENT, frames, legible, videos_in
from baselines.version import code_version
from evaluation.errors import EvaluationError
from evaluation.reading.subtitle_files import read_subtitles
from evaluation.reading.subtitles import SubtitleLine

BATCH = 32
QUERIES_AT_ONCE = 1024


@dataclass(frozen=True)
class FeaturePlan:
    """How features are made.

    Attributes: frames, text: the encoders' names. rate: frames a second. clip_seconds: a clip's length. pool: how a
    clip's frames become one vector, None for the encoder's own way. device: as `device_named`.
    """

    frames: str
    text: str
    rate: float = 3.0
    clip_seconds: float = 1.5
    pool: Pool | None = None
    device: str = "auto"


@dataclass(frozen=True)
class Extracted:
    """What an extraction left. Attributes: broken: a sentence for each video that couldn't be read."""

    features: FeatureFile
    done: int
    kept: int
    broken: tuple[str, ...]


def extract(
    folder: Path,
    out: Path,
    plan: FeaturePlan,
    *,
    subtitles: Path | None = None,
    videos: Sequence[str] | None = None,
    queries: Sequence[str] = (),
) -> Extracted:
    """Extract the features that ``out`` lacks; those made from the same files with the same settings are kept.

    A video that can't be read is told about, and the others go on.
    Args: subtitles: as `read_subtitles`. videos: the names to extract; None for all of the folder. queries: texts
    whose words go into the file.
    Raises: BaselineError if a named video isn't there, the settings differ from those of an earlier call, or none of
    the videos can be read.
    """
    if not (plan.rate > 0 and plan.clip_seconds > 0 and plan.rate * plan.clip_seconds >= 1):
        raise BaselineError(
            f"found {plan.rate:g} frames a second and clips of {plan.clip_seconds:g} s, expected a frame a clip or more"
        )
    files = videos_in(folder)
    if videos is not None:
        videos = [normalize("NFC", video) for video in videos]
        missing = [video for video in videos if video not in files]
        if missing:
            raise BaselineError(
                f"{folder}: found no file for {len(missing)} of {len(videos)} videos of the release, among them "
                f"{', '.join(map(repr, missing[:3]))}; expected files named as video_corpus.json names its videos"
            )
        files = {video: files[video] for video in videos}
    lines = None if subtitles is None else read_subtitles(subtitles)
    if lines is not None and not lines.keys() & files.keys():
        raise BaselineError(f"{subtitles}: found subtitles of none of the {len(files)} videos; names must agree")
    encoder = frame_encoder(plan.frames, plan.device)
    words = word_encoder(plan.text, plan.device)
    writer = FeatureWriter(out, describe(plan, encoder, words, subtitles=lines is not None))
    todo = {video: path for video, path in files.items() if not writer.has(video, source_of(path))}
    kept, broken = len(files) - len(todo), []
    for video in bar(todo, desc="Videos", unit=" videos"):
        try:
            own = None if lines is None else lines.get(video, [])
            writer.add(video, features_of(todo[video], own, plan, encoder, words))
        except (BaselineError, EvaluationError) as error:
            broken.append(str(error))
    if len(broken) == len(files):
        raise BaselineError(f"{folder}: none of the {len(files)} videos can be read; the first: {broken[0]}")
    texts = list(dict.fromkeys(queries))
    vectors: dict[str, SingleArray] = {}
    for first in bar(range(0, len(texts), QUERIES_AT_ONCE), desc="Queries", unit=f" x {QUERIES_AT_ONCE}"):
        some = texts[first : first + QUERIES_AT_ONCE]
        vectors.update(zip(some, words.words(some), strict=True))
    return Extracted(writer.finish(vectors), len(todo) - len(broken), kept, tuple(broken))


def describe(plan: FeaturePlan, encoder: FrameEncoder, words: WordEncoder, *, subtitles: bool) -> dict[str, Any]:
    """The manifest of a file of features."""
    shared: str | None = None
    if encoder.shared_size is not None:
        shared = "visual" if encoder.visual_is_shared else "shared"
    return {
        "format": FORMAT,
        "frames": encoder.identity,
        "text": words.identity,
        "shared": shared,
        "shared_texts": shared and shared_texts(plan.frames, plan.device).identity,
        "frames_per_second": plan.rate,
        "clip_seconds": plan.clip_seconds,
        "pool": plan.pool or encoder.pool,
        "picture_size": list(encoder.picture_size),
        "dimensions": {
            "visual": encoder.visual_size,
            "subtitles": words.size if subtitles else None,
            "words": words.size,
            "shared": encoder.shared_size,
        },
        "code": code_version(),
    }


def features_of(
    path: Path, lines: list[SubtitleLine] | None, plan: FeaturePlan, encoder: FrameEncoder, words: WordEncoder
) -> VideoFeatures:
    """One video's features. Raises: BaselineError if it can't be decoded."""
    times: list[float] = []
    visual: list[SingleArray] = []
    shared: list[SingleArray] = []
    held: list[ByteArray] = []
    duration = 0.0

    def encode() -> None:
        if held:
            vectors = encoder.encode(np.stack(held))
            visual.append(vectors.visual)
            if vectors.shared is not None:
                shared.append(vectors.shared)
            held.clear()

    for shot in frames(path, rate=plan.rate, size=encoder.picture_size):
        if shot.picture is None:
            duration = round(shot.time, 3)
        else:
            times.append(shot.time)
            held.append(shot.picture)
            if len(held) == BATCH:
                encode()
    encode()
    clips = max(1, math.ceil((duration - MOMENT) / plan.clip_seconds))
    places = np.minimum(np.floor(np.array(times) / plan.clip_seconds + 1e-6).astype(np.int64), clips - 1)
    pool = plan.pool or encoder.pool
    return VideoFeatures(
        duration,
        source_of(path),
        pooled(np.concatenate(visual), places, clips, pool),
        None if lines is None else said(lines, clips, plan.clip_seconds, words),
        pooled(np.concatenate(shared), places, clips, "mean") if shared else None,
    )


def pooled(rows: SingleArray, places: Any, clips: int, pool: Pool) -> SingleArray:
    """The maximum or mean of each clip's rows, shape (clips, size); a clip without rows repeats the clip before it.

    Args: rows: shape (frames, size); places: shape (frames,), each row's clip, rising; pool: ``max`` or ``mean``.
    """
    joined = np.zeros((clips, rows.shape[1]), dtype=np.float32)
    for clip in range(clips):
        own = rows[places == clip]
        if len(own):
            joined[clip] = own.max(axis=0) if pool == "max" else own.mean(axis=0)
        elif clip:
            joined[clip] = joined[clip - 1]
    return joined


def said(lines: Sequence[SubtitleLine], clips: int, clip_seconds: float, words: WordEncoder) -> SingleArray:
    """The word vectors of each clip's lines, pooled by maximum, shape (clips, size); zeros where nothing is said.

    Source: TVR (jayleicn/TVRetrieval), convert_sub_feature_word_to_clip.py, pooling by maximum.
    """
    vectors = words.words([line.text for line in lines]) if lines else []
    joined = np.zeros((clips, words.size), dtype=np.float32)
    for clip, own in enumerate(clip_lines(lines, clips, clip_seconds)):
        if own:
            joined[clip] = np.concatenate([vectors[place] for place in own]).max(axis=0)
    return joined


def source_of(path: Path) -> str:
    """A text that changes when a video's file is replaced: its name and its size in bytes."""
    return f"{legible(path.name)} {path.stat().st_size}"
