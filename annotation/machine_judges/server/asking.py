"""A job's requests to a server: each answer is kept before anything follows from it, and none is asked for again."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet

from annotation.machine_judges.judges import MachineGrade, store_judgments
from annotation.machine_judges.server.costs import (
    ABOVE,
    guessed_tokens,
    hold_to_site,
    prices_of,
    spent_by,
)
from annotation.machine_judges.server.declared import Declared
from annotation.machine_judges.server.frames import content_of, digest_of, digest_of_text, pictures_at
from annotation.machine_judges.server.pairs import PairToSee, blocks_of
from annotation.machine_judges.server.prompting import film_part, picture_part
from annotation.machine_judges.server.reading import DECLINED, read_replies
from annotation.machine_judges.server.replies import Ask, as_stored, replies_of, usual_tokens
from annotation.models import MachineJudging, MachineJudgment, MachineReply
from corpus.clips.video_reader import FilmError
from foundation.infra.jobs import JobProgress
from queries.models import Candidate
from queries.rewriting.rewriters.chat import Completion, Declined, GaveUp, Halted
from queries.rewriting.rewriters.in_flight import Flight
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.spending import Spending

PULSE = 0.5
"""Seconds between two looks whether the job was stopped, while no answer comes."""
CLIPS_AT_HAND = 32
"""Clips whose pictures are kept, decoded, for their further queries."""
MOST_IN_A_ROW = 20
"""Requests that are given up or refused, without an answer between, that end the job."""
NO_CLIP = MachineJudgment.Abstained.NO_CLIP.value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request: an answer, a refusal of it (`declined`), a `problem` that may pass, or that there is no
    clip. Nothing of these: it was never sent, since the job ends."""

    ask: Ask
    completion: Completion | None = None
    declined: str = ""
    problem: str = ""
    no_clip: bool = False


@dataclass(slots=True)
class _Pair:
    """A pair whose answers come in: `replies` by key, in the order of its samples."""

    candidate: int
    asks: tuple[Ask, ...]
    replies: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        return len(self.replies) == len(self.asks)


