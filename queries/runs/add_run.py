"""Add a system's run to a collection, whole or not at all, and remove it while nothing of it was judged."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.errors import shown
from evaluation.moments.run import Run
from evaluation.reading.locate_in_run import locate_in_run
from foundation.counted import counted
from foundation.models import Collection, Membership
from foundation.refused import FileRefused
from queries.models import Candidate, PoolRun, PoolRunAnswer, Query, QueryPool
from queries.pooling.candidates import in_use
from queries.pooling.query_columns import query_source_id
from queries.pooling.run_plans import hold_pool
from queries.runs.outside import Misfit, misfits
from queries.runs.received_run import (
    clean_file_name,
    clean_name,
    opened_run,
    read_received,
    sha256_and_size,
    videos_unused,
)

KEPT = 100
"""A query's first predictions that a pool may use; the others of a run count nowhere."""
AT_ONCE = 200
"""Queries that are stored by one statement."""


@dataclass(frozen=True, slots=True)
class AddedRun:
    """A run that is in the collection now; `anew` is False if it was before. `videos_unused`: as the function says."""

    run: PoolRun
    anew: bool
    videos_unused: bool = False

    def in_words(self) -> str:
        """What came of it, in sentences."""
        run = self.run
        if not self.anew:
            return f"{run} is in the collection already, from the same file. Nothing was changed."
        sentences = (
            f"{run} was added: {counted(run.predictions, 'prediction')} for {counted(run.queries, 'query', 'queries')}."
        )
        if run.kept < run.predictions:
            sentences += f" The first {KEPT} of each query are kept, {run.kept:,} in all."
        if self.videos_unused:
            sentences += " The file of the videos' indices wasn't used, since the run names its videos itself."
        return sentences


def names_of(team: str, system: str) -> tuple[str, str]:
    """The names of a team and its system, cleaned (`clean_name`). Raises: FileRefused."""
    names = {"team": clean_name(team), "system": clean_name(system)}
    for field, typed in (("team", team), ("system", system)):
        if not names[field]:
            raise FileRefused(
                _("Found %(name)s, expected a name of 1 to 80 characters without slashes.") % {"name": shown(typed)},
                field=field,
            )
    return names["team"], names["system"]


def add_run(
    *,
    collection: Collection,
    path: Path,
    team: str,
    system: str,
    file_name: str = "",
    member: Membership | None = None,
    progress: Callable[[int], object] = lambda queries: None,
) -> AddedRun:
    """Add a run: read its file, check every prediction, store it, in one transaction.

    The same file under the same names again changes nothing. Queries are named as in releases.

    Args:
        path: the file, in a format that `evaluation.reading` knows, gzipped or not, as `run_with_videos` keeps it.
        file_name: what people call it; empty: the path's name.
        progress: called with the number of queries stored since the last call.

    Raises: FileRefused, with file and line where it is about a line.
    """
    file_name = clean_file_name(file_name or path.name)
    team, system = names_of(team, system)
    if collection.is_study:
        raise FileRefused(_("A study has no pool of its own: add the run to its collection."))
    if collection.archived_at is not None:
        raise FileRefused(_("The collection is archived: restore it first."))
    try:
        with path.open("rb") as file:
            sha256, size = sha256_and_size(file)
    except FileRefused as error:
        raise FileRefused(f"{file_name}: {error}") from error
    except OSError as error:
        raise FileRefused(f"{file_name}: {error.strerror}.") from error
    standing = _standing(collection, team, system, sha256)
    if standing is not None:
        return AddedRun(standing, anew=False)
    read = _read(collection, path, file_name)
    added = _store(collection, path, read, file_name, team, system, sha256, size, member, progress)
    return replace(added, videos_unused=videos_unused(path))


def _standing(collection: Collection, team: str, system: str, sha256: str) -> PoolRun | None:
    """The same run, if it is there. Raises: FileRefused if another has its names, or its file other names."""
    same_file = PoolRun.objects.filter(collection=collection, sha256=sha256).first()
    if same_file is not None:
        if (same_file.team, same_file.system) == (team, system):
            return same_file
        raise FileRefused(_("The same file is in the collection already, as %(run)s.") % {"run": same_file})
    same_names = PoolRun.objects.filter(collection=collection, team=team, system=system).first()
    if same_names is not None:
        raise FileRefused(
            _(
                "There is a run %(run)s already, from another file (%(file)s, SHA-256 %(sha256)s…): "
                "remove it first, or give this system another name."
            )
            % {"run": same_names, "file": same_names.file_name, "sha256": same_names.sha256[:12]},
            field="system",
        )
    return None


