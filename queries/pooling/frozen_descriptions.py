"""Block edits to descriptions that queries or candidates use; drop the captions of other reworded ones."""

from collections.abc import Sequence

from django.utils.translation import ngettext

from corpus.description_import.change_hooks import DescriptionsChanged
from foundation.infra.storage import delete_at_commit
from foundation.models import Collection
from queries.models import Attempt, Candidate, Caption, Decision, Query
from queries.pooling.candidates import mark_pool, training_file


class CaptionKeeper:
    """Keeps the descriptions of drawn queries and fetched candidates unchanged, since judgments depend on them."""

    def held(self, collection: Collection, descriptions: Sequence[int]) -> dict[int, str]:
        candidates = Candidate.objects.filter(caption__description__in=descriptions)
        held = dict.fromkeys(
            candidates.values_list("caption__description", flat=True).distinct(),
            "it is a candidate of a drawn query",
        )
        queries = Query.objects.filter(description__in=descriptions).values_list("description", "split", "position")
        return held | {
            pk: f"it is {split} query {position}" if split else "it is a query of a study"
            for pk, split, position in queries
        }

    def cost(self, descriptions: Sequence[int]) -> list[str]:
        captions = Caption.objects.filter(description__in=descriptions).count()
        decided = Decision.objects.filter(caption__description__in=descriptions, taken_back_at=None).count()
        losses = [
            (captions, ngettext("%(count)s caption", "%(count)s captions", captions)),
            (decided, ngettext("%(count)s decision about a caption", "%(count)s decisions about captions", decided)),
        ]
        return [words % {"count": f"{count:,}"} for count, words in losses if count]

    def changed(self, change: DescriptionsChanged) -> None:
        """Delete the captions of reworded descriptions, so that `rewrite` makes new ones."""
        # Decisions and captions hold their attempts: they go first.
        Decision.objects.filter(caption__description__in=change.reworded).delete()
        Caption.objects.filter(description__in=change.reworded).delete()
        Attempt.objects.filter(description__in=change.reworded).delete()
        # The pseudo-training candidates name captions and moments of before: fetch_candidates makes them anew.
        mark_pool(change.collection, "SELECT NULL::bigint AS caption WHERE false")
        delete_at_commit([training_file(change.collection)])
