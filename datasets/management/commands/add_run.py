"""`manage.py add_run COLLECTION RELEASE SPLIT FILE...`."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

from django.core.management.base import CommandError, CommandParser

from datasets.leaderboard.run_manifests import manifest_name
from datasets.leaderboard.runs import RunNameTaken, add_run, name_from_file, open_board
from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Run
from datasets.releases.archive import DamagedArchive
from datasets.releases.command import release_named
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from queries.runs.received_run import VIDEOS_HELP


def _opened(path: Path) -> AbstractContextManager[IO[bytes] | None]:
    return path.open("rb") if path.is_file() else nullcontext()


def _indices(path: Path | None) -> AbstractContextManager[IO[bytes] | None]:
    return path.open("rb") if path else nullcontext()


class Command(CollectionCommand):
    help = (
        "Put runs on the leaderboard of a released split and score them, each with the NAME.manifest.json beside it if "
        "there is one. The same file again changes nothing."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE", help="the release's name")
        parser.add_argument("split", metavar="SPLIT", choices=["val", "test"])
        parser.add_argument(
            "files", metavar="FILE", type=Path, nargs="+", help="a run: JSON Lines, .jsonl or .jsonl.gz"
        )
        parser.add_argument("--videos", metavar="FILE", type=Path, help=VIDEOS_HELP)
        parser.add_argument("--name", default="", help="the run's name (default: the file's, without its ending)")
        parser.add_argument("--family", default="", help="what it shares with machine judges, e.g. CLIP")
        parser.add_argument(
            "--same-name",
            default="",
            choices=["replace", "version"],
            help="if another file has this name on the board: replace it, or keep both as versions",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        release = release_named(collection, options["release"])
        if options["name"] and len(options["files"]) > 1:
            raise CommandError("--name is for one file.")
        refused = 0
        try:
            board = open_board(release=release, split=options["split"])
            with self.bar(total=len(options["files"]), unit="runs", title="Scoring") as bar:
                for path in options["files"]:
                    beside = path.with_name(manifest_name(path.name))
                    with path.open("rb") as file, _opened(beside) as manifest, _indices(options["videos"]) as videos:
                        run = add_run(
                            board=board,
                            member=None,
                            file=file,
                            file_name=path.name,
                            name=options["name"] or name_from_file(path.name),
                            same_name=options["same_name"],
                            manifest=manifest,
                            videos=videos,
                            family=options["family"],
                        )
                    score_stored_run(run_id=run.pk)
                    bar.update()
                    refused += self._report(Run.objects.get(pk=run.pk))
        except RunNameTaken as taken:
            raise CommandError(f"{taken} Say --same-name replace or --same-name version.") from taken
        except DamagedArchive as error:
            raise CommandError(f"The release can't be read: {error}.") from error
        except OSError as error:
            raise CommandError(f"{error.filename} can't be read: {error.strerror}.") from error
        if refused:
            raise CommandError(f"Runs refused: {refused} of {len(options['files'])}.")

    def _report(self, run: Run) -> bool:
        if run.state == Run.State.REFUSED:
            self.stderr.write(f"{run}: {run.problem}")
            return True
        self.stdout.write(f"{run}:")
        for measure in run.board.measures:
            value = run.values.get(measure)
            self.stdout.write(f"  {measure:20} {'-' if value is None else format(value, '.4f')}")
        if run.unanswered:
            self.stdout.write(f"  {counted(run.unanswered, 'query', 'queries')} without predictions, counted as 0")
        if run.unknown:
            self.stdout.write(f"  {counted(run.unknown, 'row')} ignored, for queries that aren't in the split")
        return False
