"""Judging in one's own places, blind as in the browser: a sentence and a clip at a time."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from .downloads import fetch
from .operations import CollectionCalls
from .problems import QreelsError
from .schemas import TaskOut, Tasks


class Judging:
    """Somebody's judging in a collection, with a token of the scope `judge`.

    for task in home.judging():
        judging.grade(task, 3, played=1.0)
    """

    def __init__(self, collection: CollectionCalls) -> None:
        self._collection = collection
        self._hand: list[TaskOut] = []
        self._newest: str | None = None
        self._answered = False
        self.empty = ""
        """Why there is nothing to judge; empty: there is."""
        self.message = ""
        """What the site says of the last judgment, where it says something."""

    def next(self) -> TaskOut | None:
        """The pair to judge now: the same one until it is graded or flagged. None: there is none, `empty` says why."""
        if not self._hand:
            # The same places again, if it has to be sent again.
            tasks = self._collection.request(
                "POST", f"{self._collection.path}/judging/next", body={"ahead": 8}, again=True
            )
            self._take(tasks)
        return self._hand[0] if self._hand else None

    def __iter__(self) -> Iterator[TaskOut]:
        """Each pair once it is its turn, until there are none. Raises: QreelsError for one that wasn't judged."""
        while (task := self.next()) is not None:
            self._answered = False
            yield task
            if not self._answered:
                raise QreelsError(f"The pair {task['pair']} was neither graded nor flagged, so it would come again.")

    def grade(
        self,
        task: TaskOut,
        grade: int,
        *,
        played: float | None = None,
        active_ms: float | None = None,
        span: tuple[float, float] | None = None,
        used: list[Literal["context", "sound", "subtitles"]] | None = None,
        factors: dict[str, int | None] | None = None,
    ) -> None:
        """Judge a pair. However often it has to be sent, it is one judgment.

        Args:
            grade: of the collection's scale; played: the share of its clip that was seen, 0 to 1; active_ms: work on
                it, in milliseconds.
            span: start and end of what fits, in seconds of the clip, where the collection has them marked.
            used: what was used beside the picture, where the collection has it; None: it isn't said.
            factors: answers to the collection's factors by key, where it asks for them; an answer of None: can't say.
        """
        key = str(uuid.uuid4())
        tasks = self._collection.grade_a_pair(
            pair=task["pair"],
            grade=grade,
            key=key,
            played=played,
            active_ms=active_ms,
            span=span,
            used=used,
            factors=factors,
        )
        self._newest = key
        self._take(tasks)

    def undo(self) -> TaskOut | None:
        """Take back the last judgment. Returns its pair, which is to be judged again."""
        self._take(self._collection.undo_a_judgment(key=self._newest))
        self._newest = None
        return self.next()

    def flag(self, task: TaskOut, kind: str, note: str = "") -> None:
        """Hold a pair for the lead: its clip or its sentence is broken."""
        self._take(self._collection.flag_a_pair(pair=task["pair"], kind=kind, note=note))

    def clip(self, task: TaskOut, to: Path | str) -> Path | None:
        """Fetch a pair's clip to a file. None: it has none, it is judged by its sentence alone."""
        return fetch(self._collection._sender, task["clip"], Path(to)) if task["clip"] else None

    def _take(self, tasks: Tasks) -> None:
        self._answered = True
        self._hand, self.empty, self.message = list(tasks["tasks"]), tasks["empty"], tasks["message"]