def _read(collection: Collection, path: Path, file_name: str) -> Run:
    names = set(collection.videos.values_list("name", flat=True))
    read = read_received(path, file_name=file_name, queries=_known_queries(collection), videos=names)
    if read.ranks_videos:
        raise FileRefused(f"{file_name}: found a ranking of videos, expected moments with times.")
    if not len(read):
        raise FileRefused(f"{file_name}: found no prediction, expected at least one.")
    return read


@transaction.atomic
def _store(
    collection: Collection,
    path: Path,
    read: Run,
    file_name: str,
    team: str,
    system: str,
    sha256: str,
    size: int,
    member: Membership | None,
    progress: Callable[[int], object],
) -> AddedRun:
    hold_pool(collection.pk)
    standing = _standing(collection, team, system, sha256)
    if standing is not None:
        return AddedRun(standing, anew=False)
    queries = _known_queries(collection)
    videos = {name: (pk, lasts) for name, pk, lasts in collection.videos.values_list("name", "pk", "duration")}
    of_queries = f"one of the collection's {len(queries):,} queries by its id in releases"
    wrong = misfits(
        read,
        queries,
        {name: lasts for name, (_pk, lasts) in videos.items()},
        end_slack=collection.end_slack,
        of_queries=of_queries if queries else "queries in the collection: draw or import them first",
        of_videos=f"one of the collection's {len(videos):,} videos",
    )
    _refuse(next(wrong, None), path, file_name)
    keys = np.array([videos[name][0] for name in read.video_names], dtype=np.int64)
    lengths = np.diff(read.offset)
    run = PoolRun.objects.create(
        collection=collection,
        team=team,
        system=system,
        file_name=file_name,
        sha256=sha256,
        size=size,
        member=member,
        queries=int(np.count_nonzero(lengths)),
        predictions=len(read),
        kept=int(np.minimum(lengths, KEPT).sum()),
        videos=0,
    )
    used: set[int] = set()
    block: list[PoolRunAnswer] = []
    for answer in _answers(run, read, queries, keys):
        used.update(answer.videos)
        block.append(answer)
        if len(block) == AT_ONCE:
            PoolRunAnswer.objects.bulk_create(block)
            progress(len(block))
            block = []
    PoolRunAnswer.objects.bulk_create(block)
    progress(len(block))
    run.videos = len(used)
    run.save(update_fields=["videos"])
    QueryPool.objects.filter(query__collection=collection).update(stale=True)
    return AddedRun(run, anew=True)


def _answers(run: PoolRun, read: Run, queries: dict[str, int], videos: np.ndarray) -> Iterator[PoolRunAnswer]:
    for row, query_id in enumerate(read.query_ids):
        places = slice(int(read.offset[row]), min(int(read.offset[row + 1]), int(read.offset[row]) + KEPT))
        number = places.stop - places.start
        if not number:
            continue
        yield PoolRunAnswer(
            run=run,
            query_id=queries[query_id],
            videos=videos[read.video[places]].tolist(),
            starts=read.start[places].tolist(),
            ends=read.end[places].tolist(),
            moments=[None] * number,
            ious=[None] * number,
        )


def _known_queries(collection: Collection) -> dict[str, int]:
    """The collection's queries: id in files -> key."""
    rows = Query.objects.filter(collection=collection).values_list("pk", query_source_id())
    return {str(source_id): pk for pk, source_id in rows}


def _refuse(misfit: Misfit | None, path: Path, file_name: str) -> None:
    """Raises: FileRefused if there is something that doesn't fit, with its place."""
    if misfit is not None:
        with opened_run(path) as (run, _videos):
            place = locate_in_run(run, misfit.query_id, misfit.moment)
        raise FileRefused(f"{file_name}, {place}: found {misfit.found + misfit.more}, expected {misfit.expected}.")


@transaction.atomic
def remove_run(*, run: PoolRun) -> None:
    """Remove a run, with what was pooled for it and isn't opened for judging. Repeating it changes nothing.

    Raises: FileRefused if a moment that it put into the pool is open for judging, or was judged.
    """
    hold_pool(run.collection_id)
    chosen = Candidate.objects.filter(source__run=run)
    judged = in_use(chosen).count()
    if judged:
        raise FileRefused(
            ngettext(
                "%(run)s stays: %(shown)s pair that it put into the pool is open for judging or judged.",
                "%(run)s stays: %(shown)s pairs that it put into the pool are open for judging or judged.",
                judged,
            )
            % {"run": run, "shown": f"{judged:,}"}
        )
    QueryPool.objects.filter(query__collection=run.collection_id).update(stale=True)
    chosen.delete()
    PoolRun.objects.filter(pk=run.pk).delete()
