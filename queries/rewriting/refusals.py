"""What rules refuse, since they don't know its language: whole collections at once, descriptions one by one."""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from foundation.models import Collection
from queries.language.spoken import ENGLISH, knows
from queries.models import Attempt, Caption
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.rules import NAME as RULES


def refused_by_rules(collection: Collection) -> QuerySet[Caption]:
    """Captions that wait for a person without a text, since rules don't know the description's language."""
    others = Attempt.objects.filter(description=OuterRef("description")).exclude(rewriter=RULES, text="")
    waiting = Caption.objects.filter(description__collection=collection, status=Caption.Status.REVIEW, text="")
    return waiting.filter(~Exists(others), decisions__isnull=True)


@transaction.atomic
def take_up_refused(collection: Collection, rewriter: str) -> None:
    """Have what rules refused rewritten from the beginning, now that `rewriter` begins.

    Raises: RewriterError for rules where neither the collection nor any of its descriptions is said to be English.
    """
    english = collection.descriptions.filter(language__iregex="^en(-|$)")
    if rewriter == RULES and not knows(ENGLISH, collection.language) and not english.exists():
        raise RewriterError(
            _(
                "Rules rewrite English alone, and this collection's language is %(language)s. Use its descriptions as "
                "they are if they name nobody, or have an LLM rewrite them."
            )
            % {"language": collection.language}
        )
    ids = list(refused_by_rules(collection).values_list("description_id", flat=True))
    Caption.objects.filter(description__in=ids).delete()
    Attempt.objects.filter(description__in=ids).delete()
