"""`manage.py import_subtitles COLLECTION FILE_OR_DIR`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.description_formats import CHARSETS
from corpus.subtitles.import_subtitles import SubtitleReport, import_subtitles, read_embedded, subtitle_files
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.text import LANGUAGE_TAG


class Command(CollectionCommand):
    help = (
        "Give videos their subtitles: from NAME.srt and NAME.vtt (or NAME.en.srt) anywhere below a folder, from TVR's "
        "JSON Lines, or from the tracks of the videos' own files."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="FILE_OR_DIR", type=Path, nargs="?")
        parser.add_argument("--embedded", action="store_true", help="read the text tracks of the videos' own files")
        parser.add_argument("--language", default="", metavar="TAG", help="of files whose names state none, such as en")
        parser.add_argument("--charset", default="", choices=CHARSETS, help="of all files; default: detected")
        parser.add_argument("--judged-too", action="store_true", help="replace also what annotators have judged by")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path, language = self.collection(options["collection"]), options["path"], options["language"]
        if (path is None) != options["embedded"]:
            raise CommandError("expected either a file or folder of subtitles, or --embedded")
        if language and not LANGUAGE_TAG.match(language):
            raise CommandError(f"found --language {language!r}, expected a tag such as en or pt-BR")
        if path is not None and not path.exists():
            raise CommandError(f"{path} is not there")
        files = {} if path is None else subtitle_files(path)
        if path is not None and not files:
            raise CommandError(f"{path}: found no subtitles, expected .srt, .vtt or TVR's .jsonl")
        with self.bar(total=None, unit="files", title="Reading subtitles") as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            if path is None:
                report = read_embedded(collection=collection, again=True, progress=progress)
            else:
                report = import_subtitles(
                    collection=collection,
                    files=files,
                    charset=options["charset"],
                    language=language,
                    judged_too=options["judged_too"],
                    progress=progress,
                )
        self._tell(report)
        if path is not None and not path.is_dir() and report.problems:
            raise CommandError(report.problems[0])

    def _tell(self, report: SubtitleReport) -> None:
        self.stdout.write(f"{counted(report.videos, 'video has', 'videos have')} subtitles: {report.cues:,} cues.")
        for why, many in report.left_out.items():
            self.stdout.write(f"{counted(many, 'cue is', 'cues are')} left out for {why}.")
        for noun, which, names in (
            ("name", "of no video of this collection", report.without_video),
            ("video", "whose subtitles stay, since judgments were given by them (--judged-too)", report.kept),
        ):
            if names:
                more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
                self.stdout.write(f"{counted(len(names), noun)} {which}: {', '.join(names[:10])}{more}.")
        for problem in report.problems[:10]:
            self.stdout.write(problem)
        if len(report.problems) > 10:
            self.stdout.write(f"... and {len(report.problems) - 10:,} more files")
