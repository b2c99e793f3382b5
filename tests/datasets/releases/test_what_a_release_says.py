"""What a release says of how it was made is what happened: releases made in twenty ways, each sentence held against
the database, and none of them unaccounted for."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from annotation.models import Adjudication, Batch, ExamSitting, Judgment, Pair
from annotation.scale import scale_of
from datasets.formats import FORMATS
from datasets.formats.procedure import procedure, procedure_in_english, summary
from datasets.releases.make_release import create_release, write_release
from foundation.models import Collection
from queries.models import Attempt, CandidateSearch, Caption, Decision, Draw
from tests.datasets.conftest import World
from tests.datasets.releases.ways_of_releases import DECIDED, WAYS

pytestmark = pytest.mark.django_db(transaction=True)


# --- what each sentence has to be held against ---


class Facts:
    """What the database says, counted one by one."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.batches = list(Batch.objects.filter(collection=collection).select_related("review"))
        self.decided = list(Pair.objects.filter(batch__collection=collection, status__in=DECIDED))
        self.captions = list(
            Caption.objects.filter(description__collection=collection, status="accepted").select_related("attempt")
        )
        self.judgments = list(Judgment.objects.filter(pair__in=self.decided, counted=True))
        self.here = [one for one in self.judgments if one.active_seconds is not None]
        queries = Counter(pair.batch.query_id for pair in self.decided)
        self.least, self.most = min(queries.values()), max(queries.values())

    def closed(self, how: str) -> int:
        found = Counter()
        for batch in self.batches:
            review = getattr(batch, "review", None)
            if batch.status in ("first", "second"):
                found["judging"] += 1
            elif batch.status == "decided":
                found["waiting"] += 1
            else:
                found["alone" if review is None else "policy" if review.decided_by is None else "lead"] += 1
        return found[how]

    def pairs_by(self, people: int) -> int:
        own = Counter(one.pair_id for one in self.judgments)
        return sum(count == people for count in own.values())

    def written_by(self, rewriter: str) -> int:
        return sum(one.attempt.rewriter == rewriter for one in self.captions)

    def with_exam(self) -> int:
        sat = set(ExamSitting.objects.filter(handed_in_at__isnull=False).values_list("applicant", flat=True))
        return len({one.annotator_id for one in self.here} & sat)


def number(text: str) -> int:
    return int(text.replace(",", ""))


def clauses(facts: Facts, listed: str, meanings: dict[str, Callable[[Any], int]]) -> None:
    """Each clause of a list has a meaning, and its number is right; what has none to tell is left out."""
    for clause in re.split(r"; |, (?=\d+ of these)", listed):
        found = [
            (match, count)
            for pattern, count in meanings.items()
            if (match := re.fullmatch(pattern, clause)) is not None
        ]
        assert len(found) == 1, clause
        match, count = found[0]
        assert number(match[1]) == count(match) > 0, clause


REVIEW = {
    r"(\d+) closed by a lead's decision": "lead",
    r"(\d+) closed by the review policy, without a lead": "policy",
    r"(\d+) closed without a review once all pairs were decided": "alone",
    r"(\d+) decided and not reviewed": "waiting",
    r"(\d+) still being judged": "judging",
}
MAKERS = {
    "rules": ("rules",),
    "rewriter-x": ("rules",),
    "people": ("person",),
    "gpt-x": ("openai",),
    "nobody, descriptions as they are": ("as they are",),
    "Model M, outside of Qreels": ("elsewhere",),
    "whoever made the judgments that were imported": ("import",),
}


def hold(sentence: str, facts: Facts) -> None:
    """One sentence of the procedure is true; one that nothing here knows is a fault too."""
    found = re.fullmatch(r"Batches of candidates: (.+)\.", sentence)
    if found:
        clauses(facts, found[1], {words: lambda _, how=how: facts.closed(how) for words, how in REVIEW.items()})
        return
    found = re.fullmatch(r"Judged were: (.+)\.", sentence)
    if found:
        by = r"([\d,]+) pairs? by ([\d,]+) (?:person|people)"
        clauses(facts, found[1], {by: lambda match: facts.pairs_by(number(match[2]))})
        assert sum(map(number, re.findall(r"([\d,]+) pairs?", found[1]))) == len(facts.decided)
        return
    found = re.fullmatch(r"Captions were written by: (.+)\.", sentence)
    if found:
        told = dict(re.findall(r"(?:^|; )(.+?) \(([\d,]+) captions?\)", found[1]))
        assert {who: number(count) for who, count in told.items()} == {
            who: sum(map(facts.written_by, MAKERS[who])) for who in told
        }
        assert sum(map(number, told.values())) == len(facts.captions)
        return
    found = re.fullmatch(r"Accepted were: (.+)\.", sentence)
    if found:
        _hold_accepted(found[1], facts)
        return
    known = [
        (match, truth) for pattern, truth in SENTENCES.items() if (match := re.fullmatch(pattern, sentence)) is not None
    ]
    assert len(known) == 1, f"nothing holds this sentence: {sentence}"
    match, truth = known[0]
    assert truth(facts, match), sentence


