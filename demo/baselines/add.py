"""`script/demo --baselines`: systems trained on the finished collection's release; its leaderboards get the runs."""

from pathlib import Path

from config.embedded import var_folder
from datasets.releases.make_release import write_release
from demo.baselines.pipeline import MODELS, BaselinePlan, run_baselines
from demo.build import run, step, theatre_folder
from demo.furnished.furnish import NAME, SECOND
from foundation.models import Collection

PLAN = BaselinePlan(
    models=MODELS,
    tops=(1, 20),
    seeds=(1, 2),
    how=("--batch-size", "64", "--lr", "5e-4"),
    how_by_top=(
        (1, ("--epochs", "120", "--evaluate-every", "15")),
        (20, ("--epochs", "6", "--evaluate-every", "1")),
    ),
    splits=("val", "test"),
)
"""Small: some three minutes a model on two cores. `evidence.py` has the figures."""


def baselines_folder() -> Path:
    """Where features, models and runs of the demo lie."""
    return var_folder() / "baselines"


def add_baselines() -> None:
    """Extract, train, search, and put the runs with their manifests on the boards of the finished collection's release.

    A start that was stopped goes on where it was. Raises: PartError if a command of `baselines` fails.
    """
    step("Training baselines on the finished collection's release", then="their runs on its leaderboards")
    release = Collection.objects.get(name=NAME).releases.get(name=SECOND)
    folder = baselines_folder()
    place = folder / f"release-{release.content_hash[:12]}"
    if not (place / "manifest.json").exists():
        write_release(release=release, folder=place)
    own = folder / place.name.replace("release", "systems")
    runs = run_baselines(PLAN, release=place, videos=theatre_folder() / "videos", folder=own)
    for split in PLAN.splits:
        run("add_run", NAME, SECOND, split, *[path for path in runs if f"-{split}-" in path.name], same_name="replace")
