"""The whole study: clips made, networks trained setting by setting, scores kept, tables written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from baselines.copy_retrieval.clips import Clips, RegionEncoder, make_clips
from baselines.copy_retrieval.copies import EDITION
from baselines.copy_retrieval.heat_maps import frame_maps, heat_maps
from baselines.copy_retrieval.learning_rate import best_rate, reached_with, validation_clips
from baselines.copy_retrieval.rows import ablation, compared, file_name
from baselines.copy_retrieval.settings import LEARNING_RATES, ClipSettings, TrainingSettings
from baselines.copy_retrieval.tables import tables_of
from baselines.copy_retrieval.training import Scores, score, train
from baselines.copy_retrieval.whitening import ClipFeatures, whitened
from baselines.errors import BaselineError
from baselines.features.encoders.interface import FrameEncoder
from baselines.features.store import require_same
from baselines.losses import HAPSettings
from baselines.progress import shown_on
from baselines.version import code_version
from baselines.whole_files import whole_file

RATES = "mAP on validation videos"


@dataclass(frozen=True)
class CopyStudy:
    """What is asked for: seeds of the main comparison; ablations take the first of them alone.

    rivals: losses that are compared in the place of QuadLinear-AP, by name.
    """

    clips: ClipSettings
    training: TrainingSettings
    seeds: tuple[int, ...]
    ablations: tuple[str, ...]
    rivals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises: BaselineError without a seed, or with one twice."""
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise BaselineError(f"seeds: found {list(self.seeds)}, expected one or more, each once")

    def trainings(self) -> list[tuple[HAPSettings, int]]:
        """Every setting with its seed, the main comparison first, none twice."""
        wanted = [(setting, seed) for seed in self.seeds for setting in compared(self.rivals).values()]
        for parameter in self.ablations:
            wanted += [(setting, self.seeds[0]) for setting in ablation(parameter).values()]
        return list(dict.fromkeys(wanted))


def run_study(
    videos: Path,
    out: Path,
    study: CopyStudy,
    *,
    encoder: Callable[[], RegionEncoder],
    labels: FrameEncoder | None = None,
    device: str = "cpu",
) -> Path:
    """Make what is not there yet; a study that was broken off goes on with the same call.

    Writes out/clips (a file a video), out/study.json (what it was made with), out/learning-rate.json (what the rates
    reached, where none is asked for), out/results (a file for each setting and seed), out/heat-maps.svg and, at last,
    out/tables.md.
    Args: encoder: makes the encoder of regions. labels: as `make_clips`. device: torch's name of where networks are
    trained.
    Returns: the path of the tables.
    Raises: BaselineError as `make_clips` and `train`, or if ``out`` holds a study made with other settings.
    """
    results = out / "results"
    try:
        results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BaselineError(f"{out}: can't be used as a folder ({error.strerror})") from error
    network_of_frames = encoder()
    with tqdm(desc="Clips and their copies", unit="video") as bar:
        clips = make_clips(videos, out / "clips", lambda: network_of_frames, study.clips, shown_on(bar), labels=labels)
    for name in clips.too_short:
        tqdm.write(f"{name}: shorter than a clip, left out")
    _require_same(
        out / "study.json",
        {
            "clips": asdict(study.clips),
            "training": asdict(study.training),
            "encoder": network_of_frames.identity,
            "labels": labels and labels.identity,
            "edition of copies": EDITION,
            "test": [name for name, tested in zip(clips.names, clips.test.tolist(), strict=True) if tested],
            "train": [name for name, tested in zip(clips.names, clips.test.tolist(), strict=True) if not tested],
        },
    )
    training, chosen = study.training, None
    if training.learning_rate is None:
        chosen = _compared_rates(out / "learning-rate.json", clips, study, device)
        training = replace(training, learning_rate=best_rate(chosen))
    features = whitened(clips, training.size).to(device)
    plain = results / "features.json"
    if not plain.exists():
        untrained = frame_maps(features, None, training.spatial_rate)
        _replace(plain, {"scores": asdict(score(features, None, training)), "frames": untrained})
    wanted = study.trainings()
    scores_of = {}
    for number, (setting, seed) in enumerate(wanted, start=1):
        path = results / f"{file_name(setting)}-seed{seed}.json"
        if not path.exists():
            _replace(path, _trained(features, setting, seed, training, f"{number}/{len(wanted)} {path.stem}"))
        scores_of[setting, seed] = _scores(path)
    rows = {"features alone": plain} | {
        row: results / f"{file_name(setting)}-seed{study.seeds[0]}.json"
        for row, setting in compared(study.rivals).items()
    }
    note = f"The first tested clip, seed {study.seeds[0]}; the darker, the more similar, on each row's own scale"
    _write(out / "heat-maps.svg", heat_maps({row: _kept(path, "frames") for row, path in rows.items()}, note=note))
    tables = out / "tables.md"
    _write(tables, tables_of(study.seeds, study.rivals, study.ablations, scores_of, _scores(plain), chosen))
    return tables


def _compared_rates(path: Path, clips: Clips, study: CopyStudy, device: str) -> dict[float, float]:
    """What each learning rate reaches on validation videos; those that the file has aren't tried again."""
    compared = _read_rates(path)
    if set(compared) != set(LEARNING_RATES):
        seed = study.seeds[0]
        features = whitened(validation_clips(clips, seed), study.training.size).to(device)
        for rate in tqdm(LEARNING_RATES, desc="Learning rates, two trainings each"):
            if rate not in compared:
                compared[rate] = reached_with(rate, features, study.training, seed=seed)
                _replace(path, {RATES: {f"{rate:g}": value for rate, value in compared.items()}})
    return compared


def _read_rates(path: Path) -> dict[float, float]:
    if not path.exists():
        return {}
    try:
        return {float(rate): float(value) for rate, value in _read(path)[RATES].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BaselineError(f"{path}: found no learning rates, expected those that were compared; delete it") from error


def _trained(
    features: ClipFeatures, setting: HAPSettings, seed: int, training: TrainingSettings, title: str
) -> dict[str, Any]:
    curve: list[dict[str, float]] = []
    with tqdm(total=training.steps, desc=title, unit="step") as bar:

        def note(_: int, parts: dict[str, float]) -> None:
            curve.append(parts)
            bar.update()

        network = train(features, setting, training, seed=seed, progress=note)
    scores = score(features, network, training)
    maps = frame_maps(features, network, training.spatial_rate)
    return {"losses": asdict(setting), "seed": seed, "scores": asdict(scores), "frames": maps, "curve": curve}


def _require_same(path: Path, asked: dict[str, Any]) -> None:
    """Keep what a study is made with. Raises: BaselineError if it was made with something else before."""
    if path.exists():
        require_same(path, _read(path), asked)
    else:
        _replace(path, asked | {"code": code_version()})


def _scores(path: Path) -> Scores:
    scores = _kept(path, "scores")
    try:
        return Scores(**scores)
    except TypeError as error:
        raise BaselineError(f"{path}: found scores {scores}, expected mAP and uAP; delete it") from error


def _kept(path: Path, key: str) -> Any:
    """An entry of a result. Raises: BaselineError if it isn't there."""
    entry = _read(path).get(key)
    if not entry:
        raise BaselineError(f"{path}: found no {key}, expected a result of this study; delete it")
    return entry


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BaselineError(f"{path}: can't be read as JSON ({error}); delete it") from error
    return content


def _replace(path: Path, content: dict[str, Any]) -> None:
    _write(path, json.dumps(content, indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode())
