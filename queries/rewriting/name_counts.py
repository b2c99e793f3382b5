"""Count the persons' names in a collection's descriptions, for the cast list."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from foundation.collections.cast import CastGender, parse_cast
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection, Membership
from queries.checks.run_checks import collection_lexicon
from queries.language.first_names import gender_of
from queries.language.lexicon import Lexicon
from queries.language.mentions import names_person
from queries.language.name_tagger import load_tagger
from queries.language.words import words
from queries.models import NameCount

MOST = 300
"""Names that are kept, the most frequent first."""
BLOCK = 500
_LETTERS: dict[str | None, CastGender] = {"woman": "f", "man": "m"}


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name that descriptions have and the cast hasn't; `gender` as pronouns, titles or first names tell it."""

    name: str
    times: int
    gender: CastGender

    @property
    def line(self) -> str:
        """Its line in a cast list."""
        return f"{self.name}, {self.gender}"


def ask_for_names(*, member: Membership) -> NameCount | None:
    """A count that waits for a worker; the caller sends it. None while one is under way."""
    again = {"state": NameCount.State.QUEUED, "problem": "", "said": "", "due_at": None, "begun": 0, "member": member}
    again |= {"started_at": None, "finished_at": None, "touched_at": None, "done": 0}
    counts = NameCount.objects.filter(collection=member.collection)
    if counts.exclude(state__in=NameCount.TURN).update(**again):
        return counts.get()
    try:
        with transaction.atomic():
            return NameCount.objects.create(collection=member.collection, member=member)
    except IntegrityError:
        return None


@job_task(NameCount)
def run_name_count(job: NameCount, progress: JobProgress) -> None:
    """Count the names."""
    collection, tagger = job.collection, load_tagger()
    progress.note(done=0, total=collection.descriptions.count())
    lexicon = collection_lexicon(collection)
    times: Counter[str] = Counter()
    texts: list[str] = []
    for text in collection.descriptions.order_by("pk").values_list("text", flat=True).iterator():
        texts.append(text)
        if len(texts) == BLOCK:
            times.update(_names(texts, tagger, lexicon, collection.name_threshold))
            progress.count(len(texts))
            texts = []
    times.update(_names(texts, tagger, lexicon, collection.name_threshold))
    job.found = [
        {"name": name, "times": number, "gender": _gender(name, lexicon)} for name, number in times.most_common(MOST)
    ]
    job.said = f"{counted(len(times), 'name')} found."
    job.save(update_fields=["found", "said"])


def _names(texts: list[str], tagger: Any, lexicon: Lexicon, threshold: float) -> list[str]:
    names = []
    for text, spans in zip(texts, tagger.find_names(texts), strict=True):
        sentence = words(text)
        names += [span.text for span in spans if span.score > threshold and names_person(sentence, span, lexicon)]
    return names


def _gender(name: str, lexicon: Lexicon) -> CastGender:
    first = name.split()[0].casefold()
    return _LETTERS.get(lexicon.genders.get(first) or gender_of(first), "?")


def names_missing(collection: Collection, count: NameCount | None) -> list[FoundName]:
    """The names found that no name of the cast list covers, word by word; the most frequent first."""
    if count is None:
        return []
    known = {word.casefold() for member in parse_cast(collection.cast) for word in member.name.split()}
    names = [FoundName(**row) for row in count.found]
    return [found_name for found_name in names if not {word.casefold() for word in found_name.name.split()} <= known]