def _hold_accepted(listed: str, facts: Facts) -> None:
    listed = listed.replace("none by a person", "") if not any(one.decided_at for one in facts.captions) else listed
    asked = [bool(one.attempt.encoder or one.attempt.tagger) for one in facts.captions]
    by_people = [one.decided_at is not None for one in facts.captions]
    meanings = {
        r"(\d+) by checks alone, in which no name of a person scores above 0.45 and the similarity to the description "
        r"is at least 0.52": lambda _: sum(ask and not person for ask, person in zip(asked, by_people, strict=True)),
        r"(\d+) without a check": lambda _: sum(
            not ask and not person for ask, person in zip(asked, by_people, strict=True)
        ),
        r"(\d+) by people": lambda _: sum(by_people),
        r"(\d+) of these written anew": lambda _: facts.written_by("person"),
        r"(\d+) of these accepted many at once": lambda _: Decision.objects.exclude(bulk=None).count(),
    }
    clauses(facts, listed.strip("; "), meanings)


def rule(facts: Facts, match: re.Match[str]) -> bool:
    own = facts.collection
    return (number(match[1]), number(match[2]), match[3]) == (
        own.first_round_people,
        own.largest_difference,
        own.rounding,
    )


def drawn(facts: Facts) -> int:
    return facts.collection.queries.filter(description__isnull=False).count()


SENTENCES: dict[str, Callable[[Facts, re.Match[str]], bool]] = {
    r"Each query is the caption of a moment's description\.": lambda f, m: drawn(f) == f.collection.queries.count(),
    r"Each other query is the caption of a moment's description\.": lambda f, m: (
        0 < drawn(f) < f.collection.queries.count()
    ),
    r"Descriptions and queries are in: ([a-z, ]+)\.": lambda f, m: (
        m[1] == f.collection.language != "en" or ", " in m[1]
    ),
    r"(\d+) queries of val and (\d+) of test are topics: written as queries, so no moment is their source\.": (
        lambda f, m: (
            [number(m[1]), number(m[2])]
            == [f.collection.queries.filter(split=split, description=None).count() for split in ("val", "test")]
        )
    ),
    r"2 queries for val and 2 for test were drawn at random from distinct captions \(seed 7\)\.": lambda f, m: True,
    r"(\d+) other quer(?:y|ies) came with judgments that were made elsewhere\.": lambda f, m: (
        number(m[1]) == f.collection.queries.count() - 4
    ),
    r"The other (\d+) (?:is|are) for pseudo-training: nobody judged (?:it|them)\.": lambda f, m: number(m[1]) > 0,
    r"A query's candidates are the moments whose captions are most similar to it, at most (\d+)\.": (
        lambda f, m: number(m[1]) == f.collection.batch_size * f.collection.max_batches
    ),
    r"Candidates were chosen from 1 system's ranking by the recipe depth@2, at most 12 a query\.": (
        lambda f, m: f.collection.pool_runs.count() == 1
    ),
    r"(\d+) pairs? (?:is|are) of before, by similarity\.": lambda f, m: (
        number(m[1]) == Pair.objects.filter(batch__collection=f.collection, candidate__source=None).count()
    ),
    r"The queries of val and test came with judgments that were made elsewhere\.": lambda f, m: (
        not Draw.objects.exists()
    ),
    r"A query's candidates are the moments that came with its judgments\.": lambda f, m: not Draw.objects.exists(),
    r"Those of 1 query came with its judgments\.": lambda f, m: f.collection.queries.count() == 5,
    r"(\d+) of each query are decided\.": lambda f, m: number(m[1]) == f.least == f.most,
    r"(\d+) to (\d+) of a query are decided\.": lambda f, m: (number(m[1]), number(m[2])) == (f.least, f.most),
    r"(\d+) quer(?:y|ies) got a second batch\.": lambda f, m: number(m[1]) == sum(b.number == 2 for b in f.batches),
    r"Similarity is that of some-encoder\.": lambda f, m: f.collection.queries.exclude(ranked_by="").exists(),
    r"Candidates of val and test were searched for approximately: for a sample of 100 queries, 96.25 % of the 6 "
    r"moments that the exact search finds were found\.": lambda f, m: CandidateSearch.objects.exists(),
    r"Grades of (\d+) (?:person|people) that differ by at most (\d+) give their mean, rounded (up|down)\.": rule,
    r"Otherwise (\d+) more people are asked, one highest and one lowest grade are dropped, and the rest decide in the "
    r"same way or the pair is discarded\.": lambda f, m: number(m[1]) == f.collection.second_round_people,
    r"Other pairs are discarded\.": lambda f, m: f.collection.second_round_people == 0,
    r"([\d,]+) judgments? (?:was|were) made elsewhere and imported: how is not recorded here\.": (
        lambda f, m: number(m[1]) == len(f.judgments) - len(f.here)
    ),
    r"Annotators here saw one query and one moment at a time: no caption, similarity, rank or other's grade\.": (
        lambda f, m: bool(f.here)
    ),
    r"(\d+) of (\d+) annotators? ha(?:s|ve) an exam on record\.": lambda f, m: (
        (number(m[1]), number(m[2])) == (f.with_exam(), len({one.annotator_id for one in f.here}))
    ),
    r"No annotator has an exam on record\.": lambda f, m: f.with_exam() == 0,
    r"Before, there was 1 pilot, whose judgments don't count\.": lambda f, m: f.collection.studies.count() == 2,
    r"(\d+) discarded pairs? ha(?:s|ve) a lead's own grade\.": lambda f, m: (
        number(m[1]) == Adjudication.objects.count()
    ),
}
MUST_SAY = {
    "the lead reviewed every batch": "closed by a lead's decision",
    "the policy closed all": "closed by the review policy",
    "batches closed by themselves": "closed without a review",
    "nobody has reviewed anything yet": "decided and not reviewed",
    "only two pairs are judged": "still being judged",
    "judgments came from elsewhere and from here": "made elsewhere and imported",
    "judgments came from elsewhere": "Those of 1 query came with its judgments.",
    "nothing was drawn here": "the moments that came with its judgments",
    "some annotators sat the exam": "2 of 4 annotators have an exam",
    "a pilot was judged before": "there was 1 pilot",
    "queries are topics": "0 queries of val and 2 of test are topics",
    "runs chose the pool": "by the recipe depth@2",
    "candidates were found approximately": "searched for approximately",
    "descriptions are used as they are in german": "nobody, descriptions as they are (12 captions)",
    "people decided on captions": "5 by people, 1 of these written anew, 3 of these accepted many at once",
    "an llm wrote captions": "gpt-x (",
    "captions were made elsewhere": "Model M, outside of Qreels (",
    "the lead graded what was discarded": "a lead's own grade",
}
NEVER = (
    "A lead annotator looked",
    "looked at doubtful ones",
    "were seen by a person",
    "judged each pair",
    "Each pair was judged",
    "were judged for every query",
    "without knowing the others",
    "names nobody",
)


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.]) (?=[A-Z0-9])", text.strip())


