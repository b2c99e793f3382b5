"""Pilots and depth studies: drawn outside the splits, judged as any pair is, and counted nowhere."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from annotation.agreement.paper_figure_counts import appendix_of
from annotation.judging.progress import judged_moments
from annotation.models import Batch, Guideline, Judgment, Pair, Study, WorkedItem
from annotation.people.erasure import erase_member
from annotation.people.status import change_standing
from annotation.settings.services import configure
from annotation.studies.selectors import studies_of
from annotation.studies.services import ask_for_study, make_study, put_study_away, start_study
from corpus.clips.moment_hooks import moments_of
from datasets.releases.make_release import create_release
from foundation.collections.lifecycle import archive_collection, change_role, remove_member, unarchive_collection
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from queries.models import Caption, Query
from queries.pooling import study_samples
from queries.pooling.query_selection import select_queries
from queries.pooling.study_samples import candidates_for_study, draw_for_study
from queries.retrieval.embedding_cache import embed
from queries.retrieval.exact_search import Targets, search
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world
from tests.queries.pooling.whole_pool import build_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    """Thirty moments, one of them asked for in test: its three pairs are open."""
    return build_world(candidates=30)


def member_in(study: Study, world: World, name: str) -> Membership:
    return Membership.objects.select_related("collection").get(collection=study.made, worker=world[name].worker)


def judge_all(study: Study, world: World, grades: tuple[int, int] = (2, 3)) -> None:
    bo, cy = member_in(study, world, "bo"), member_in(study, world, "cy")
    for batch in Batch.objects.filter(collection=study.made).order_by("pk"):
        sit(bo, cy)
        for pair in batch.pairs.order_by("pk"):
            for annotator, grade in zip((bo, cy), grades, strict=True):
                judge(annotator, pair, grade, played=1.0)


def test_a_pilot_asks_queries_outside_the_splits_with_their_top_moments(world: World) -> None:
    study = start_study(collection=world.collection, kind="pilot", seed=7)
    assert study.made is not None
    assert (study.state, study.number, study.outside, study.seed) == ("made", 1, True, 7)
    assert (study.made.name, study.made.title) == ("paper-pilot-1", "Pilot 1 of Paper")
    queries = list(study.made.queries.order_by("position"))
    assert [query.split for query in queries] == [""] * 5
    assert not {query.normalised for query in queries} & set(
        world.collection.queries.values_list("normalised", flat=True)
    )
    for query in queries:
        assert [candidate.rank for candidate in query.candidates.order_by("rank")] == list(range(1, 21))
        own = query.candidates.get(rank=1)
        assert (own.similarity, own.moment_id) == (1.0, query.description.moment_id), "its own moment, at 1.0"
    assert {(batch.number, batch.pairs.count()) for batch in Batch.objects.filter(collection=study.made)} == {(1, 20)}
    assert study.made.study_of == world.collection


def test_a_depth_study_has_the_ranked_moments_and_others_at_random_at_their_true_ranks(world: World) -> None:
    captions = draw_for_study(collection=world.collection, queries=2, seed=1).captions
    asked: dict[str, Any] = {"collection": world.collection, "captions": captions, "depth": 6, "at_random": 8}
    drawn = candidates_for_study(**asked, seed=3)
    whole = candidates_for_study(collection=world.collection, captions=captions, depth=30, at_random=0, seed=3)
    for rows, ranking in zip(drawn.candidates, whole.candidates, strict=True):
        assert len(rows) == len({row.moment for row in rows}) == 14, "none of the first six comes again"
        assert rows == [row for row in ranking if row in rows], "each as the whole pool's ranking has it"
        assert rows[:6] == ranking[:6] and [row.rank for row in ranking] == list(range(1, 31))
        assert rows[-1].rank > 14
    assert candidates_for_study(**asked, seed=3) == drawn
    assert candidates_for_study(**asked, seed=4) != drawn
    deeper = candidates_for_study(collection=world.collection, captions=captions, depth=25, at_random=60, seed=3)
    assert [len(rows) for rows in deeper.candidates] == [30, 30], "as many as the pool has"


def test_a_study_searches_piece_by_piece_what_one_search_finds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_samples, "TEXTS_AT_ONCE", 4)
    captions = draw_for_study(collection=world.collection, queries=3, seed=2).captions
    drawn = candidates_for_study(collection=world.collection, captions=captions, depth=30, at_random=0, seed=3)
    pool = build_pool(world.collection)
    vectors = embed(pool.texts)
    asked = vectors[[pool.row_of_key[caption.normalised] for caption in captions]]
    whole = search(asked, Targets.of(vectors, pool.moments_of_text), k=30)
    for place, rows in enumerate(drawn.candidates):
        assert [(row.moment, row.text, row.similarity) for row in rows] == [
            (moment, pool.texts[text], similarity)
            for moment, text, similarity in zip(
                whole.moments[place].tolist(), whole.texts[place].tolist(), whole.similarities[place], strict=True
            )
        ]
        assert [row.caption for row in rows] == [
            pool.caption_of[pool.texts.index(row.text), row.moment] for row in rows
        ]


def test_a_depth_study_is_one_batch_that_its_last_judgment_finishes(world: World) -> None:
    configure(collection=world.collection, changes={"auto_extend_from": "2.5", "repeat_share": "0.1"})
    study = start_study(collection=world.collection, kind="depth", queries=1)
    assert study.made is not None
    assert (study.made.batch_size, study.made.max_batches, study.made.auto_extend_from) == (120, 1, None)
    assert study.made.repeat_share == 0
    judge_all(study, world, (4, 4))
    assert set(Batch.objects.filter(collection=study.made).values_list("status", flat=True)) == {"finished"}
    again = ask_for_study(collection=world.collection, kind="depth", queries=1)
    assert (again.number, again.state) == (2, "queued")


def test_nothing_of_a_study_counts(world: World) -> None:
    before = appendix_of(world.collection)
    study = start_study(collection=world.collection, kind="pilot", queries=2)
    judge_all(study, world)
    assert Judgment.objects.filter(pair__batch__collection=study.made).count() == 80
    assert appendix_of(world.collection) == before
    assert not Judgment.objects.filter(pair__batch__collection=world.collection).exists()
    assert study.made is not None
    with pytest.raises(Refused, match="paper-pilot-1 can't be released: it is a pilot of another collection"):
        create_release(collection=study.made)
    (row,) = studies_of(world.collection)
    assert (row.state, row.pairs, row.graded, row.discarded, row.judgments) == ("judged", 40, 40, 0, 80)
    assert row.agreement is not None and row.agreement.pairs == 40


def test_a_second_request_meets_the_study_that_is_under_way(world: World) -> None:
    first = ask_for_study(collection=world.collection, kind="pilot")
    assert ask_for_study(collection=world.collection, kind="pilot", queries=9) == first
    made = make_study(study_id=first.pk)
    assert make_study(study_id=first.pk).made == made.made, "made once, however often it is asked"
    assert start_study(collection=world.collection, kind="pilot").pk == first.pk
    put_study_away(lead=world["ada"], study_id=first.pk)
    second = start_study(collection=world.collection, kind="pilot")
    assert made.made is not None and second.made is not None
    assert (second.number, second.made.name) == (2, "paper-pilot-2")
    assert not set(made.made.queries.values_list("normalised", flat=True)) & set(
        second.made.queries.values_list("normalised", flat=True)
    ), "nobody judges the same query twice"


def test_where_the_splits_have_taken_nearly_all_captions_it_is_said(world: World) -> None:
    assert draw_for_study(collection=world.collection, queries=29, seed=1).outside
    drawn = draw_for_study(collection=world.collection, queries=30, seed=1)
    assert not drawn.outside
    with pytest.raises(Refused, match="asked for 31 queries, but there are 30 distinct captions"):
        draw_for_study(collection=world.collection, queries=31, seed=1)
    refused = make_study(study_id=ask_for_study(collection=world.collection, kind="pilot", queries=31).pk)
    assert (refused.state, refused.made) == ("refused", None)
    assert refused.problem == "Asked for 31 queries, but there are 30 distinct captions."
    again = start_study(collection=world.collection, kind="pilot", queries=3)
    assert (again.pk, again.number, again.state) == (refused.pk, 1, "made")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "main"}, "found the kind 'main', expected pilot or depth"),
        ({"queries": 0}, "found 0 queries, expected 1 to 200"),
        ({"queries": 201}, "found 201 queries"),
        ({"seed": 2**70}, "expected a whole number of at most 18 digits"),
    ],
    ids=["kind", "none", "too many", "seed"],
)
def test_a_study_that_can_t_be_is_refused(world: World, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        ask_for_study(**{"collection": world.collection, "kind": "pilot", **changes})
    assert not Study.objects.exists()


def test_what_exam_and_practice_ask_is_left_to_them(world: World) -> None:
    for caption in Caption.objects.order_by("pk")[1:25]:
        WorkedItem.objects.create(
            collection=world.collection,
            use="practice",
            description=caption.description,
            query=caption.text,
            moment=caption.description.moment,
        )
    study = start_study(collection=world.collection, kind="pilot")
    free = set(Caption.objects.order_by("pk")[25:].values_list("normalised", flat=True))
    assert study.made is not None
    assert set(study.made.queries.values_list("normalised", flat=True)) == free, "the five that are left"


def test_what_a_study_asks_is_drawn_for_no_split_afterwards(world: World) -> None:
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Query.objects.all().delete()
    study = start_study(collection=world.collection, kind="pilot")
    assert study.made is not None
    with pytest.raises(Refused, match="25 distinct captions that no study asks"):
        select_queries(collection=world.collection, val=0, test=26, seed=1)
    select_queries(collection=world.collection, val=0, test=25, seed=1)
    asked = set(study.made.queries.values_list("normalised", flat=True))
    assert not asked & set(world.collection.queries.values_list("normalised", flat=True))


def test_moments_judged_in_a_study_are_left_as_they_are_and_get_their_clips(world: World) -> None:
    study = start_study(collection=world.collection, kind="pilot", queries=1)
    pair = Pair.objects.filter(batch__collection=study.made).order_by("candidate__rank")[0]
    assert not judged_moments(world.collection).exists()
    bo = member_in(study, world, "bo")
    sit(bo)
    judge(bo, pair, 3, played=1.0)
    assert list(judged_moments(world.collection)) == [pair.candidate.moment]
    shown = {pair.candidate.moment_id for pair in Pair.objects.filter(batch__collection=study.made)}
    assert shown <= set(moments_of("candidates", world.collection).values_list("pk", flat=True))


class TestPeople:
    def test_they_are_those_of_the_collection_under_the_same_worker_ids(self, world: World) -> None:
        Membership.objects.filter(pk=world["di"].pk).update(status="applicant")
        Membership.objects.filter(pk=world["ed"].pk).update(pay_per_hour=21, languages=["de"])
        study = start_study(collection=world.collection, kind="pilot", queries=1)
        places = {member.worker: member for member in Membership.objects.filter(collection=study.made)}
        assert set(places) == {world[name].worker for name in ("ada", "bo", "cy", "ed", "flo")}, "not who trains still"
        assert places[world["ada"].worker].leads
        ed = places[world["ed"].worker]
        assert (ed.account, ed.pay_per_hour, ed.languages) == (world["ed"].account, 21, ["de"])

    def test_who_joins_or_is_barred_or_leads_follows(self, world: World) -> None:
        Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
        study = start_study(collection=world.collection, kind="pilot", queries=1)
        new = add_member(collection=world.collection, account=Account.objects.create(username="gus"), role="annotator")
        assert Membership.objects.get(collection=study.made, worker=new.worker).account == new.account
        change_standing(lead=world["ada"], member_id=world["bo"].pk, step="bar", reason="left")
        assert member_in(study, world, "bo").status == "barred"
        change_role(member=world["ada"], other_id=world["cy"].pk, role="lead")
        assert member_in(study, world, "cy").leads
        remove_member(member=world["ada"], other_id=world["cy"].pk)
        assert not member_in(study, world, "cy").leads
        with pytest.raises(Refused, match="has no members of its own"):
            add_member(collection=study.made, account=Account.objects.get(username="gus"), role="annotator")

    def test_erasing_somebody_reaches_the_studies(self, world: World) -> None:
        study = start_study(collection=world.collection, kind="pilot", queries=1)
        account = world["bo"].account
        assert erase_member(lead=world["ada"], member=world["bo"])
        assert account is not None and not Account.objects.filter(pk=account.pk).exists()
        assert member_in(study, world, "bo").account is None
        elsewhere = build_world(name="second")
        assert elsewhere["cy"].account == world["cy"].account
        assert not erase_member(lead=world["ada"], member=world["cy"]), "cy belongs to another collection"
        assert member_in(study, world, "cy").account is None
        assert Membership.objects.get(pk=elsewhere["cy"].pk).account is not None

    def test_pay_and_guideline_are_the_collection_s(self, world: World) -> None:
        Guideline.objects.create(collection=world.collection, version=1, source="Old.")
        Guideline.objects.create(collection=world.collection, version=2, source="Look closely.", note="More.")
        Collection.objects.filter(pk=world.collection.pk).update(guideline_version=2)
        Membership.objects.filter(pk=world["bo"].pk).update(guideline_confirmed=2)
        study = start_study(collection=world.collection, kind="pilot", queries=1)
        assert study.made is not None
        assert study.made.guideline_version == 2
        assert list(study.made.guidelines.order_by("version").values_list("source", flat=True)) == [
            "Old.",
            "Look closely.",
        ]
        assert member_in(study, world, "bo").guideline_confirmed == 2
        configure(collection=world.collection, changes={"pay_per_hour": "15", "top_grade": "3"})
        study.made.refresh_from_db()
        assert (study.made.pay_per_hour, study.made.top_grade) == (15, 4)


def test_the_archive_takes_the_studies_along_and_brings_back_those_at_work(world: World) -> None:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    away = start_study(collection=world.collection, kind="pilot", queries=1)
    put_study_away(lead=world["ada"], study_id=away.pk)
    at_work = start_study(collection=world.collection, kind="pilot", queries=1)
    archive_collection(member=world["ada"])
    assert not Collection.objects.filter(archived_at=None).exists()
    with pytest.raises(Refused, match="archived"):
        start_study(collection=world.collection, kind="depth")
    unarchive_collection(member=world["ada"])
    assert set(Collection.objects.filter(archived_at=None)) == {world.collection, at_work.made}


def test_commands_that_bring_or_release_something_refuse_a_study(world: World, tmp_path: Any) -> None:
    call_command("start_study", collection="paper", kind="pilot", queries=2)
    for command in (
        ("rewrite", "paper-pilot-1"),
        ("select_queries", "paper-pilot-1", "--val", "1", "--test", "1", "--seed", "1"),
        ("fetch_candidates", "paper-pilot-1"),
        ("export_release", "paper-pilot-1", str(tmp_path / "out")),
        ("configure", "paper-pilot-1", "batch_size=3"),
    ):
        with pytest.raises(CommandError, match="aper-pilot-1"):
            call_command(*command)
    with pytest.raises(ValidationError, match="takes no material"):
        get_or_create_collection(name="paper-pilot-1")
    with pytest.raises(CommandError, match="expected 1 to 200"):
        call_command("start_study", collection="paper", kind="depth", queries=999)


def test_the_command_says_what_it_made(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("start_study", collection="paper", kind="pilot", queries=2, seed=5)
    out = capsys.readouterr().out
    assert "Pilot 1 of paper is open for judging as paper-pilot-1: 2 queries (outside the splits; seed 5)" in out
    assert "40 pairs. Nothing of it counts." in out
    call_command("start_study", collection="paper", kind="pilot", queries=2, seed=6)
    assert "seed 5" in capsys.readouterr().out
    assert Study.objects.count() == 1
    assert Caption.objects.count() == 30, "no material is copied"
