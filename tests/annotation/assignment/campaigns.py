"""A campaign simulated over the pure rules: who is given what, as an annotator sees it, and what is true of it."""

import random
from collections import Counter
from dataclasses import dataclass, field

from annotation.assignment.assignment_policy import Asker, OpenBatch, PairFacts, Staffing, order_batches, portion_for
from annotation.assignment.gold import SITTINGS_LOOKED_AT
from annotation.assignment.slipped_in_rule import Look, OfferedGold, dice, due_in, looks_like, noticed
from annotation.consensus import state_of

PAGE = {"second": 20, "begun": 60, "next": 20, "new": 20}


@dataclass
class SimulatedPair:
    pk: int
    rank: int
    grades: dict[int, int] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)
    state: str = "open"

    def free_for(self, person: int, needed: int) -> bool:
        return person not in self.grades and len(self.grades.keys() | self.held) < needed


@dataclass
class SimulatedBatch:
    pk: int
    query: int
    number: int
    hardness: float
    pairs: list[SimulatedPair]
    people: set[int] = field(default_factory=set)
    opened: int = 0
    begun: int = -1
    round: int = 1

    def undecided(self) -> list[SimulatedPair]:
        return [pair for pair in self.pairs if pair.state == ("open" if self.round == 1 else "disputed")]

    def free_for(self, person: int) -> bool:
        return any(pair.free_for(person, 2 * self.round) for pair in self.undecided())

    def facts(self) -> list[PairFacts]:
        needed = 2 * self.round
        return [
            PairFacts(pair.pk, f"pair-{pair.pk}", needed, frozenset(pair.grades), holders=frozenset(pair.held))
            for pair in self.undecided()
        ]


@dataclass(frozen=True)
class Seen:
    """One sitting: what its annotator could notice, and what nobody may conclude from it."""

    annotator: int
    length: int
    earlier_sittings: int
    earlier_pairs: int
    since_last: int
    second_round: bool
    later_batch: bool
    ranks: tuple[int, ...]
    began: int
    gold: bool = False