class AskingServer:
    """Has a judge asked about pairs, as many at once as the settings say, within the job's limit.

    Answers that are stored are taken from there: with all of them there, no server, key or setting is needed.
    """

    def __init__(self, job: MachineJudging, declared: Declared, progress: JobProgress, until: float) -> None:
        self.job, self.declared, self.judge = job, declared, job.judge
        self.unanswered: dict[int, str] = {}
        """Candidates whose request was given up, and why."""
        self._progress, self._until = progress, until
        self._waiting: defaultdict[str, list[_Pair]] = defaultdict(list)
        """Pairs by the key of an answer that is under way."""
        self._landed: dict[str, tuple[int, dict[str, Any]]] = {}
        """Answers that have come since a block's were looked up."""
        self._in_a_row = 0
        self._digests: dict[str, str | None] = {}
        self._parts = lru_cache(maxsize=CLIPS_AT_HAND)(self._parts_of)

    def run(self, pairs: QuerySet[Candidate]) -> str | None:
        """Have the judge asked about these pairs, or go on with it.

        Returns: "" when there are no more, why it ended before, or None when the time is over.
        Raises: RewriterError when nobody can be asked at all; JobStopped, when all that was under way is stored.
        """
        asks = self._asks(pairs)
        self._next = next(asks, None)
        if self._next is None:
            return None if self._is_late else ""
        settings = self.declared.settings
        self._chat = self.declared.chat(settings)
        hold_to_site(self.job, settings)
        self._spending: Spending[Ask] = Spending(self.job.limit, spent_by(self.job))
        self._tokens = usual_tokens(self.judge)
        more = True

        def take(flying: int) -> Ask | None:
            nonlocal more
            self._progress.count()
            if self._is_late or self._spending.stopped_because:
                return None
            ask = self._next = self._next or next(asks, None)
            if ask is None:
                more = False
            elif self._spending.set_aside(ask, lambda: self._reserve(ask), flying=flying):
                self._next = None
                return ask
            return None

        flight = Flight(self._send, most=self._chat.patience.concurrency, halted=self._chat.halted, pulse=PULSE)
        flight.run(take, self._land, may_end=lambda: not more or self._is_late or bool(self._spending.stopped_because))
        return None if self._is_late else self._spending.stopped_because

    @property
    def _is_late(self) -> bool:
        return time.monotonic() >= self._until

    def _asks(self, pairs: QuerySet[Candidate]) -> Iterator[Ask]:
        """The requests whose answers aren't stored; pairs that need none are judged on the way."""
        for block in blocks_of(pairs, described=self.declared.reads):
            if self._is_late:
                return
            seen, whole, without = [], [], []
            for row in block:
                digest = self._digest(row)
                if digest is None:
                    without.append(row.candidate)
                else:
                    seen.append(_Pair(row.candidate, self.declared.asks(row, digest)))
            self._landed.clear()
            stored = replies_of(self.judge.collection, [ask.key for pair in seen for ask in pair.asks])
            for pair in seen:
                for ask in pair.asks:
                    known = stored.get(ask.key) or self._landed.get(ask.key)
                    if known is not None:
                        pair.replies[ask.key] = known
                        continue
                    is_new = ask.key not in self._waiting
                    self._waiting[ask.key].append(pair)
                    if is_new:
                        yield ask
                if pair.is_whole:
                    whole.append(pair)
            self._judge(whole, without)

    def _digest(self, row: PairToSee) -> str | None:
        """Of what is shown of a pair; None: there is nothing."""
        file = row.file
        if self.declared.reads:
            return digest_of_text(row.description) if row.description else None
        if file not in self._digests:
            self._digests[file] = digest_of(file) if file else None
        return self._digests[file]

    def _reserve(self, ask: Ask) -> Decimal:
        tokens = self._tokens or guessed_tokens(self.declared, len(ask.query) + len(ask.description))
        return (prices_of(self.job).cost(*tokens, batch_api=False) or Decimal(0)) * ABOVE

    def _send(self, ask: Ask) -> Outcome:
        """Ask, on a thread of its own. Raises: RewriterError when nobody can be asked at all."""
        try:
            clip = self._parts(ask.clip, ask.times)
        except FilmError as problem:
            return Outcome(ask, problem=str(problem), no_clip=True)
        parameters = self.declared.parameters
        try:
            completion = self._chat.complete(
                self.declared.wording.messages(ask.query, clip, ask.description),
                temperature=parameters.temperature,
                seed=parameters.seed + ask.sample,
                longest=parameters.longest,
            )
        except Halted:
            return Outcome(ask)
        except Declined as refused:
            # Another refusal, such as of an account, says nothing of this clip, and what a judge says is for good.
            said = str(refused)
            return Outcome(ask, declined=said) if refused.about_content else Outcome(ask, problem=said)
        except GaveUp as problem:
            return Outcome(ask, problem=str(problem))
        return Outcome(ask, completion)

    def _parts_of(self, file: str, times: tuple[float, ...]) -> list[dict[str, Any]]:
        if self.declared.reads:
            return []
        content = content_of(file)
        if not times:
            return [film_part(content)]
        return [picture_part(jpeg) for jpeg in pictures_at(content, times, self.declared.parameters.pixels)]

    def _land(self, outcomes: Sequence[Outcome]) -> None:
        """Keep answers, then judge the pairs that have all of theirs."""
        rows = {outcome.ask: self._row(outcome) for outcome in outcomes if outcome.completion or outcome.declined}
        MachineReply.objects.bulk_create(rows.values(), ignore_conflicts=True)
        stored = replies_of(self.judge.collection, [row.key for row in rows.values()])
        self._landed |= stored
        whole, without = [], []
        for outcome in outcomes:
            key, row = outcome.ask.key, rows.get(outcome.ask)
            self._spending.pay(outcome.ask, (row and row.cost) or Decimal(0))
            for pair in self._waiting.pop(key, ()):
                if key in stored:
                    pair.replies[key] = stored[key]
                    if pair.is_whole:
                        whole.append(pair)
                elif outcome.no_clip:
                    without.append(pair.candidate)
                elif outcome.problem:
                    self.unanswered[pair.candidate] = outcome.problem
            self._in_a_row = 0 if row is not None or outcome.no_clip else self._in_a_row + bool(outcome.problem)
            if self._in_a_row >= MOST_IN_A_ROW:
                raise RewriterError(f"{outcome.problem} ({MOST_IN_A_ROW} requests one after the other)")
        self._tokens = self._tokens or usual_tokens(self.judge)
        self._judge(whole, without)

    def _row(self, outcome: Outcome) -> MachineReply:
        ask, completion = outcome.ask, outcome.completion
        row = MachineReply(
            collection=self.judge.collection,
            judging=self.job,
            key=ask.key,
            clip=ask.digest,
            frame_times=list(ask.times),
        )
        if completion is None:
            row.reply = {DECLINED: outcome.declined}
            return row
        sent, answered = guessed_tokens(self.declared, len(ask.query) + len(ask.description))
        row.reply, row.served_model = (
            as_stored(completion.answer.model_dump(mode="json", warnings=False)),
            completion.model,
        )
        row.tries = completion.tries
        row.tokens_in = round(sent) if completion.tokens_in is None else completion.tokens_in
        row.tokens_out = round(answered) if completion.tokens_out is None else completion.tokens_out
        row.cost = prices_of(self.job).cost(row.tokens_in, row.tokens_out, batch_api=False)
        return row

    def _judge(self, pairs: Sequence[_Pair], without: Sequence[int]) -> None:
        """Store what the answers about these pairs come to, and that of those `without` there is nothing to show."""
        grades = {candidate: MachineGrade(candidate, abstained=NO_CLIP) for candidate in without}
        wording, least = self.declared.wording, self.declared.parameters.least_mass
        for pair in pairs:
            replies = [pair.replies[ask.key] for ask in pair.asks]
            read = read_replies([reply for _, reply in replies], wording.scale.top, least, wording.scale.step)
            grades[pair.candidate] = MachineGrade(
                pair.candidate, read.grade, read.distribution, read.abstained, replies[0][0]
            )
        self._progress.count(store_judgments(judge=self.judge, rows=grades.values(), judging=self.job))
