"""`manage.py cut_clips COLLECTION`."""

import os
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import F, Q
from django.utils import timezone

from corpus.clips.cut_clips import CuttingPlan, cut_video, videos_to_cut
from corpus.clips.lost_files import let_go_of_lost
from corpus.clips.moment_hooks import moments_of
from corpus.models import Clip, ContextClip, Moment, clip_failed, clip_ready
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.infra.parallel_tasks import spread
from foundation.models import Collection


class Command(CollectionCommand):
    help = "Cut a short looping clip and a poster for every moment that has none. A stopped run resumes."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--candidates", action="store_true", help="only moments that are candidates of a query")
        parser.add_argument("--retry", action="store_true", help="retry failed clips")
        parser.add_argument("--sound", action="store_true", help="with sound, for clips cut in this run")
        parser.add_argument("--gif", action="store_true", help="also a GIF of 3 pictures per second, for leads")
        parser.add_argument(
            "--context",
            type=float,
            metavar="S",
            help="also a clip with S seconds before and after each moment, for leads only",
        )
        parser.add_argument(
            "--again",
            nargs="+",
            metavar="VIDEO",
            help="replace the clips of these videos, except those that have been judged; new clips get new addresses",
        )
        parser.add_argument("--judged-too", action="store_true", help="with --again: replace judged ones as well")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        plan = self._plan(collection, options)
        gone = let_go_of_lost(collection)
        if gone:
            self.stdout.write(f"Cut again, because the storage has lost its file: {counted(gone, 'clip')}.")
        videos = videos_to_cut(collection, plan)
        if options["again"]:
            videos = videos.filter(name__in=options["again"])
        pieces = list(videos.values_list("pk", flat=True))
        cores = len(os.sched_getaffinity(0))
        # Several videos at once are faster than several threads at one; those are for when there are few.
        terms = asdict(plan) | {"threads": 1 if len(pieces) >= cores else 0}
        with self.bar(total=len(pieces), unit="videos", title="Cutting clips") as bar:
            spread(cut_video, pieces, progress=lambda _: bar.update(1), options=terms, threads=cores)
        self._report(collection, plan)

    def _plan(self, collection: Collection, options: dict[str, Any]) -> CuttingPlan:
        context = options["context"]
        if context is not None and not 0 < context <= 600:
            raise CommandError(f"found --context {context:g}, expected more than 0 and at most 600 seconds")
        if options["judged_too"] and not options["again"]:
            raise CommandError("--judged-too needs --again VIDEO: it says that judged clips are replaced as well")
        if options["again"]:
            known = set(collection.videos.filter(name__in=options["again"]).values_list("name", flat=True))
            unknown = [name for name in options["again"] if name not in known]
            if unknown:
                raise CommandError(f"{collection.name} has no video {unknown[0]!r}; nothing was cut")
        if options["candidates"] and not moments_of("candidates", collection).exists():
            raise CommandError(f"{collection.name} has no candidates yet: fetch_candidates comes first")
        return CuttingPlan(
            retry=options["retry"],
            sound=options["sound"],
            gif=options["gif"],
            context=context,
            candidates=options["candidates"],
            again_before=timezone.now().isoformat() if options["again"] else "",
            judged_too=options["judged_too"],
        )

    def _report(self, collection: Collection, plan: CuttingPlan) -> None:
        clips = Clip.objects.filter(moment__video__collection=collection)
        ready, failed = clips.filter(clip_ready()), clips.filter(clip_failed())
        missing = Moment.objects.filter(video__collection=collection, clip__isnull=True).count()
        uncut = f", {counted(missing, 'moment has', 'moments have')} none yet" if missing else ""
        self.stdout.write(f"{counted(ready.count(), 'clip is', 'clips are')} there, {failed.count():,} failed{uncut}.")
        self._list(clips)
        if plan.context is not None:
            contexts = ContextClip.objects.filter(moment__video__collection=collection)
            cut = contexts.filter(clip_ready()).count()
            self.stdout.write(
                f"{counted(cut, 'clip with context is', 'clips with context are')} there, "
                f"{contexts.filter(clip_failed()).count():,} failed."
            )
            self._list(contexts)
        former = ~Q(cut_from="") & ~Q(moment__video__fingerprint="") & ~Q(cut_from=F("moment__video__fingerprint"))
        names = sorted(set(ready.filter(former).values_list("moment__video__name", flat=True)))
        if names:
            shown = ", ".join(names[:10])
            self.stdout.write(
                f"Clips of {counted(len(names), 'video')} show an earlier file than the video has now: {shown}"
                f"{' ...' if len(names) > 10 else ''}. cut_clips --again VIDEO replaces those that haven't been judged."
            )

    def _list(self, rows: Any) -> None:
        for row in rows.exclude(problem="").order_by("pk")[:10]:
            self.stdout.write(f"  {row.problem}")