@dataclass
class Campaign:
    """`people` judge `queries` of 20 pairs a batch; a lead extends half of them, some time after they were decided.

    Each page has at least `ahead` pairs at hand, where there are so many. With a `gold_share`, one finished query in
    `gold_every` becomes gold, all its pairs.
    """

    people: int
    queries: int
    seed: int
    batches: int = 2
    extended: float = 0.48
    disputes: float = 0.18
    review_lag: int = 400
    patience: int = 20_000
    ahead: int = 20
    gold_share: float = 0.0
    gold_every: int = 4
    judgments: int = 0
    seen: list[Seen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.last_pk = 0
        self.open: dict[str, dict[int, SimulatedBatch]] = {kind: {} for kind in PAGE}
        self.reviews: list[tuple[int, SimulatedBatch]] = []
        self.sizes: list[int] = []
        self.met: dict[int, Counter[int]] = {person: Counter() for person in range(self.people)}
        self.history: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.at_hand: dict[int, list[tuple[SimulatedBatch, SimulatedPair]]] = {p: [] for p in range(self.people)}
        self.gold: dict[int, list[SimulatedPair]] = {}
        self.looks: dict[int, list[Look]] = {person: [] for person in range(self.people)}
        self.had: dict[int, set[int]] = {person: set() for person in range(self.people)}
        for query in range(1, self.queries + 1):
            self._open(query, 1, self.dice.betavariate(2, 2 / self.disputes - 2))

    def _open(self, query: int, number: int, hardness: float) -> None:
        self.last_pk += 1
        first = (number - 1) * 20
        pairs = [SimulatedPair(self.last_pk * 100 + rank, first + rank) for rank in range(1, 21)]
        batch = SimulatedBatch(self.last_pk, query, number, hardness, pairs, opened=self.judgments)
        self.open["next" if number > 1 else "new"][batch.pk] = batch

    def run(self) -> "Campaign":
        """Everybody judges in turns of random length until all is decided."""
        idle = 0
        while idle < 50 * self.people:
            self._review()
            person, idle = self.dice.randrange(self.people), idle + 1
            for _ in range(self.dice.randrange(1, 12)):
                while len(self.at_hand[person]) < self.ahead and self._sit_down(person):
                    pass
                if not self.at_hand[person]:
                    break
                self._judge(person, *self.at_hand[person].pop(0))
                idle = 0
        return self

    def _review(self) -> None:
        while self.reviews and (self.reviews[0][0] <= self.judgments or not any(self.open.values())):
            _, batch = self.reviews.pop(0)
            if batch.number < self.batches and self.dice.random() < self.extended:
                self._open(batch.query, batch.number + 1, batch.hardness)
            elif batch.query % self.gold_every == 0:
                self.gold[batch.query] = batch.pairs

    def _sit_down(self, person: int) -> bool:
        asker = Asker(person, met=self.met[person], team=Staffing(self.people, person, self.batches))
        page: dict[int, tuple[str, SimulatedBatch]] = {}
        sits = {batch.pk for batch, _ in self.at_hand[person]}
        for kind, most in PAGE.items():
            free = (b for b in self.open[kind].values() if b.pk not in sits and b.free_for(person))
            page |= {batch.pk: (kind, batch) for batch, _ in zip(free, range(most), strict=False)}
        offered = [
            OpenBatch(
                pk,
                second_round=batch.round == 2,
                begun=batch.begun >= 0,
                people=frozenset(batch.people),
                query=batch.query,
                number=batch.number,
                visits=self.history.get((person, batch.query), (0, 0, 0))[0],
                waited=self.judgments - max(batch.begun, batch.opened if batch.number > 1 else self.judgments)
                > self.patience,
            )
            for pk, (_, batch) in page.items()
        ]
        for best in order_batches(asker, offered)[:1]:
            kind, batch = page[best.pk]
            chosen = portion_for(
                person,
                batch.facts(),
                in_batch=len(batch.pairs),
                second_round=batch.round == 2,
                sizes=self.sizes[-50:],
                lot=(batch.pk, self.judgments),
            )
            by_pk = {pair.pk: pair for pair in batch.pairs}
            self._slip_in(person, batch.pk, len(chosen))
            self._note(person, batch, kind, [by_pk[pair.pk] for pair in chosen])
            return True
        return False

    def _slip_in(self, person: int, before: int, pairs: int) -> None:
        """As `gold.due_gold` does it."""
        looks = self.looks[person][-SITTINGS_LOOKED_AT:]
        if not self.gold_share or not looks:
            return
        mean = sum(look.size for look in looks) / len(looks)
        for turn in range(due_in(self.gold_share / mean, pairs, dice(person, before, self.judgments))):
            offered = [
                OfferedGold(pair.pk, pair.pk, f"pair-{pair.pk}", query, *self._noticed(person, query))
                for query, gold in self.gold.items()
                for pair in gold
                if person not in pair.grades and pair.pk not in self.had[person]
            ]
            lot = (person, before, self.judgments, turn)
            chosen = looks_like(offered, looks[int(dice(lot, "looks") * len(looks))], lot=lot)
            if chosen:
                self.had[person] |= {gold.pk for gold in chosen}
                self._see(person, chosen[0].query, ranks=(), length=len(chosen), gold=True)

    def _note(self, person: int, batch: SimulatedBatch, kind: str, pairs: list[SimulatedPair]) -> None:
        if batch.begun < 0:
            batch.begun = self.judgments
            del self.open[kind][batch.pk]
            self.open["begun"][batch.pk] = batch
        for other in batch.people - {person}:
            self.met[person][other] += 1
            self.met[other][person] += 1
        batch.people.add(person)
        for pair in pairs:
            pair.held.add(person)
        self.at_hand[person] += [(batch, pair) for pair in pairs]
        self.looks[person].append(Look(len(pairs), *self._noticed(person, batch.query)))
        self._see(
            person,
            batch.query,
            ranks=tuple(pair.rank for pair in pairs),
            length=len(pairs),
            second_round=batch.round == 2,
            later_batch=batch.number > 1,
        )

    def _noticed(self, person: int, query: int) -> tuple[int, int]:
        """Each judgment of the campaign takes a minute."""
        sittings, _, last = self.history.get((person, query), (0, 0, 0))
        return noticed(sittings, 60.0 * (self.judgments - last) if sittings else None)

    def _see(
        self,
        person: int,
        query: int,
        *,
        ranks: tuple[int, ...],
        length: int,
        second_round: bool = False,
        later_batch: bool = False,
        gold: bool = False,
    ) -> None:
        sittings, before, last = self.history.get((person, query), (0, 0, 0))
        self.seen.append(
            Seen(
                annotator=person,
                length=length,
                earlier_sittings=sittings,
                earlier_pairs=before,
                since_last=self.judgments - last if sittings else 0,
                second_round=second_round,
                later_batch=later_batch,
                ranks=ranks,
                began=self.judgments,
                gold=gold,
            )
        )
        self.history[person, query] = (sittings + 1, before + length, self.judgments)

    def _judge(self, person: int, batch: SimulatedBatch, pair: SimulatedPair) -> None:
        self.judgments += 1
        pair.held.discard(person)
        # Two grades far apart with the query's own probability; the third and fourth settle it.
        far = len(pair.grades) == 1 and self.dice.random() < batch.hardness
        pair.grades[person] = 4 if far else 0 if len(pair.grades) < 2 else 2
        pair.state = state_of(list(pair.grades.values()))[0]
        if batch.undecided():
            return
        if batch.round == 1 and any(pair.state == "disputed" for pair in batch.pairs):
            batch.round = 2
            self.sizes.append(len(batch.undecided()))
            del self.open["begun"][batch.pk]
            self.open["second"][batch.pk] = batch
        else:
            self.open["begun"].pop(batch.pk, None)
            self.open["second"].pop(batch.pk, None)
            self.reviews.append((self.judgments + self.dice.randrange(2 * self.review_lag), batch))
            self.reviews.sort(key=lambda review: review[0])
