"""The training loop: batches, steps, validations, early stop; a killed one goes on with the same results.

Beside the model lie `training.pt` (the state to go on from), `log.jsonl` and `curve.svg`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from baselines.collation.collator import Collator
from baselines.device import set_seed
from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.models.checkpoint import FILE as MODEL_FILE
from baselines.models.checkpoint import write_model
from baselines.models.interface import Batch, ModelConfig, RetrievalModel, retriever_config
from baselines.models.registry import model_named
from baselines.reading.release import Release
from baselines.retrieval.candidates import Candidates
from baselines.retrieval.search import SearchSettings
from baselines.training import log as logs
from baselines.training.names import PAPER
from baselines.training.objectives import objective_named
from baselines.training.optimizer import BertAdam
from baselines.training.pairs import PseudoPairs
from baselines.training.schedule import Schedule
from baselines.training.state import FILE as STATE_FILE
from baselines.training.state import TrainingProgress, read_state, write_state
from baselines.training.validation import MEASURE, Validation
from baselines.version import code_version

SECONDS_BETWEEN = 60.0
"""How long the loop goes on before it keeps its state: what a kill can cost."""

OF_VALIDATIONS = SearchSettings(moments=20)
"""As many moments as the measure looks at."""

Told = Callable[["TrainingStep"], None]


@dataclass(frozen=True)
class TrainingSettings:
    """What is trained, on what part of a release, and how long.

    Attributes: model: its name. config: its configuration. top: N, the moments of each query. loss: by name.
    with_subtitles: whether the model sees them. search: of the validations.
    """

    model: str
    config: ModelConfig
    top: int
    seed: int
    schedule: Schedule
    loss: str = PAPER
    with_subtitles: bool = True
    search: SearchSettings = OF_VALIDATIONS


@dataclass(frozen=True)
class TrainingStep:
    """How far a training is: steps done of at most so many, the last loss, the best validation (-1 before one)."""

    done: int
    of: int
    epoch: float
    loss: float
    best: float


@dataclass(frozen=True)
class TrainingOutcome:
    """The result of a training: the model's file, its validation figures, its step, and why training ended."""

    model: Path
    best: float
    best_step: int
    steps: int
    ended: str


