"""Training: it learns, ends, is the same for the same seed, and goes on after a kill as if nothing had been."""

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from baselines.errors import BaselineError
from baselines.models.checkpoint import read_model, read_whole, write_whole
from baselines.models.interface import ModelConfig
from baselines.training.log import read_log
from baselines.training.loop import Trainer, TrainingOutcome, TrainingSettings, TrainingStep
from baselines.training.schedule import Schedule
from baselines.training.validation import MEASURES
from tests.baselines.scenes import Collection
from tests.baselines.tiny import tiny_config
from tests.baselines.worlds import run_line
from tests.forked import ForkedProcess

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
TINY = ["--set", "hidden=16", "--set", "heads=2", "--batch-size", "16", "--lr", "0.01", "--device", "cpu"]


@dataclass
class Folder:
    """Trainings of one collection, all short."""

    scenes: Collection
    out: Path

    def trainer(self, name: str = "one", *, model: str = "xml", keep_every: float = 60, **changed: object) -> Trainer:
        values: dict[str, object] = {"epochs": 3, "evaluate_every": 1.0, "batch_size": 16, "learning_rate": 0.01}
        schedule = Schedule(**values | {key: changed.pop(key) for key in list(changed) if key in (*values, "patience")})  # type: ignore[arg-type]
        config: ModelConfig = tiny_config(model)
        settings = TrainingSettings(model, config, **{"top": 4, "seed": 1, "schedule": schedule} | changed)  # type: ignore[arg-type]
        release, features = self.scenes.release(), self.scenes.feature_file()
        return Trainer(settings, release, features, self.out / name, device=CPU, keep_every=keep_every)

    def model(self, name: str = "one") -> bytes:
        return (self.out / name / "model.pt").read_bytes()


@pytest.fixture
def folder(scenes: Collection, tmp_path: Path) -> Folder:
    return Folder(scenes, tmp_path)


def stop_after(steps: int) -> object:
    """Ends the process as a kill would, within the step: nothing that stands after it is done."""

    def told(step: TrainingStep) -> None:
        if step.done == steps:
            raise KeyboardInterrupt

    return told


@pytest.mark.parametrize("model", ["xml", "reloclnet", "spr"])
def test_a_model_learns_what_the_collection_shows(folder: Folder, model: str) -> None:
    outcome = folder.trainer(model=model, epochs=30, evaluate_every=10.0).run()
    figures = [row["validation"]["NDCG@20,IoU>=0.5"] for row in read_log(folder.out / "one" / "log.jsonl")]
    assert outcome.best == max(figures) > 0.6
    assert outcome.ended == "all epochs done"


def test_the_same_seed_gives_the_same_model_to_the_byte(folder: Folder) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        folder.trainer(name, seed=seed).run()
    assert folder.model("one") == folder.model("again")
    logs = [(folder.out / name / "log.jsonl").read_text() for name in ("one", "again", "other")]
    assert logs[0] == logs[1] != logs[2]


@pytest.mark.parametrize("model", ["xml", "reloclnet", "spr"])
@pytest.mark.parametrize(("stopped", "keep_every"), [(4, 0), (7, 0), (5, 60)])
def test_an_interrupted_training_ends_as_an_uninterrupted_one(
    folder: Folder, model: str, stopped: int, keep_every: float
) -> None:
    folder.trainer("whole", model=model).run()
    with pytest.raises(KeyboardInterrupt):
        folder.trainer("broken", model=model, keep_every=keep_every).run(stop_after(stopped))  # type: ignore[arg-type]
    again = folder.trainer("broken", model=model, keep_every=keep_every)
    assert again.progress.step == (stopped - 1 if keep_every == 0 else 0)  # in the step itself it was not kept yet
    again.run()
    assert folder.model("broken") == folder.model("whole")
    assert (folder.out / "broken" / "log.jsonl").read_text() == (folder.out / "whole" / "log.jsonl").read_text()


def test_a_training_of_a_version_with_fewer_settings_goes_on(folder: Folder) -> None:
    with pytest.raises(KeyboardInterrupt):
        folder.trainer(keep_every=0).run(stop_after(4))  # type: ignore[arg-type]
    path = folder.out / "one" / "training.pt"
    state = read_whole(path, "qreels training 1")
    for setting in ("positive_mask", "summed_positives"):
        del state["about"]["config"][setting]
    write_whole(path, state)
    assert folder.trainer().progress.step == 3
    state["about"]["config"]["margin"] = 0.5
    write_whole(path, state)
    with pytest.raises(BaselineError, match=r"something else \(config = "):
        folder.trainer()


def test_a_model_has_the_batch_of_its_published_parameters_unless_one_is_named(folder: Folder) -> None:
    line = ["--top", "1", "--epochs", "1", "--set", "hidden=16", "--set", "heads=2", "--device", "cpu"]
    for number, (model, more, size) in enumerate(
        [("xml", [], 128), ("reloclnet", [], 512), ("spr", [], 256), ("xml", ["--batch-size", "32"], 32)]
    ):
        out = folder.out / str(number)
        assert run_line("train", model, folder.scenes.folder, folder.scenes.features, out, *line, *more) == 0
        assert read_model(out).about["schedule"]["batch_size"] == size


