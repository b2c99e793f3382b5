"""What a deleted collection loses of campaigns."""

from django.utils.translation import ngettext_lazy

from campaigns.models import Submission
from foundation.deletion.hooks import Loss
from foundation.models import Collection


def campaigns_lost(collection: Collection) -> list[Loss]:
    """Its campaigns, and the runs that teams sent to them."""
    runs = Submission.objects.filter(team__campaign__collection=collection)
    return [
        Loss(collection.campaigns.count(), ngettext_lazy("%(count)s campaign", "%(count)s campaigns", "number")),
        Loss(runs.count(), ngettext_lazy("%(count)s run of a team", "%(count)s runs of teams", "number")),
    ]
