"""Build the demo collections with the management commands, in a team's order."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import transaction
from django.db.models import Q
from tqdm import tqdm

from annotation.models import Batch, WorkedItem
from annotation.qualification.exam_sampling import draw_worked_items
from annotation.qualification.guidelines import draft_source, publish_guideline
from config import building
from config.embedded import var_folder
from corpus.clips.cut_clips import videos_to_cut
from corpus.models import Description, Moment
from demo.plans import DemoPlan
from demo.simulated_applicants import WHY
from demo.theatre import build_theatre, video_names, write_programme
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection, CollectionDeletion, Membership

PASSWORD = "paper-theatre"
LEAD = "ada"
ANNOTATORS = ("bo", "cy", "di", "ed", "flo", "gus")


def theatre_folder() -> Path:
    return var_folder() / "theatre"


def step(text: str, *, then: str = "") -> None:
    """Print what is done now, and show it on every page, with what comes `then`."""
    building.tell(text, then=then)
    print(f"\n{text}", flush=True)


def begin(plan: DemoPlan) -> Collection:
    """Create the empty collection and its accounts, so that they can log in as soon as the site answers."""
    collection = get_or_create_collection(name=plan.name, title=plan.title, has_clips=plan.tvr is None)
    make_accounts(collection)
    return collection


def was_deleted(name: str) -> bool:
    """Whether the collection of this name was deleted by its owner, or is being deleted, and none was made since."""
    deletions = CollectionDeletion.objects.filter(name=name)
    if Collection.objects.filter(name=name, archived_at=None).exists():
        return False
    return deletions.filter(Q(rows_gone=True) | Q(state__in=CollectionDeletion.TURN)).exists()


def is_open(plan: DemoPlan) -> bool:
    """Whether pairs are there to be judged; all first batches are opened at once."""
    return Batch.objects.filter(collection__name=plan.name).exists()


def is_complete(plan: DemoPlan) -> bool:
    """Whether nothing is left to do for a theatre: judging is open, every clip is cut, the guideline is published."""
    collection = Collection.objects.filter(name=plan.name).first()
    if collection is None or not is_open(plan) or not collection.guideline_version:
        return False
    return not videos_to_cut(collection).filter(name__in=video_names(plan.videos)).exists()


def describe(plan: DemoPlan) -> Collection:
    """Import the descriptions. A theatre's are known before its films are drawn."""
    step("Importing descriptions", then="imprecise captions, queries and candidates")
    if plan.tvr is not None:
        run("import_descriptions", plan.name, plan.tvr, format="tvr", title=plan.title, without_clips=True)
    else:
        write_programme(theatre_folder(), videos=plan.videos)
        run("import_descriptions", plan.name, theatre_folder() / "descriptions.jsonl", format="tvr", title=plan.title)
    return Collection.objects.get(name=plan.name)


def import_all(plan: DemoPlan) -> Collection:
    """Import descriptions and, for the theatre, videos and clips."""
    if plan.tvr is None:
        step("Drawing the paper theatre")
        with tqdm(desc="Drawing", unit=" videos", total=plan.videos) as bar:
            build_theatre(
                theatre_folder(),
                videos=plan.videos,
                small=plan.small,
                progress=lambda done, total: bar.update(done - bar.n),
            )
    collection = describe(plan)
    if plan.tvr is None:
        run("import_videos", plan.name, theatre_folder() / "videos")
        step("Cutting a clip for every moment")
        run("cut_clips", plan.name)
    return collection


def rewrite(plan: DemoPlan) -> None:
    """Rewrite all descriptions."""
    step("Rewriting descriptions into imprecise captions", then="queries, candidates, and the first pairs to judge")
    run("rewrite", plan.name)


def open_judging(plan: DemoPlan) -> None:
    """Draw queries, fetch candidates, open batches."""
    step("Drawing queries, fetching candidates, opening batches", then="judging, as soon as its clips are there")
    run("select_queries", plan.name, val=plan.val, test=plan.test, seed=plan.seed)
    run("fetch_candidates", plan.name)
    run("open_annotation", plan.name)


def make_accounts(
    collection: Collection, suffix: str = "", *, names: Sequence[str] = ANNOTATORS
) -> tuple[str, list[str]]:
    """Create the demo's lead and annotators. Returns their user names; the password is `PASSWORD`."""
    lead = _account(collection, LEAD + suffix, Membership.Role.OWNER)
    return lead, [_account(collection, name + suffix, Membership.Role.ANNOTATOR) for name in names]


@transaction.atomic
def publish_guideline_with_examples(
    collection: Collection, known: Callable[[Description, Moment], float], *, tell: bool = True
) -> None:
    """Create worked examples and practice from the known truth, and publish the guideline shipped with Qreels.

    All of it or nothing: an interrupted one draws the same examples again.
    """
    if tell:
        step("Publishing the guideline with worked examples")
    leads = collection.memberships.filter(role__in=[Membership.Role.OWNER, Membership.Role.LEAD])
    lead = leads.select_related("collection").order_by("pk")[0]
    for use, queries in ((WorkedItem.Use.EXAMPLE, 2), (WorkedItem.Use.PRACTICE, 2)):
        drawn = draw_worked_items(collection=collection, use=use, seed=7, queries=queries)
        for item in drawn:
            item.grade = round(known(item.description, item.moment))
            item.why = WHY[item.grade]
        WorkedItem.objects.bulk_update(drawn, ["grade", "why"])
    publish_guideline(lead=lead, source=draft_source(collection))


def _account(collection: Collection, username: str, role: str) -> str:
    account = Account.objects.filter(username=username).first()
    if account is None:
        account = Account.objects.create_user(username, password=PASSWORD)
    add_member(collection=collection, account=account, role=role)
    return username


def run(command: str, *arguments: Any, **options: Any) -> None:
    """Run a management command in this process."""
    call_command(command, *(str(argument) for argument in arguments), **options)
