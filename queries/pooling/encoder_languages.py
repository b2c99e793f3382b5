"""Whether the encoder knows the language of what it is to rank: if it doesn't, candidates are found all the same."""

from collections import Counter

from django.utils.translation import gettext as _

from foundation.models import Collection
from queries.language.spoken import UNDETERMINED, known_languages, knows, language_of_text
from queries.models import Query

SAMPLE = 200
"""Descriptions, and topics, that are looked at."""
LEAST = 0.05
"""The share of a sample in other languages that is worth a warning."""


def warn_of_languages(collection: Collection) -> str:
    """What a lead should know before candidates are fetched; "" where the encoder knows nearly all texts' languages."""
    known = known_languages("ENCODER_LANGUAGES")
    described = collection.descriptions.filter(kind__in=collection.pool_kinds).order_by()
    topics = Query.objects.filter(collection=collection, description=None).order_by()
    unknown: Counter[str] = Counter()
    shares = []
    for rows in (described, topics):
        texts = list(rows.values_list("text", "language")[:SAMPLE])
        languages = [language_of_text(text, language or collection.language) for text, language in texts]
        others = [language for language in languages if not knows(known, language)]
        unknown.update(others)
        shares.append(len(others) / max(1, len(languages)))
    if max(shares) < LEAST:
        return ""
    tags = [language for language, _count in unknown.most_common()]
    names = [_("plainly not English") if language == UNDETERMINED else language for language in tags]
    return _(
        "The encoder is set up for %(known)s, and %(share)s %% of a sample of the texts here are in other languages"
        " (%(found)s). Candidates of such texts may be no better than chance. Whoever runs this site can set a"
        " multilingual encoder by ENCODER_MODEL and ENCODER_LANGUAGES."
    ) % {"known": ", ".join(known), "share": f"{100 * max(shares):.0f}", "found": ", ".join(names)}
