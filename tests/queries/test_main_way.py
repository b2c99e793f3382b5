"""The room's main way with real models: descriptions rewritten, checked, drawn as queries, candidates fetched."""

import pytest

from annotation.batches.opening import open_annotation
from corpus.models import Description, Moment, Video
from foundation.collections.members import add_member
from foundation.models import Account, CaptionReviewPolicy, Collection, Membership
from foundation.refused import Refused
from foundation.text import normalise
from queries.models import Attempt, Candidate, Caption, Embedding, Query
from queries.pooling.candidates import fetch_candidates
from queries.pooling.query_selection import select_queries, training_descriptions
from queries.review.decisions import decide_caption, edit_caption
from queries.rewriting.make_captions import rewrite_descriptions
from tests.queries.pooling.training_arrays import load_training

SENTENCES = [
    "Rachel is shoving a tie into Chandler's mouth.",
    "Rachel shoves a red tie into a drawer in the bedroom.",
    "Joey opens the door and walks into the apartment.",
    "Ross opens the door and walks into the apartment.",
    "Monica pours a cup of coffee in the kitchen.",
    "Phoebe plays the guitar on the orange couch.",
    "Phoebe plays the guitar on the orange couch.",
    "Chandler reads a newspaper at the kitchen table.",
    "Sheldon sits down in his spot on the couch.",
    "Penny throws a pillow at Leonard on the couch.",
]


@pytest.fixture
def friends(db: None) -> Collection:
    """A collection without clips of ten descriptions, the last one spoken of subtitles only."""
    collection = Collection.objects.create(name="friends", title="Friends", has_clips=False)
    video = Video.objects.create(collection=collection, name="v", duration=100)
    for place, text in enumerate(SENTENCES):
        moment = Moment.objects.create(video=video, start=place, end=place + 1)
        kind = "t" if place == len(SENTENCES) - 1 else "v"
        Description.objects.create(
            collection=collection,
            moment=moment,
            source_id=str(100 + place),
            text=text,
            normalised=normalise(text),
            kind=kind,
        )
    return collection


@pytest.fixture
def lead(friends: Collection) -> Membership:
    return add_member(collection=friends, account=Account.objects.create(username="ada"), role="lead")


def rewrite_all(collection: Collection) -> int:
    ids = list(collection.descriptions.values_list("pk", flat=True))
    return rewrite_descriptions(collection=collection, description_ids=ids)


def accept_all(collection: Collection) -> None:
    Caption.objects.filter(description__collection=collection).exclude(text="").update(status="accepted")


class TestRewriting:
    def test_captions_name_nobody_and_every_attempt_tells_how_it_was_made(self, friends: Collection) -> None:
        assert rewrite_all(friends) == len(SENTENCES)
        for caption in Caption.objects.all():
            for name in ("Rachel", "Chandler", "Joey", "Ross", "Monica", "Phoebe", "Sheldon", "Penny", "Leonard"):
                assert name.lower() not in caption.text.lower()
        first = Attempt.objects.filter(number=1)
        assert first.count() == len(SENTENCES)
        for attempt in first:
            assert (attempt.rewriter, attempt.temperature) == ("rules", 0.0)
            assert attempt.model and attempt.encoder and attempt.tagger and attempt.seed is not None
            assert attempt.similarity is not None and -1 <= attempt.similarity <= 1

    def test_what_fails_is_rewritten_again_otherwise_and_then_seen_by_a_person(self, friends: Collection) -> None:
        friends.similarity_threshold = 1.01
        rewrite_all(friends)
        assert set(Caption.objects.values_list("status", flat=True)) == {"review"}
        again = Attempt.objects.filter(number=2)
        assert again.count() == len(SENTENCES)
        assert set(again.values_list("temperature", flat=True)) == {0.2}
        assert not set(again.values_list("seed", flat=True)) & set(
            Attempt.objects.filter(number=1).values_list("seed", flat=True)
        )

    @pytest.mark.parametrize(
        ("policy", "status"), [(CaptionReviewPolicy.REPROCESSED, "review"), (CaptionReviewPolicy.FAILING, "accepted")]
    )
    def test_a_caption_that_passes_at_the_second_try_goes_where_the_policy_says(
        self, friends: Collection, policy: str, status: str
    ) -> None:
        from queries.rewriting.attempts import caption_status

        friends.review_policy = policy
        tries = [
            Attempt(similarity_passed=False, names_passed=True),
            Attempt(similarity_passed=True, names_passed=True),
        ]
        assert caption_status(friends, tries) == status

    def test_it_goes_on_where_it_stopped_and_does_nothing_twice(self, friends: Collection) -> None:
        ids = list(friends.descriptions.order_by("pk").values_list("pk", flat=True))
        assert rewrite_descriptions(collection=friends, description_ids=ids[:4]) == 4
        assert rewrite_all(friends) == len(SENTENCES) - 4
        before = Attempt.objects.count()
        assert rewrite_all(friends) == 0
        assert Attempt.objects.count() == before

    def test_a_person_decides_once_and_an_edit_is_checked(self, friends: Collection, lead: Membership) -> None:
        rewrite_all(friends)
        caption = Caption.objects.order_by("pk").first()
        assert caption is not None
        Caption.objects.filter(pk=caption.pk).update(status="review")
        edited = edit_caption(caption_id=caption.pk, member_id=lead.pk, text="  Rachel shoves a tie into a mouth. ")
        assert edited.text == "Rachel shoves a tie into a mouth."
        assert (edited.attempt.rewriter, edited.attempt.model) == ("person", lead.worker)
        assert not edited.attempt.names_passed and "Rachel" in edited.attempt.names
        decided = decide_caption(caption_id=caption.pk, member=lead, accept=False, reason="names Rachel")
        assert (decided.status, decided.decided_by, decided.reason) == ("refused", lead, "names Rachel")
        assert decide_caption(caption_id=caption.pk, member=lead, accept=False).reason == "names Rachel"
        with pytest.raises(Refused, match="refused"):
            decide_caption(caption_id=caption.pk, member=lead, accept=True)
        with pytest.raises(Refused, match="refused"):
            edit_caption(caption_id=caption.pk, member_id=lead.pk, text="A woman shoves a tie.")