@pytest.mark.parametrize("name", WAYS)
def test_every_sentence_of_a_release_is_what_happened(name: str, unjudged: World, tmp_path: Path) -> None:
    for place, attempt in enumerate(Attempt.objects.order_by("pk")):
        Attempt.objects.filter(pk=attempt.pk).update(similarity=0.9 - place * 0.0345, name_score=place * 0.041)
    WAYS[name](unjudged, tmp_path)
    formats, adjudicated = list(FORMATS), Adjudication.objects.exists()
    made = create_release(collection=unjudged.collection, name="v1", formats=formats, adjudicated=adjudicated)
    write_release(release=made, folder=tmp_path / "out")
    collection = Collection.objects.get(pk=unjudged.collection.pk)
    facts, manifest = Facts(collection), made.manifest
    with translation.override("en"):
        steps, lede = procedure(manifest), summary(manifest)
    for step in steps:
        for sentence in sentences(step.text):
            hold(sentence, facts)
    whole = procedure_in_english(manifest)
    assert MUST_SAY.get(name, "") in whole
    best = scale_of(collection).word(collection.top_grade, "en")
    assert f"to {collection.top_grade} ({best})" in lede[0] and ("perfect" in lede[0]) == (collection.top_grade == 4)
    assert re.search(rf"^(\d+) annotators? gave {len(facts.judgments)} judgments", lede[1])
    # The files have these sentences, and no others about how it was made.
    for path in ("README.md", "parquet/README.md"):
        assert whole in (tmp_path / "out" / path).read_text(), path
    sheet = (tmp_path / "out" / "datasheet" / "DATASHEET.md").read_text()
    assert all(step.text in sheet for step in steps)
    for path in [*tmp_path.glob("out/**/*.md"), tmp_path / "out" / "croissant" / "croissant.json"]:
        said = path.read_text()
        assert [words for words in NEVER if words in said] == [], path
        if collection.top_grade < 4:
            assert "from 0 to 4" not in said and "0 to 4" not in said, path
    assert manifest["languages"] == ([collection.language] if drawn(facts) == 4 else manifest["languages"])
