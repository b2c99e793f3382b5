"""What annotators say of themselves about content: kinds that they don't want to see, and how old they are."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.batches.missing_clips import home_of
from corpus.content.marks import OLDEST, kinds_of
from foundation.collections.studies import carry_to_studies
from foundation.models import Membership
from foundation.refused import Refused


@transaction.atomic
def choose_content(*, member: Membership, avoids: Collection[str], age: int) -> None:
    """Set what an annotator avoids, and their age in years (0: not said): in the collection and in its studies, from
    wherever they say it. What no longer suits them goes to others. Repeating it changes nothing.

    Raises: Refused for a kind that no video has, or an age that nobody has.
    """
    home = home_of(member.collection)
    if unknown := set(avoids) - {*kinds_of(home), *member.avoids}:
        raise Refused(_("Found %(kind)s, expected a kind of content that videos here have.") % {"kind": min(unknown)})
    if not 0 <= age <= OLDEST:
        raise Refused(_("Found %(age)s, expected years of age up to %(oldest)s.") % {"age": age, "oldest": OLDEST})
    member.avoids, member.age = sorted(avoids), age
    place = home.memberships.get(worker=member.worker)
    place.avoids, place.age = member.avoids, member.age
    place.save(update_fields=["avoids", "age"])
    carry_to_studies(place)
