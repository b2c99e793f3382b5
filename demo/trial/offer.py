"""Try the theatre: the home page of any site offers it to whoever has no collection and may create one."""

from django.db import transaction

from demo.plans import THEATRE
from demo.trial.models import TheatreBuild
from foundation.access.offers import Offer
from foundation.collections.lifecycle import create_collection
from foundation.infra.jobs import ask
from foundation.models import Account, Collection


def begin_trial(account: Account, *, videos: int = THEATRE.videos) -> TheatreBuild:
    """A new collection of the account's own, and the job that fills it.

    Raises: Refused for an account that may not create collections.
    """
    with transaction.atomic():
        collection = create_collection(account=account, name=_free_name(), title=THEATRE.title)
        member = collection.memberships.get(account=account)
        job = TheatreBuild.objects.create(collection=collection, member=member, videos=videos)
    ask(job)
    return job


def _free_name() -> str:
    taken = set(Collection.objects.filter(name__startswith=THEATRE.name).values_list("name", flat=True))
    names = (THEATRE.name, *(f"{THEATRE.name}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


OFFER = Offer(
    name="theatre",
    words="Try the theatre",
    told="A worker draws 40 short films and makes a collection of them, open for judging, within some minutes.",
    begin=begin_trial,
)
