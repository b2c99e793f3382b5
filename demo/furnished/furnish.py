"""Build the finished collection beside the theatre, step by step; a step that is done is left alone."""

from datetime import UTC, datetime
from pathlib import Path

from django.db import transaction

from annotation.models import Batch, Notice
from annotation.settings.services import configure
from datasets.models import Run
from demo.build import LEAD, run, step
from demo.furnished.campaign import first_wave, second_wave, working_days
from demo.furnished.material import copy_material
from demo.furnished.releasing import make_release, score_runs
from demo.truth import ItemTruth
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership

NAME, TITLE = "finished", "Paper theatre, finished"
VAL, TEST, SEED = 8, 16, 23
FIRST, SECOND = "v1", "v2"
RUNS = 3


def is_furnished() -> bool:
    """Whether its last step is done: the runs are scored."""
    scored = Run.objects.filter(board__release__collection__name=NAME, state=Run.State.SCORED)
    return scored.count() >= RUNS


def furnish(theatre: Collection, folder: Path, known: ItemTruth) -> Collection:
    """The collection, made or finished.

    Args: theatre: whose films, captions and clips it shares, complete; folder: the films; known: what is true of them.
    """
    step("Preparing a second collection that is judged already", then="its releases and its leaderboard")
    if not Batch.objects.filter(collection__name=NAME).exists():
        copy_material(theatre, folder, name=NAME, title=TITLE)
        run("select_queries", NAME, val=VAL, test=TEST, seed=SEED, verbosity=0)
        run("fetch_candidates", NAME, verbosity=0)
    collection = Collection.objects.get(name=NAME)
    live(collection, known, now=datetime.now(UTC))
    return collection


def live(collection: Collection, known: ItemTruth, *, now: datetime) -> None:
    """All that happened in it, from the first invitation on; it has its queries and candidates.

    The lead belongs to it from the first wave's end on: nobody meets it half made.
    """
    days = working_days(now)
    if not Batch.objects.filter(collection=collection).exists():
        with transaction.atomic():
            collection.pay_per_hour, collection.currency = 15, "EUR"
            collection.save()
            account = Account.objects.get(username=LEAD)
            lead = add_member(collection=collection, account=account, role=Membership.Role.OWNER)
            first_wave(lead, known, days)
    lead = collection.memberships.select_related("collection").get(account__username=LEAD)
    make_release(collection, FIRST)
    if Notice.objects.filter(collection=collection).count() < 2:
        with transaction.atomic():
            second_wave(lead, known, days)
    make_release(collection, SECOND, adjudicated=True)
    score_runs(collection, SECOND)
    if not collection.offers_tryout:
        configure(collection=collection, changes={"offers_tryout": "yes"})
