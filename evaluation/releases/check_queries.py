"""Check the queries of a release's JSON files and their moments, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .check_figures import SplitCount
from .claims import Claims
from .spilled import Spilled
from .untrusted_files import PairFields, facts_of

QUERY_FIELDS = {"query_id", "query", "relevant_moment"}
LANGUAGE = "language"
"""A field more, of val and test queries in a release of several languages."""
TRAINING_FIELDS = {"video_name", "timestamp", "duration", "caption", "similarity"}
GRADED_FIELDS = TRAINING_FIELDS | {"pair_id", "relevance"}


class QueryChecks:
    """The rules for each query.

    Args: durations: video -> seconds, as video_corpus.json has them. languages: those that the manifest states.
    """

    def __init__(self, claims: Claims, durations: Mapping[str, Any], languages: Sequence[str]) -> None:
        self._claims = claims
        self._durations = durations
        self._languages = languages

    def is_query(self, file: str, query: dict[str, Any], earlier: Mapping[str, str] | Spilled) -> bool:
        """Whether it is one, and none of its id came earlier."""
        if set(query) - {LANGUAGE} != QUERY_FIELDS:
            self._tell(f"{file}: found a query with the fields {sorted(query)}, expected {sorted(QUERY_FIELDS)}")
            return False
        query_id = query["query_id"]
        if isinstance(query_id, bool) or not isinstance(query_id, int | str):
            self._tell(f"{file}: found query_id {query_id!r}, expected a number or a text")
        elif str(query_id) in earlier:
            self._claims.tell("splits", f"{file}: query {query_id} is in {earlier[str(query_id)]} already")
        elif not isinstance(query["query"], str) or not query["query"]:
            self._tell(f"{file}, query {query_id}: found no text")
        elif LANGUAGE in query and query[LANGUAGE] not in self._languages:
            found = f"found the language {query[LANGUAGE]!r}, expected one of manifest.json: {self._languages}"
            self._tell(f"{file}, query {query_id}: {found}")
        elif not isinstance(query["relevant_moment"], list) or not query["relevant_moment"]:
            self._tell(f"{file}, query {query_id}: found no moments")
        else:
            return True
        return False

    def check_moments(
        self,
        place: str,
        query: dict[str, Any],
        count: SplitCount,
        check_pair: Callable[[str, dict[str, Any], PairFields], None] | None = None,
    ) -> None:
        """Check a query's moments and count them. Args: check_pair: of graded ones, what else is asked of each."""
        fields = TRAINING_FIELDS if check_pair is None else GRADED_FIELDS
        count.listed += len(query["relevant_moment"])
        moments = set()
        similarities = []
        for rank, moment in enumerate(query["relevant_moment"]):
            if not isinstance(moment, dict) or set(moment) != fields:
                found = sorted(moment) if isinstance(moment, dict) else repr(moment)
                self._tell(f"{place}: found a moment with the fields {found}, expected {sorted(fields)}")
                continue
            try:
                facts = facts_of(query, moment)
                count.add_moment(facts, rank, moment.get("relevance"))
            except ValueError as error:
                self._tell(f"{place}: found {error}")
                continue
            if (facts.video_name, facts.timestamp) in moments:
                self._tell(f"{place}: {facts.video_name} {list(facts.timestamp)} is there twice")
            moments.add((facts.video_name, facts.timestamp))
            similarities.append(facts.similarity)
            self._check_video(place, facts)
            if check_pair is not None:
                check_pair(place, moment, facts)
            elif None in (facts.caption, facts.similarity):
                self._tell(f"{place}: {facts.video_name} {list(facts.timestamp)} lacks its caption or similarity")
        # Where a moment has no similarity, the pool wasn't ranked by it.
        known = [similarity for similarity in similarities if similarity is not None]
        if len(known) == len(similarities) and any(before < after for before, after in pairwise(known)):
            self._tell(f"{place}: its moments are not in the order of similarity")

    def _check_video(self, place: str, facts: PairFields) -> None:
        if facts.video_name not in self._durations:
            self._tell(f"{place}: {facts.video_name} is not in video_corpus.json")
        elif facts.duration != self._durations[facts.video_name]:
            stated = self._durations[facts.video_name]
            self._tell(f"{place}: {facts.video_name} lasts {facts.duration} s, but {stated} s in video_corpus.json")

    def _tell(self, problem: str) -> None:
        self._claims.tell("moments", problem)