class Trainer:
    """One training in a folder of its own; `run` begins it or goes on with it."""

    def __init__(
        self,
        settings: TrainingSettings,
        release: Release,
        features: Features,
        out: Path,
        *,
        device: torch.device,
        candidates: Candidates | None = None,
        keep_every: float = SECONDS_BETWEEN,
    ) -> None:
        """Raises: BaselineError if features or release don't serve, or the folder holds another training.

        Args: candidates: what another system found for the training's and val's queries, for a model that
        `needs_retriever`.
        """
        self.settings = settings
        self.out = out
        self.device = device
        self.keep_every = keep_every
        if settings.with_subtitles and features.subtitle_size is None:
            raise BaselineError(f"{features.name} has no subtitles: train on the video alone (--video-only)")
        kind = model_named(settings.model)
        if kind.needs_retriever and candidates is None:
            raise BaselineError(f"{settings.model} localises in another system's videos: name it by --videos-from")
        training = release.training_of(settings.top)
        self.collator = Collator(features, settings.config, with_subtitles=settings.with_subtitles)
        features.prepare_words([query.text for query in (*training.queries, *release.queries("val"))])
        if kind.needs_retriever:
            drawn = retriever_config(settings.config)
            self.pairs = PseudoPairs(
                training, self.collator, retriever=candidates, negatives=drawn.negatives, pool=drawn.pool
            )
        else:
            candidates = None
            self.pairs = PseudoPairs(training, self.collator)
        self.validation = Validation(release, self.collator, settings.search, candidates)
        self.objective = objective_named(settings.loss, torch.from_numpy(training.similarity))
        self.about = _about(settings, release, features)
        if candidates is not None:
            self.about["videos_from"] = dict(candidates.source)
        set_seed(settings.seed)
        self.model: RetrievalModel = kind(settings.config, self.collator.dimensions).to(device)
        self.optimizer = BertAdam(self.model)
        out.mkdir(parents=True, exist_ok=True)
        progress = read_state(out / STATE_FILE, about=self.about, model=self.model, optimizer=self.optimizer)
        if progress is None and (out / MODEL_FILE).exists():
            raise BaselineError(f"{out}: found a model without its training's state; name another folder")
        self.progress = progress or TrainingProgress()

    def run(self, told: Told = lambda step: None) -> TrainingOutcome:
        """Train to the end, from where an earlier call stopped."""
        progress, schedule = self.progress, self.settings.schedule
        steps = schedule.epochs * schedule.steps_of_epoch(len(self.pairs))
        every = schedule.steps_between(len(self.pairs))
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # CUDA's products are the same each time with it
        torch.use_deterministic_algorithms(True, warn_only=True)
        log = logs.Log(self.out / logs.FILE, progress.log_bytes)
        kept = time.monotonic()
        try:
            if not progress.step:
                self._keep(log)  # from now on a model here is known to be this training's
            for batch in self._batches(progress.step, steps if not progress.ended else 0):
                loss = self._step(batch)
                if progress.step % every == 0 or progress.step == steps:
                    self._validate(log)
                    progress.ended = self._why_end(steps)
                told(TrainingStep(progress.step, steps, self._epoch(), loss, progress.best))
                if progress.ended or time.monotonic() - kept >= self.keep_every:
                    self._keep(log)
                    kept = time.monotonic()
                if progress.ended:
                    break
        finally:
            torch.use_deterministic_algorithms(False)
            log.close()
        return TrainingOutcome(self.out / MODEL_FILE, progress.best, progress.best_step, progress.step, progress.ended)

    def _batches(self, first: int, last: int) -> Iterator[Batch]:
        """The batches from one step to another, each put together while the one before is trained on."""
        schedule = self.settings.schedule
        of_epoch = schedule.steps_of_epoch(len(self.pairs))

        def batch(step: int) -> Batch:
            epoch, place = divmod(step, of_epoch)
            if epoch not in orders:
                orders.clear()
                orders[epoch] = self.pairs.order(self.settings.seed, epoch)
            begin = place * schedule.batch_size
            pairs = orders[epoch][begin : begin + schedule.batch_size]
            return self.pairs.batch(pairs, draw=(self.settings.seed, step))

        orders: dict[int, Any] = {}
        with ThreadPoolExecutor(1) as ahead:
            coming = ahead.submit(batch, first) if first < last else None
            for step in range(first, last):
                assert coming is not None
                ready = coming.result()
                coming = ahead.submit(batch, step + 1) if step + 1 < last else None
                yield ready.to(self.device)

    def _step(self, batch: Batch) -> float:
        progress, schedule = self.progress, self.settings.schedule
        self.model.train()
        epoch = progress.step // schedule.steps_of_epoch(len(self.pairs))
        hard = epoch >= self.settings.config.hard_negatives_from
        parts = self.objective(self.model.losses(batch, hard_negatives=hard), batch)
        loss = torch.stack(list(parts.values())).sum()
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step(schedule.rate(progress.step, len(self.pairs)))
        values = dict(zip(parts, torch.stack(list(parts.values())).tolist(), strict=True))
        total = float(sum(values.values()))
        if total != total:
            raise BaselineError(f"the loss is NaN in step {progress.step + 1}: {values}; try a lower --lr")
        before = progress.summed or dict.fromkeys(values, 0.0)
        progress.summed = {name: before[name] + value for name, value in values.items()}
        progress.counted += 1
        progress.step += 1
        return total

    def _validate(self, log: logs.Log) -> None:
        progress = self.progress
        figures = self.validation.figures(self.model)
        losses = {name: total / progress.counted for name, total in (progress.summed or {}).items()}
        gained = figures[MEASURE] > progress.best
        if gained:
            progress.best, progress.best_step, progress.without_gain = figures[MEASURE], progress.step, 0
            about = {
                **self.about,
                "code": code_version(),
                "step": progress.step,
                "epoch": self._epoch(),
                "validation": figures,
            }
            write_model(self.out / MODEL_FILE, self.model, about)
        else:
            progress.without_gain += 1
        rate = self.settings.schedule.rate(progress.step - 1, len(self.pairs))
        log.write(
            {
                "step": progress.step,
                "epoch": round(self._epoch(), 4),
                "losses": losses,
                "validation": figures,
                "best": gained,
                "learning_rate": rate,
            }
        )
        progress.summed, progress.counted = None, 0

    def _why_end(self, steps: int) -> str:
        if self.progress.without_gain >= self.settings.schedule.patience:
            return f"{self.progress.without_gain} validations without gain"
        return "all epochs done" if self.progress.step == steps else ""

    def _keep(self, log: logs.Log) -> None:
        self.progress.log_bytes = log.bytes
        write_state(
            self.out / STATE_FILE,
            about=self.about,
            progress=replace(self.progress),
            model=self.model,
            optimizer=self.optimizer,
        )
        settings = self.settings
        note = f"{self.about['release']}, seed {settings.seed}, loss {settings.loss}; "
        note += f"epochs between validations: {settings.schedule.evaluate_every:g}"
        picture = logs.curve(
            logs.read_log(self.out / logs.FILE), title=f"{settings.model}, top {settings.top}", note=note
        )
        if picture:
            (self.out / logs.CURVE).write_text(picture, encoding="utf-8")

    def _epoch(self) -> float:
        return self.progress.step / self.settings.schedule.steps_of_epoch(len(self.pairs))


def _about(settings: TrainingSettings, release: Release, features: Features) -> dict[str, Any]:
    """Everything that a training depends on: only a training with the same values goes on from a state."""
    return {
        "model": settings.model,
        "config": settings.config.as_dict(),
        "subtitles": settings.with_subtitles,
        "top": settings.top,
        "seed": settings.seed,
        "loss": settings.loss,
        "schedule": asdict(settings.schedule),
        "features": dict(features.manifest),
        "release": release.folder.resolve().name,
    }
