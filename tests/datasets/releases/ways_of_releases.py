"""Ways in which a release comes to be, by name."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from annotation.batches.opening import open_annotation
from annotation.batches.pools import make_pool
from annotation.models import Adjudication, Batch, Exam, ExamSitting, Pair
from annotation.review.automatic_review import apply_policy
from annotation.review.decisions import review_batch, take_back_review
from annotation.settings.services import configure
from datasets.judgment_import.import_judgments import import_judgments
from foundation.models import Collection
from queries.models import Attempt, CandidateSearch, Caption, Decision, Draw
from queries.runs.plans import set_plan
from tests.datasets.conftest import World, open_world
from tests.datasets.judgment_files import row, write_raw
from tests.datasets.releases.test_pool_of_runs import add

DECIDED = ("consensus", "discarded")
Way = Callable[[World, Path], None]
WAYS: dict[str, Way] = {}


def way(make: Way) -> Way:
    """A way in which a release comes to be, from a collection with open batches."""
    WAYS[make.__name__.replace("_", " ")] = make
    return make


def finish(world: World, batches: int = 99) -> None:
    waiting = Batch.objects.filter(collection=world.collection, status="decided").order_by("pk")
    for batch in waiting[:batches]:
        review_batch(member=world.members["ada"], batch_id=batch.pk, decision="finish")


def judged(world: World, **settings: object) -> World:
    configure(collection=world.collection, changes={name: str(value) for name, value in settings.items()})
    world = World(Collection.objects.get(pk=world.collection.pk), world.members)
    world.members = {name: type(one).objects.get(pk=one.pk) for name, one in world.members.items()}
    world.judge_all()
    return world


@way
def nobody_has_reviewed_anything_yet(world: World, folder: Path) -> None:
    judged(world)


@way
def the_lead_reviewed_every_batch(world: World, folder: Path) -> None:
    finish(judged(world))


@way
def the_lead_reviewed_one_and_took_another_back(world: World, folder: Path) -> None:
    finish(judged(world), 2)
    batch = Batch.objects.filter(status="finished").order_by("pk")[0]
    take_back_review(member=world.members["ada"], batch_id=batch.pk, review_id=batch.review.pk)


@way
def the_policy_closed_all(world: World, folder: Path) -> None:
    made = judged(world, auto_finish_to=4)
    apply_policy(collection=made.collection, grace=timedelta(0))


@way
def batches_closed_by_themselves(world: World, folder: Path) -> None:
    judged(world, max_batches=1)


@way
def the_lead_extended_one(world: World, folder: Path) -> None:
    made = judged(world)
    made.extend("103")
    made.judge_all()


@way
def only_two_pairs_are_judged(world: World, folder: Path) -> None:
    for rank in (1, 2):
        world.judge(world.pair("103", rank), ("cy", 2), ("di", 3))


@way
def one_person_a_pair(world: World, folder: Path) -> None:
    configure(collection=world.collection, changes={"first_round_people": "1", "second_round_people": "0"})
    member = type(world.members["cy"]).objects.get(pk=world.members["cy"].pk)
    world.members["cy"] = member
    for pair in Pair.objects.filter(batch__collection=world.collection):
        world.judge(pair, ("cy", 3))


@way
def another_scale_rounded_down(world: World, folder: Path) -> None:
    configure(collection=world.collection, changes={"top_grade": "2", "rounding": "down"})
    world.members = {name: type(one).objects.get(pk=one.pk) for name, one in world.members.items()}
    for pair in Pair.objects.filter(batch__collection=world.collection):
        world.judge(pair, ("cy", 1), ("di", 2))


def import_some(world: World, folder: Path) -> None:
    told = {"query_id": "911", "query": "A dog barks at the moon."}
    rows = [row(worker, grade, moment=moment) | told for moment in (0, 1) for worker, grade in (("w91", 1), ("w92", 2))]
    import_judgments(collection=world.collection, path=write_raw(folder / "raw.csv", rows), split="test")
    # None of them is for pseudo-training, for which no candidates are fetched here.
    world.collection.descriptions.filter(attempts__rewriter="import").update(kind="t")


@way
def judgments_came_from_elsewhere(world: World, folder: Path) -> None:
    import_some(world, folder)


@way
def judgments_came_from_elsewhere_and_from_here(world: World, folder: Path) -> None:
    judged(world)
    import_some(world, folder)


@way
def nothing_was_drawn_here(world: World, folder: Path) -> None:
    Draw.objects.all().delete()
    judged(world)


@way
def some_annotators_sat_the_exam(world: World, folder: Path) -> None:
    judged(world)
    exam = Exam.objects.create(collection=world.collection, number=1, seed=1, opened_at=timezone.now())
    for name in ("bo", "cy"):
        ExamSitting.objects.create(exam=exam, applicant=world.members[name], handed_in_at=timezone.now())
    ExamSitting.objects.create(exam=exam, applicant=world.members["di"])


@way
def a_pilot_was_judged_before(world: World, folder: Path) -> None:
    pilot = open_world("pilot")
    pilot.judge(Pair.objects.filter(batch__collection=pilot.collection)[0], ("cy", 2))
    Collection.objects.filter(pk=pilot.collection.pk).update(purpose="pilot", study_of=world.collection)
    Collection.objects.create(name="empty", title="Empty", purpose="pilot", study_of=world.collection)
    judged(world)


@way
def queries_are_topics(world: World, folder: Path) -> None:
    queries = world.collection.queries.filter(split="test")
    for query in list(queries):
        topic = {"description": None, "topic_id": f"T{query.pk}", "narrative": "Long.", "written_by": "The team"}
        queries.filter(pk=query.pk).update(**topic)
    for pair in Pair.objects.filter(batch__collection=world.collection):
        world.judge(pair, ("cy", 1), ("di", 2))


@way
def runs_chose_the_pool(world: World, folder: Path) -> None:
    made = judged(world, max_batches=4)
    add(made, folder, "boat", q102=[("beta", 40, 50), ("gamma", 1, 2)])
    set_plan(collection=made.collection, recipe="depth@2")
    make_pool(collection=made.collection)
    open_annotation(collection=made.collection)
    made.judge_all()


@way
def candidates_were_found_approximately(world: World, folder: Path) -> None:
    judged(world)
    search = CandidateSearch.objects.create(
        **{"collection": world.collection, "encoder": "e", "depth": 6, "sample": 100, "least_recall": 0.9},
        **{"recall": 0.9625, "texts": 12, "probes": 2, "shortlist": 10},
    )
    world.collection.queries.update(search=search, ranked_by="some-encoder@1f")


@way
def descriptions_are_used_as_they_are_in_german(world: World, folder: Path) -> None:
    judged(world, language="de")
    Attempt.objects.update(
        **{"rewriter": "as they are", "model": "", "encoder": "", "tagger": "", "similarity": None, "name_score": 0.0}
    )


@way
def people_decided_on_captions(world: World, folder: Path) -> None:
    judged(world)
    some = list(Caption.objects.order_by("pk"))[:5]
    Caption.objects.filter(pk__in=[one.pk for one in some]).update(
        decided_by=world.members["ada"], decided_at=timezone.now()
    )
    Attempt.objects.filter(pk=some[0].attempt_id).update(rewriter="person", model="w01")
    for one in some[1:4]:
        Decision.objects.create(
            **{"caption": one, "member": world.members["ada"], "kind": "accepted", "bulk": uuid.uuid4()},
            **{"attempt_id": one.attempt_id, "before_id": one.attempt_id},
        )


@way
def an_llm_wrote_captions(world: World, folder: Path) -> None:
    judged(world)
    Attempt.objects.update(rewriter="openai", model="gpt-x", prompt_version="imprecise-v2")


@way
def captions_were_made_elsewhere(world: World, folder: Path) -> None:
    judged(world)
    Attempt.objects.update(rewriter="elsewhere", model="Model M")


@way
def the_lead_graded_what_was_discarded(world: World, folder: Path) -> None:
    made = judged(world)
    for pair in Pair.objects.filter(status="discarded"):
        Adjudication.objects.create(pair=pair, grade=2, reason="Seen.", decided_by=made.members["ada"])


@way
def a_pair_was_withdrawn(world: World, folder: Path) -> None:
    pair = world.pair("103", 1)
    Pair.objects.filter(pk=pair.pk).update(status="withdrawn")
    judged(world)