def test_a_killed_process_goes_on_where_it_was(folder: Folder, tmp_path: Path) -> None:
    line = ["-m", "baselines", "train", "xml", folder.scenes.folder, folder.scenes.features]
    options = ["--top", "4", "--epochs", "6", "--evaluate-every", "1", *TINY]

    def begun(out: Path) -> ForkedProcess:
        arguments = [str(word) for word in (*line, out, *options)]
        return ForkedProcess(arguments, env=os.environ, log=tmp_path / f"{out.name}.log")

    killed = begun(tmp_path / "killed")
    while not (tmp_path / "killed" / "model.pt").exists() and killed.poll() is None:
        pass
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait(60)
    assert begun(tmp_path / "killed").wait(120) == 0, (tmp_path / "killed.log").read_text()
    assert run_line(*line[2:], tmp_path / "whole", *options) == 0
    for file in ("model.pt", "log.jsonl"):
        assert (tmp_path / "killed" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert not list(tmp_path.glob("killed/*.new"))


def test_it_ends_early_without_gain_and_says_so(folder: Folder) -> None:
    outcome = folder.trainer(epochs=50, learning_rate=1e-12, patience=3).run()
    rows = read_log(folder.out / "one" / "log.jsonl")
    assert outcome.ended == "3 validations without gain"
    assert len(rows) == 4  # the first one gained
    assert outcome.best_step == rows[0]["step"]
    assert [row["best"] for row in rows] == [True, False, False, False]


def test_a_training_that_is_over_is_not_begun_again(folder: Folder) -> None:
    first = folder.trainer().run()
    before = folder.model()
    steps: list[TrainingStep] = []
    second: TrainingOutcome = folder.trainer().run(steps.append)
    assert second == first
    assert steps == []
    assert folder.model() == before


def test_beside_the_model_lie_its_log_and_its_curve(folder: Folder) -> None:
    trainer = folder.trainer(epochs=4, evaluate_every=0.5)
    trainer.run()
    rows = read_log(folder.out / "one" / "log.jsonl")
    of_epoch = trainer.settings.schedule.steps_of_epoch(len(trainer.pairs))
    assert [row["step"] for row in rows] == list(range(round(of_epoch / 2), 4 * of_epoch + 1, round(of_epoch / 2)))
    for row in rows:
        assert set(row["validation"]) == set(MEASURES)
        assert set(row["losses"]) == {"span", "negative_video", "negative_query"}
    picture = (folder.out / "one" / "curve.svg").read_text()
    assert "xml, top 4" in picture
    assert "NDCG@20,IoU" in picture
    trained = read_model(folder.out / "one")
    assert trained.about["seed"] == 1
    assert trained.about["loss"] == "paper"
    assert trained.about["features"]["dimensions"]["visual"] == 12
    assert trained.about["code"]["name"] == "qreels"


def test_video_alone_is_trained_without_subtitles(folder: Folder) -> None:
    folder.trainer(with_subtitles=False).run()
    assert read_model(folder.out / "one").model.dimensions.subtitles is None


def test_a_folder_with_another_training_is_left_alone(folder: Folder) -> None:
    folder.trainer(epochs=1).run()
    before = folder.model()
    with pytest.raises(BaselineError, match=r"something else \(seed = 1, not 2\); name another folder"):
        folder.trainer(epochs=1, seed=2)
    assert folder.model() == before


def test_a_state_that_was_cut_off_is_named(folder: Folder) -> None:
    folder.trainer(epochs=1).run()
    state = folder.out / "one" / "training.pt"
    state.write_bytes(state.read_bytes()[:-200])
    with pytest.raises(BaselineError, match=r"training\.pt: found a file that is cut off"):
        folder.trainer(epochs=1)


def test_the_command_says_what_is_wrong(folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder_and_file = (folder.scenes.folder, folder.scenes.features, tmp_path / "out")
    for options, said in (
        (["--top", "0"], "--top: found 0, expected 1 or more"),
        (["--top", "9"], "expected a training file with 9 or more moments"),
        (["--top", "1", "--set", "size=3"], "xml has no setting 'size'; it has max_clips"),
        (["--top", "1", "--set", "hidden=wide"], "found 'hidden=wide', expected NAME=VALUE"),
        (["--top", "1", "--set", "hidden=1.5"], "setting hidden of xml: found 1.5, expected int"),
        (["--top", "1", "--epochs", "0"], "epochs: found 0, expected a number above 0"),
        (["--top", "1", "--set", "hidden=16", "--set", "heads=5"], "hidden=16 is no multiple of heads=5"),
    ):
        assert run_line("train", "xml", *folder_and_file, *options) == 2
        assert said in capsys.readouterr().err
    for path in folder.scenes.folder.glob("train_top*"):
        (tmp_path / path.name).symlink_to(path)
    assert not (tmp_path / "out" / "model.pt").exists()


def test_the_command_prints_what_came_of_it(folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collection = (folder.scenes.folder, folder.scenes.features)
    assert run_line("train", "xml", *collection, tmp_path / "out", "--top", "1", "--epochs", "2", *TINY) == 0
    assert "NDCG@20,IoU>=0.5" in capsys.readouterr().out
    manifest = json.loads(json.dumps(read_model(tmp_path / "out").about))
    assert manifest["schedule"]["epochs"] == 2
    assert manifest["schedule"]["evaluate_every"] == 20
