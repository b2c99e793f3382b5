"""`manage.py import_videos COLLECTION DIR`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.clips.import_videos import import_videos
from corpus.subtitles.import_subtitles import import_subtitles, read_embedded, subtitle_files
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.refused import Refused


class Command(CollectionCommand):
    help = (
        "Find the file of each video of the collection: NAME.mp4 (or another container), or a folder NAME of numbered "
        "JPEG or PNG pictures, anywhere below a folder."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--fps", type=float, metavar="N", help="pictures per second, for videos that are folders")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        with self.bar(total=None, unit="files", title="Opening videos") as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            try:
                report = import_videos(
                    collection=collection, folder=options["folder"], frame_rate=options["fps"], progress=progress
                )
            except (NotADirectoryError, Refused) as error:
                raise CommandError(str(error)) from error
            files = subtitle_files(options["folder"])
            said = [import_subtitles(collection=collection, files=files)] if files else []
            if collection.counts_subtitles:
                said.append(read_embedded(collection=collection))
        self.stdout.write(f"{counted(report.matched, 'video has its file', 'videos have their file')}.")
        if report.unheard:
            self.stdout.write(f"{report.unheard_in_words}: configure {collection.name} evidence=sound.")
        for subtitles in said:
            self.stdout.write(f"Subtitles: {subtitles.in_words()}.")
            self._list("file", "of subtitles that can't be read", subtitles.problems)
        self._list("video", "without a file", report.without_file)
        self._list("file", "of no video of this collection", report.without_video)
        self._list("video", "with more than one file, none of which was used", report.ambiguous)
        self._list("file", "that can't be read", report.unreadable)
        self._list(
            "video",
            "whose file has another duration than stated",
            [f"{name} (stated {stated:.2f} s, real {real:.2f} s)" for name, stated, real in report.other_duration],
        )
        self._list("video", "whose file has changed since the last import", report.changed)
        if report.old_clips:
            self.stdout.write(
                f"{counted(report.old_clips, 'clip shows', 'clips show')} the earlier files, as before; "
                "cut_clips --again VIDEO replaces those that nobody has judged."
            )

    def _list(self, noun: str, which: str, names: list[str]) -> None:
        if names:
            more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
            self.stdout.write(f"{counted(len(names), noun)} {which}: {', '.join(names[:10])}{more}.")
