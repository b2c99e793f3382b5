"""Choose a query's next candidates by the collection's recipe, and keep why each was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from corpus.clips.moments_of_runs import make_moments
from corpus.models import Clip, Moment, clip_failed
from evaluation.pooling.recipes import Pick
from queries.models import (
    Candidate,
    CandidateSource,
    Caption,
    PoolPlan,
    PoolRunAnswer,
    Query,
    QueryPool,
    SimilarityRanking,
)
from queries.pooling.candidates import in_use
from queries.pooling.run_plans import hold_pool
from queries.runs.choosing import Chosen, choose
from queries.runs.linking import KnownMoment, Linked, Spans, link
from queries.runs.plans import CheckedRecipe, needs_similarity, recipe_of


@dataclass(frozen=True, slots=True)
class QueryLists:
    """What a query's runs returned, as moments.

    `lists`: moment keys, run by run, best first, each once; a moment that isn't in the corpus yet is -1, -2, ...,
    `linked.new[0]`, `linked.new[1]`, ... Where the recipe has the part `paper`, the first list is the similarity's.
    """

    answers: list[PoolRunAnswer]
    ranking: SimilarityRanking | None
    linked: Linked
    lists: list[list[int]]


@dataclass(frozen=True, slots=True)
class Pooled:
    """What became of a query's pool: candidates added, and how many the recipe may still choose, at most."""

    added: int
    left: int


def lists_of(query: Query, plan: PoolPlan | CheckedRecipe, taken: Mapping[int, int]) -> QueryLists:
    """What the runs returned for a query. Six SQL queries at most.

    Args: taken: moment -> rank, of candidates that are open for judging or judged: links to them stand.
    """
    answers = list(PoolRunAnswer.objects.filter(query=query).order_by("run_id"))
    spans = [
        Spans(
            answer.videos,
            answer.starts,
            answer.ends,
            [moment if moment in taken else None for moment in answer.moments],
            answer.ious,
        )
        for answer in answers
    ]
    linked = link(spans, _known(answers, taken), iou=plan.iou)
    ranking = _ranking(query) if needs_similarity(plan.recipe) else None
    own = [list(ranking.moments)] if ranking is not None else [[]] if needs_similarity(plan.recipe) else []
    lists = [*own, *linked.moments]
    failed = _without_clip(query, lists)
    return QueryLists(
        answers,
        ranking,
        linked,
        [[moment for moment in dict.fromkeys(moments) if moment not in failed] for moments in lists],
    )


def _known(answers: Sequence[PoolRunAnswer], taken: Mapping[int, int]) -> list[KnownMoment]:
    """The moments of these videos that somebody described, and those of the query's own pool; by key."""
    videos = {video for answer in answers for video in answer.videos}
    described = Moment.objects.filter(video__in=videos, descriptions__isnull=False)
    pooled = Moment.objects.filter(pk__in=list(taken))
    rows = described.union(pooled).values_list("pk", "video_id", "start", "end")
    return [KnownMoment(*row) for row in sorted(rows)]


def _without_clip(query: Query, lists: Sequence[Sequence[int]]) -> set[int]:
    """Those of the moments whose clip couldn't be cut: nobody could judge them."""
    if not query.collection.has_clips:
        return set()
    moments = {moment for listed in lists for moment in listed if moment > 0}
    return set(Clip.objects.filter(clip_failed(), moment__in=moments).values_list("moment_id", flat=True))


def _ranking(query: Query) -> SimilarityRanking | None:
    """The query's ranking by similarity; where its candidates were fetched for the paper's recipe they are it, and it
    isn't stored yet."""
    standing = SimilarityRanking.objects.filter(query=query).first()
    if standing is not None:
        return standing
    fetched = Candidate.objects.filter(query=query, source__isnull=True, similarity__isnull=False).order_by("rank")
    rows = list(fetched.values_list("moment_id", "caption_id", "similarity"))
    if not rows:
        return None
    moments, captions, similarities = map(list, zip(*rows, strict=True))
    return SimilarityRanking(
        query=query, ranked_by=query.ranked_by, moments=moments, captions=captions, similarities=similarities
    )


def taken_of(query: Query) -> dict[int, int]:
    """Moment -> rank, of the query's candidates that are open for judging or judged."""
    return dict(in_use(Candidate.objects.filter(query=query)).values_list("moment_id", "rank"))


