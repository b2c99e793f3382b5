"""Build a theatre that somebody tries: a collection of drawn films, open for judging.

It has no people beside its owner: a site that others reach gets no accounts whose password everybody knows.
"""

from annotation.batches.opening import open_annotation
from corpus.clips.cut_clips import cut_clips_of_video, videos_to_cut
from corpus.clips.import_videos import import_videos
from corpus.description_import.import_descriptions import import_descriptions
from demo import build
from demo.plans import THEATRE
from demo.theatre import build_theatre
from demo.trial.models import TheatreBuild
from demo.truth import theatre_item_truth
from foundation.infra.jobs import JobProgress, run_job
from queries.pooling.candidates import fetch_candidates
from queries.pooling.query_selection import select_queries
from queries.rewriting.make_captions import rewrite_by_rules


def run_build(*, build_id: int) -> None:
    """Build what the job asks for (`run_job`). Repeating it goes on where it stopped."""
    run_job(TheatreBuild, build_id, _build)


def _build(job: TheatreBuild, progress: JobProgress) -> None:
    collection, folder, plan = job.collection, build.theatre_folder(), THEATRE
    progress.note(step="draws the films", total=job.videos)
    build_theatre(folder, videos=job.videos, progress=lambda done, total: progress.note(done=done))
    progress.say(f"{job.videos} films are drawn.")
    progress.note(step="imports descriptions and films")
    import_descriptions(collection=collection, path=folder / "descriptions.jsonl", format_name="tvr")
    import_videos(collection=collection, folder=folder / "videos")
    progress.note(step="cuts a clip for every moment")
    for video_id in list(videos_to_cut(collection).values_list("pk", flat=True)):
        cut_clips_of_video(video_id=video_id, after_clip=progress.note)
    progress.say("A clip is cut for every moment.")
    progress.note(step="rewrites descriptions into imprecise captions")
    rewrite_by_rules(collection=collection, description_ids=list(collection.descriptions.values_list("pk", flat=True)))
    progress.note(step="draws queries, fetches candidates, opens judging")
    share = job.videos / plan.videos
    val, test = (max(1, round(queries * share)) for queries in (plan.val, plan.test))
    select_queries(collection=collection, val=val, test=test, seed=plan.seed)
    fetch_candidates(collection=collection)
    open_annotation(collection=collection)
    progress.say("Judging is open.")
    progress.note(step="publishes the guideline with worked examples")
    collection.refresh_from_db()
    if not collection.guideline_version:
        build.publish_guideline_with_examples(collection, theatre_item_truth())
    progress.note(said="The theatre is open for judging. Invite somebody to judge, or yourself with another account.")
