"""`manage.py cut_clips COLLECTION`."""

from typing import Any

from django.core.management.base import CommandParser

from corpus.clips import videos_to_cut
from corpus.commanding import CollectionCommand
from corpus.models import Clip
from corpus.spreading import spread
from corpus.tasks import cut_video, recut_video


class Command(CollectionCommand):
    help = "Cut a short looping clip and a poster for every moment that has none. Goes on where it stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--retry", action="store_true", help="try again what failed before")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        videos = list(videos_to_cut(collection, retry=options["retry"]).values_list("pk", flat=True))
        with self.bar(total=len(videos), unit="videos", title="Cutting clips") as bar:
            spread(recut_video if options["retry"] else cut_video, videos, progress=lambda _: bar.update(1))
        clips = Clip.objects.filter(moment__video__collection=collection)
        failed = clips.filter(video_file="")
        self.stdout.write(f"{clips.exclude(video_file='').count():,} clips are there, {failed.count():,} failed.")
        for clip in failed.order_by("pk")[:10]:
            self.stdout.write(f"  {clip.problem}")