@transaction.atomic
def pool_query(*, query: Query, plan: PoolPlan, grades: Mapping[int, float | None], adds: bool = True) -> Pooled:
    """Choose the query's next candidates. The caller has locked the query's row.

    What is open for judging or judged stays as it is; what was chosen before and isn't open is chosen anew. Repeating
    it with the same grades changes nothing.

    Args:
        grades: moment -> grade, of judged candidates; None where there is none.
        adds: whether candidates are chosen now; otherwise only what may be left is counted.
    """
    hold_pool(query.collection_id)
    taken = taken_of(query)
    returned = lists_of(query, plan, taken)
    if returned.ranking is not None and returned.ranking.pk is None:
        returned.ranking.save()  # its candidates may go
    collection = query.collection
    chosen = choose(
        recipe_of(plan, collection),
        returned.lists,
        grades,
        taken,
        size=collection.batch_size,
        most=collection.depth,
        lot=f"{collection.name} {query.split} {query.position}",
        adds=adds,
    )
    spans = make_moments([returned.linked.new[-pick.moment - 1] for _, pick in chosen.picks if pick.moment < 0])
    keys = {place: spans[span] for place, span in enumerate(returned.linked.new) if span in spans}
    if adds:
        _store(query, plan, returned, chosen, keys)
    _keep_links(query, returned, keys)
    QueryPool.objects.update_or_create(query=query, defaults={"plan": plan, "left": chosen.left, "stale": False})
    return Pooled(len(chosen.picks), chosen.left)


def _store(query: Query, plan: PoolPlan, returned: QueryLists, chosen: Chosen, keys: Mapping[int, int]) -> None:
    unopened = Candidate.objects.filter(query=query).exclude(pk__in=in_use(Candidate.objects.filter(query=query)))
    rows = [(rank, _key(pick, keys), *_source(returned, pick)) for rank, pick in chosen.picks]
    standing = list(
        unopened.order_by("rank").values_list(
            "rank", "moment_id", "source__run_id", "source__ranker", "source__rank", "source__plan_id"
        )
    )
    if standing == [(*row, plan.pk) for row in rows]:
        return
    unopened.delete()
    captions = _captions(returned, rows)
    candidates = Candidate.objects.bulk_create(
        Candidate(query=query, rank=rank, moment_id=moment, **captions.get(moment, {}) if run is None else {})
        for rank, moment, run, _, _ in rows
    )
    CandidateSource.objects.bulk_create(
        CandidateSource(candidate=candidate, plan=plan, run_id=run, ranker=ranker, rank=at)
        for candidate, (_, _, run, ranker, at) in zip(candidates, rows, strict=True)
    )


def _key(pick: Pick, keys: Mapping[int, int]) -> int:
    return pick.moment if pick.moment > 0 else keys[-pick.moment - 1]


def _source(returned: QueryLists, pick: Pick) -> tuple[int | None, str, int]:
    """(run, ranker, rank): why a moment was chosen, its rank as the run or the ranker had it."""
    before = len(returned.lists) - len(returned.answers)
    if pick.run < before:
        assert returned.ranking is not None
        return None, returned.ranking.ranked_by, returned.ranking.moments.index(pick.moment) + 1
    place = pick.run - before
    return returned.answers[place].run_id, "", returned.linked.moments[place].index(pick.moment) + 1


def _captions(
    returned: QueryLists, rows: Sequence[tuple[int, int, int | None, str, int]]
) -> dict[int, dict[str, object]]:
    """Moment -> caption and similarity, of those that the similarity chose."""
    if returned.ranking is None:
        return {}
    at = {moment: place for place, moment in enumerate(returned.ranking.moments)}
    places = {moment: at[moment] for _, moment, run, _, _ in rows if run is None}
    texts = Caption.objects.in_bulk([returned.ranking.captions[place] for place in places.values()])
    return {
        moment: {
            "caption": texts[returned.ranking.captions[place]],
            "caption_text": texts[returned.ranking.captions[place]].text,
            "similarity": returned.ranking.similarities[place],
        }
        for moment, place in places.items()
        if returned.ranking.captions[place] in texts
    }


def _keep_links(query: Query, returned: QueryLists, keys: Mapping[int, int]) -> None:
    """Keep, of every prediction whose moment is in the pool, which one it is and how much it overlaps it."""
    pooled = set(Candidate.objects.filter(query=query).values_list("moment_id", flat=True))
    changed = []
    for answer, moments, ious in zip(returned.answers, returned.linked.moments, returned.linked.ious, strict=True):
        real = [moment if moment > 0 else keys.get(-moment - 1) for moment in moments]
        own = [moment if moment in pooled else None for moment in real]
        if own != answer.moments:
            answer.moments = own
            answer.ious = [None if moment is None else iou for moment, iou in zip(own, ious, strict=True)]
            changed.append(answer)
    PoolRunAnswer.objects.bulk_update(changed, ["moments", "ious"], batch_size=100)