class TestSelection:
    @pytest.fixture(autouse=True)
    def captioned(self, friends: Collection) -> None:
        rewrite_all(friends)
        accept_all(friends)

    def test_the_same_draw_again_changes_nothing_and_another_is_refused(self, friends: Collection) -> None:
        assert select_queries(collection=friends, val=1, test=2, seed=5).anew
        drawn = list(Query.objects.order_by("split", "position").values_list("pk", "text"))
        assert not select_queries(collection=friends, val=1, test=2, seed=5).anew
        assert list(Query.objects.order_by("split", "position").values_list("pk", "text")) == drawn
        with pytest.raises(Refused, match="seed 5; --redraw"):
            select_queries(collection=friends, val=1, test=2, seed=6)
        assert select_queries(collection=friends, val=2, test=2, seed=6, redraw=True).anew
        assert Query.objects.count() == 4

    def test_a_draw_is_fixed_once_judging_has_begun(self, friends: Collection) -> None:
        select_queries(collection=friends, val=1, test=1, seed=5)
        fetch_candidates(collection=friends)
        open_annotation(collection=friends)
        with pytest.raises(Refused, match="judging has begun"):
            select_queries(collection=friends, val=1, test=2, seed=5, redraw=True)
        assert Query.objects.count() == 2

    def test_more_queries_than_captions_are_refused(self, friends: Collection) -> None:
        with pytest.raises(Refused, match="asked for 100 queries, but there are 7 distinct captions"):
            select_queries(collection=friends, val=50, test=50, seed=1)
        assert not Query.objects.exists()

    def test_training_has_what_is_left_without_any_equal_caption(self, friends: Collection) -> None:
        select_queries(collection=friends, val=2, test=2, seed=3)
        keys = set(Query.objects.values_list("normalised", flat=True))
        expected = {
            caption.description_id
            for caption in Caption.objects.select_related("description")
            if caption.description.kind == "v" and caption.normalised not in keys
        }
        assert set(training_descriptions(friends).values_list("pk", flat=True)) == expected

    def test_queries_are_distinct_captions_of_the_query_kinds(self, friends: Collection) -> None:
        select_queries(collection=friends, val=3, test=4, seed=3)
        assert Query.objects.values("normalised").distinct().count() == 7
        assert not Query.objects.filter(description__kind="t").exists()


class TestCandidates:
    @pytest.fixture(autouse=True)
    def drawn(self, friends: Collection) -> None:
        rewrite_all(friends)
        accept_all(friends)
        select_queries(collection=friends, val=2, test=3, seed=3)

    def test_the_own_moment_is_at_similarity_one_and_ranks_run_from_one(self, friends: Collection) -> None:
        fetch_candidates(collection=friends)
        for query in Query.objects.all():
            rows = list(query.candidates.order_by("rank"))
            assert [row.rank for row in rows] == list(range(1, len(SENTENCES) + 1))
            assert query.description.moment_id in {row.moment_id for row in rows if row.similarity == 1.0}
            order = [(-row.similarity, row.moment_id) for row in rows]
            assert order == sorted(order)

    def test_a_moment_without_an_accepted_caption_is_no_candidate(self, friends: Collection) -> None:
        drawn = set(Query.objects.values_list("normalised", flat=True))
        out = Caption.objects.exclude(normalised__in=drawn).first()
        assert out is not None
        Caption.objects.filter(pk=out.pk).update(status="refused")
        fetch_candidates(collection=friends)
        assert not Candidate.objects.filter(moment=out.description.moment_id).exists()

    def test_repeating_it_changes_nothing_and_encodes_nothing(self, friends: Collection) -> None:
        fetch_candidates(collection=friends)
        rows = list(Candidate.objects.order_by("pk").values())
        encoded = Embedding.objects.count()
        assert fetch_candidates(collection=friends).queries == 0
        assert list(Candidate.objects.order_by("pk").values()) == rows
        assert Embedding.objects.count() == encoded

    def test_the_training_arrays_have_every_description_of_the_query_kinds(self, friends: Collection) -> None:
        fetch_candidates(collection=friends)
        arrays = load_training(friends)
        assert len(arrays.descriptions) == len(SENTENCES) - 1
        assert arrays.moments.shape == arrays.captions.shape == arrays.similarities.shape
        assert (arrays.similarities[:, 0] == 1.0).all()

    def test_without_queries_or_pool_it_says_what_comes_first(self, friends: Collection) -> None:
        Query.objects.all().delete()
        with pytest.raises(Refused, match="draw queries or add topics first"):
            fetch_candidates(collection=friends)
