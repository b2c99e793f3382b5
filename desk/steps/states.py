"""What the steps of the work follow from, and what is told of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy


class StepState(StrEnum):
    """The state of a step, or of a stage."""

    NOT_BEGUN = "not-begun"
    READY = "ready"
    WORKING = "working"
    NEEDS_YOU = "needs-you"
    DONE = "done"
    OUT_OF_DATE = "out-of-date"

    @property
    def label(self) -> Promise:
        return _LABELS[self]


_LABELS = {
    StepState.NOT_BEGUN: gettext_lazy("not begun"),
    StepState.READY: gettext_lazy("ready"),
    StepState.WORKING: gettext_lazy("working"),
    StepState.NEEDS_YOU: gettext_lazy("needs you"),
    StepState.DONE: gettext_lazy("done"),
    StepState.OUT_OF_DATE: gettext_lazy("out of date"),
}


@dataclass(frozen=True, slots=True)
class JobAtHand:
    """The newest job of a kind: `standing` is under-way, refused, stopped or done; `share` 0-100, `words` how far it is
    or why it ended; `address` is its page."""

    kind: str
    title: str
    name: str
    standing: str
    share: float = 0.0
    words: str = ""
    problem: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class MaterialCounts:
    """Counts of what is judged, from the material alone. `descriptions` are all, `pending` those without a caption;
    `in_review`, `accepted`: captions; `drawn`: queries, of them `topics` written as such and `ranked` with candidates.

    `missing_clips`: of moments that are candidates, once there are any, else of all; `failed_clips` aside. `pool_new`,
    `pool_gone`: captions that came into the candidate pool and left it since the last fetch. `by_runs`: a recipe of
    runs chooses the candidates; `unpooled` queries aren't pooled by the present runs and recipe, `unopened_pairs` are
    chosen and not open. `by_design`: a sampling design says what is judged, and `left_out` queries aren't.
    """

    videos: int = 0
    videos_with_file: int = 0
    moments: int = 0
    clips: int = 0
    missing_clips: int = 0
    failed_clips: int = 0
    descriptions: int = 0
    pending: int = 0
    in_review: int = 0
    accepted: int = 0
    drawn: int = 0
    topics: int = 0
    ranked: int = 0
    pool_new: int = 0
    pool_gone: int = 0
    by_runs: bool = False
    unpooled: int = 0
    unopened_pairs: int = 0
    by_design: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class MaterialTotals(MaterialCounts):
    """What is counted ahead in a large collection: the material, and how far it is judged (`desk.backlog.Backlog`).
    `pool_words`: the `pool_changes` in words. `lacking`: whom the work lacks, in words, for the `short` pairs that are
    open or for what comes."""

    waiting_for_clip: int = 0
    pool_changes: int = 0
    pool_words: str = ""
    opened: int = 0
    pairs_open: int = 0
    pairs_disputed: int = 0
    pairs_decided: int = 0
    judgments: int = 0
    judgments_since_release: int = 0
    lacking: str = ""
    short: int = 0

    @property
    def topics_alone(self) -> bool:
        """Whether there are topics, and no query is a caption."""
        return 0 < self.topics == self.drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """What changes by the second. `annotators`: admitted; `applicants`: have handed in an exam that isn't decided;
    `campaigns`: wait for a decision; `releases`: names, the newest first; `jobs`: the newest of each kind, unless it is
    done."""

    annotators: int = 0
    flagged: int = 0
    questions: int = 0
    applicants: int = 0
    campaigns: int = 0
    releases: Sequence[str] = ()
    jobs: Sequence[JobAtHand] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionState(Now):
    """What the steps follow from. `batches` by state: open, judging, second, decided, finished, extended; `counted` is
    None until a large collection is counted for the first time."""

    has_clips: bool
    is_study: bool
    batches: dict[str, int]
    counted: MaterialTotals | None = None

    @property
    def being_judged(self) -> int:
        """Batches that somebody can judge or is judging."""
        return self.batches["open"] + self.batches["judging"] + self.batches["second"]

    @property
    def reviewed(self) -> int:
        return self.batches["finished"] + self.batches["extended"]


@dataclass(frozen=True, slots=True)
class Need:
    """A task for the lead: how many, in words, the page (URL name) where it is done, and its step's key."""

    kind: str
    count: int
    words: str
    page: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A step as it stands. `page`: its own (URL name); `waiting`: what it waits for or lacks, in words; `action`: the
    next thing to do and the page for it, empty where there is nothing to do; `job`: the one that is under way."""

    key: str
    stage: str
    name: str
    state: StepState
    done: int
    total: int
    page: str
    waiting: str = ""
    action: str = ""
    action_page: str = ""
    job: JobAtHand | None = None

    @property
    def share(self) -> float:
        """Progress in percent, 0-100."""
        return 100 * self.done / self.total if self.total else 0

    @property
    def of_total(self) -> bool:
        """Whether the total says more than what is done does."""
        return self.total > self.done
