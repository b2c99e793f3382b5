"""`manage.py export_release COLLECTION DIR [--release NAME] [--format FMT]... [--adjudicated] [--train-below N]
[--posteriors] [--provenance] [--machine-judges NAME]... [--authors TEXT]...`, and the other texts of the authors."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from datasets.content.split_counts import undecided_pairs
from datasets.content.splits import SPLITS
from datasets.formats import DEFAULT_FORMATS, FORMATS, with_needed
from datasets.formats.about import FIELDS, version_of
from datasets.models import DRAFT_PREFIX, Release
from datasets.releases.make_release import create_release, write_release
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.infra.progress import StageBars
from foundation.models import Collection
from queries.pooling.query_selection import training_descriptions

WITH_QUERIES = {"tvr-ranking", "trec", "beir", "parquet"}
WITH_TRAINING = {"tvr-ranking", "parquet"}
"""The formats that write val and test queries one by one, and training queries."""


class Command(CollectionCommand):
    help = (
        "Write a release into a folder. A new name freezes the collection's present state; an existing one gives the "
        "same bytes again, whatever was judged since. Without a name it is a draft, named after its content."
    )
    made_sentences = True

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that doesn't exist yet")
        parser.add_argument("--release", default="", metavar="NAME", help="the release's name")
        parser.add_argument(
            "--train-top",
            action="append",
            type=int,
            dest="depths",
            metavar="N",
            help="moments per query of a training file; may be repeated; default 1, 20 and 40",
        )
        parser.add_argument(
            "--format",
            action="append",
            dest="formats",
            metavar="FMT",
            help=f"may be repeated; default {', '.join(DEFAULT_FORMATS)}. Formats: {', '.join(sorted(FORMATS))}",
        )

        parser.add_argument(
            "--adjudicated",
            action="store_true",
            help="include the lead's grades of discarded pairs; adjudicated.csv lists them",
        )

        parser.add_argument(
            "--train-below",
            type=float,
            metavar="COSINE",
            help="leave pseudo-training queries out whose caption has this cosine to a val or test query, such as 0.9; "
            "without it those alone whose caption equals one",
        )

        parser.add_argument(
            "--posteriors", action="store_true", help="say in posteriors.csv how likely each grade of a pair is"
        )

        parser.add_argument(
            "--provenance",
            action="store_true",
            help="say in judgment_origins.csv and caption_origins.csv what each judgment and caption comes from",
        )

        parser.add_argument(
            "--machine-judges",
            action="append",
            metavar="NAME",
            help="a machine judge whose grades are released, in machine_judgments.csv alone; may be repeated",
        )

        for field, words in FIELDS.items():
            parser.add_argument(f"--{field}", default="", metavar="TEXT", help=str(words))

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        name, folder = options["release"], options["folder"]
        before = set(collection.releases.values_list("name", flat=True))
        with StageBars() as bars:
            release = self._release(collection, options, bars, exists=name in before)
            wrote = write_release(release=release, folder=folder, stage=bars)
        self._report(release, folder, is_new=release.name not in before, wrote=wrote)

    def _release(self, collection: Collection, options: dict[str, Any], bars: StageBars, *, exists: bool) -> Release:
        formats, depths = options["formats"] or [], options["depths"] or []
        asked = {"name": options["release"], "formats": formats, "depths": depths}
        asked |= {"adjudicated": options["adjudicated"], "train_below": options["train_below"]}
        asked |= {"posteriors": options["posteriors"], "provenance": options["provenance"]}
        asked["machine_judges"] = options["machine_judges"] or []
        asked["about"] = {field: options[field] for field in FIELDS}
        if exists:
            return create_release(collection=collection, **asked)
        undecided = undecided_pairs(collection)
        if undecided:
            self.stdout.write(
                f"{counted(undecided, 'pair is', 'pairs are')} not decided yet and left out of this release."
            )
        drawn, training = collection.queries.count(), training_descriptions(collection).count()
        written = with_needed(set(formats or DEFAULT_FORMATS) & set(FORMATS))
        total = drawn * len(set(written) & WITH_QUERIES) + training * len(set(written) & WITH_TRAINING)
        return create_release(
            collection=collection,
            **asked,
            progress=bars.later("Releasing", total, "queries"),
            stage=bars,
        )

    def _report(self, release: Release, folder: Path, *, is_new: bool, wrote: bool) -> None:
        state = "made now" if is_new else f"made {release.created_at:%Y-%m-%d}, unchanged"
        where = "written to" if wrote else "was already in"
        self.stdout.write(f"Release {release.name} of {release.collection.name} ({state}) {where} {folder}:")
        for path, facts in sorted(release.manifest["files"].items()):
            self.stdout.write(f"  {path:32} {facts['size']:>13,} bytes")
        if is_new and not release.name.startswith(DRAFT_PREFIX) and version_of(release.name) is None:
            self.stdout.write(f"{release.name} isn't MAJOR.MINOR.PATCH, such as 1.0.0, as Croissant advises.")
        left_open = [f"--{field}" for field in FIELDS if not release.manifest["about"].get(field)]
        if is_new and left_open and "croissant" in release.formats:
            self.stdout.write(f"Left open, though venues ask for it (docs/publishing.md): {', '.join(left_open)}.")
        counts = release.manifest["counts"]
        for split in SPLITS:
            self.stdout.write(f"{split}: {_in_words(counts[split])}.")
        if release.manifest["adjudication"]["included"]:
            adjudicated = sum(release.manifest["adjudication"]["pairs"].values())
            graded = counted(adjudicated, "discarded pair has", "discarded pairs have")
            self.stdout.write(f"{graded} the lead's grade: see adjudicated.csv.")
        left_out = release.manifest.get("leakage", {}).get("left_out")
        if left_out:
            near = counted(left_out, "pseudo-training query is", "pseudo-training queries are")
            self.stdout.write(f"{near} left out, too near to a val or test query: see leakage.csv.")
        self.stdout.write(
            f"training: {counted(counts['training']['queries'], 'query', 'queries')}; "
            f"{counted(counts['videos']['all'], 'video')}; {counted(counts['workers'], 'worker')}."
        )


def _in_words(counts: dict[str, Any]) -> str:
    words = (
        f"{counts['queries']:,} of {counted(counts['queries_drawn'], 'query', 'queries')}, "
        f"{counted(counts['pairs'], 'pair')} with a grade, {counts['pairs_discarded']:,} discarded, "
        f"{counted(counts['judgments'], 'judgment')}"
    )
    if counts["pairs_withdrawn"]:
        words += f"; {counted(counts['pairs_withdrawn'], 'was', 'were')} withdrawn by the lead"
    if counts["pairs_undecided"]:
        words += f"; {counted(counts['pairs_undecided'], 'pair is', 'pairs are')} not decided yet and left out"
    return words
