"""The fields of what is sent and answered, as TypedDicts. `python -m tests.openapi` makes it of docs/openapi.json."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, NotRequired, TypedDict
from uuid import UUID


class AcceptMany(TypedDict):
    """Which captions in review are accepted at once."""

    similarity: float
    """At least so similar to their descriptions."""
    failing_too: NotRequired[bool]
    """Also those that fail another check."""


class Accepted(TypedDict):
    """How many were accepted."""

    accepted: int


class AccountChange(TypedDict):
    """What is to change of an account."""

    change: Literal["allow", "disallow", "own", "disown", "factor", "disable", "enable"]
    """allow, disallow: to create collections; own, disown: the site; factor: take the second factor away; disable,
    enable: logging in.
    """
    sure: NotRequired[bool]
    """Needed for factor."""


class AccountOut(TypedDict):
    """An account of the site."""

    account: int
    name: str
    email: str
    active: bool
    owns_site: bool
    may_create_collections: bool
    second_factor: bool
    collections: int
    """In how many it has a place."""
    joined_at: str
    last_login: str | None


class AddedOut(TypedDict):
    """How many pairs are gold now that weren't."""

    added: int


class AdjudicationOut(TypedDict):
    """An adjudication."""

    adjudication: int
    grade: int
    reason: str
    decided_at: str
    withdrawn_at: str | None


class Again(TypedDict):
    """Which event is sent again."""

    event: NotRequired[int | None]
    """Null: all that were given up."""


class AgreementOut(TypedDict):
    """How far grades agree; null before there are two people's."""

    kappa: float | None
    weighted: float | None
    alpha: float | None


class Ahead(TypedDict):
    """How many items are wanted."""

    ahead: NotRequired[int]


class Alert(TypedDict):
    """Something about a person that is worth a look."""

    kind: str
    name: str
    reason: str


class Alpha(TypedDict):
    """Krippendorff's alpha, at most 1 (perfect), 0 where chance alone would do as well; None where undefined.

    `low` and `high` enclose the middle 95 % of the alphas of resampled pairs; None with fewer than two pairs.
    `pairs` and `judgments` count what went in: pairs with two judgments or more.
    """

    pairs: int
    judgments: int
    alpha: float | None
    low: float | None
    high: float | None


class Answer(TypedDict):
    """The answer to a question."""

    answer: str


class AnswerInFull(TypedDict):
    """A query's ground truth and predictions, and which matched."""

    query_id: str
    query: str
    values: dict[str, float | None]
    """By measure."""
    drawing: Drawing


class AnswerOut(TypedDict):
    """What a run answered to a query."""

    answer: int
    query_id: str
    query: str
    value: float | None
    """On the measure that is asked for."""
    moments: int
    """Of the ground truth."""


class AnswersOut(TypedDict):
    """A run's queries."""

    measure: str
    total: int
    answers: list[AnswerOut]
    """200 of them, from `start` on."""


class Applied(TypedDict):
    """What the batch review policy has decided."""

    extended: int
    finished: int


class ArchiveOut(TypedDict):
    """The newest archive of a campaign."""

    name: str
    size: int
    """Bytes."""
    sha256: str
    made_at: str | None


class AskedAgain(TypedDict):
    """A caption that is rewritten again."""

    caption: int
    description: int
    text: str
    status: str
    """accepted, review or refused."""
    decided_by: str | None
    """A worker id; null: by the checks alone, or not yet."""
    decided_at: str | None
    reason: str
    rewriter: str
    """openai, rules, as they are, import (with judgments), elsewhere, or person for an edit."""
    made_by: str
    """The model, or who or what made a caption elsewhere."""
    checks: Checks
    sent: bool
    """false: the queue is away; it is sent once that is back."""


class AskedNext(TypedDict):
    """How many pairs are wanted."""

    ahead: NotRequired[int]


class AtWorkOut(TypedDict):
    """Somebody who judges just now."""

    worker: str
    seats: int
    since: str


class AuditOut(TypedDict):
    """An audit of a file of judgments; its result is asked for by itself."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    audit: int
    file_name: str
    pairs_name: str
    size: int
    """Bytes."""
    said: str
    """What came of it; what is wrong with the file is in `progress`."""


class Bar(TypedDict):
    """A span within its moment: start and end in seconds from the moment's start; left and width in percent of it."""

    start: float
    end: float
    left: float
    width: float


class BatchOut(TypedDict):
    """Up to twenty candidates of a query that are judged together."""

    batch: int
    query: int
    query_text: str
    number: int
    """1 has the best ranks."""
    status: str
    postponed: bool
    """Put off: last in the lead's queue."""


class BatchState(TypedDict):
    """A batch of a query."""

    batch: int
    number: int
    status: str


class BoardOut(TypedDict):
    """The leaderboard of a released split."""

    release: int
    split: str
    measures: list[str]
    sort: str
    """The measure by which the rows are sorted, best first."""
    truth_hidden: bool
    rows: list[BoardRow]


class BoardRow(TypedDict):
    """A run on the board."""

    id: int
    name: str
    version: int
    worker: str
    uploaded_at: Any
    unanswered: int
    unknown: int
    cells: list[Cell]


class Brought(TypedDict):
    """What came of grades that were sent, in pairs."""

    added: int
    abstained: int
    """Of those added."""
    unchanged: int
    """The judge had said the same of them before."""
    without: int
    """Of which the judge says nothing yet."""


class CalibrationOfJudge(TypedDict):
    """How far a judge is above people, on the pairs that people graded."""

    as_of: str | None
    """Null: not computed yet, ask again."""
    running: bool
    says: str
    """What has to be known before any figure."""
    calibration: dict[str, Any] | None
    """pairs, queries, graded, few, unasked, abstained; raw and recalibrated (above, kappa, error, confusion,
    by_grade, by_group, curve), sureness (pairs, error, curve), discarded (pairs, counts, abstained). Estimates
    are value, low, high; null where there is none.
    """


class CalibrationOut(TypedDict):
    """A calibration: what the checks let pass of right captions and of wrong ones made of them."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    calibration: int
    style: str
    encoder: str
    """The model's name, and its pooling where that isn't its own."""
    identity: str
    """The encoder with the fingerprint of its weights."""
    similarity: float | None
    """The proposed threshold."""
    kept: float | None
    """The proposed threshold of words kept."""
    found: dict[str, Any]
    """captions by kind; by_similarity and by_kept (rows of threshold, right, wrong by kind); today and proposed
    (similarity, kept, errors by kind). Of right captions the share that waits, of wrong ones that passes.
    """
    adopted_at: str | None


class Came(TypedDict):
    """What a leaderboard has beside what the plan promised."""

    release: int
    split: str
    problem: str
    came: dict[str, Any] | None
    """queries, systems, orders, settled, half_width, widest, hours, pay. Null: it is being computed."""


class CampaignChanges(TypedDict):
    """What can be changed at any time; what isn't sent stays."""

    title: NotRequired[str | None]
    rules: NotRequired[str | None]
    contact: NotRequired[str | None]
    opens_at: NotRequired[datetime | str | None]
    closes_at: NotRequired[datetime | str | None]
    results_at: NotRequired[datetime | str | None]
    audience: NotRequired[Literal["public", "teams", "leads"] | None]
    own_scores: NotRequired[bool | None]
    most_submissions: NotRequired[int | None]
    most_a_day: NotRequired[int | None]
    most_pooled: NotRequired[int | None]
    most_predictions: NotRequired[int | None]


class CampaignOut(TypedDict):
    """A shared task on a collection's topics."""

    campaign: int
    name: str
    """In its address."""
    title: str
    rules: str
    """Markdown: what teams read."""
    contact: str
    split: str
    release: int | None
    """Against which runs are scored; null: not judged yet."""
    judged_later: bool
    """The pool is made from the teams' runs."""
    phase: str
    """announced, open, closed or results."""
    opens_at: str
    closes_at: str
    results_at: str
    results_opened_at: str | None
    not_open: str
    """Why the results can't be opened yet; empty: they can, or are."""
    audience: str
    """Who sees results once they are open: public, teams or leads."""
    own_scores: bool
    """A team sees the scores of its own runs before."""
    most_submissions: int
    most_a_day: int
    most_pooled: int
    """Of a team's runs, by its priorities, so many count."""
    most_predictions: int
    """For one topic, in one run."""
    topics: int
    teams: int


class CandidateOut(TypedDict):
    """A moment in a query's ranking. For leads: whoever judges is blind to it."""

    candidate: int
    moment: int
    rank: int
    similarity: float | None
    caption: str | None
    """The text by which it was found."""


class CaptionCheck(TypedDict):
    """How far a check is, and what it says."""

    state: Literal["waiting", "done", "failed"]
    text: str
    passed: bool | None
    verdicts: list[dict[str, Any]]
    """Of each check: check, passed, why."""


class CaptionDecision(TypedDict):
    """What a person decides about a caption in review."""

    decision: Literal["accept", "refuse"]
    reason: NotRequired[str]


class CaptionImportOut(TypedDict):
    """A file of captions that a worker looks at, imports or takes back, or has done so with."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    caption_import: int
    file_name: str
    made_by: str
    doing: str
    """look, import or back."""
    found: dict[str, Any]
    """counts (read, new, replaced), the first rows, remarks, problem_count, problems (line, entry, field, found,
    expected).
    """
    said: str
    taken_back_at: str | None


class CaptionOut(TypedDict):
    """A description's imprecise form."""

    caption: int
    description: int
    text: str
    status: str
    """accepted, review or refused."""
    decided_by: str | None
    """A worker id; null: by the checks alone, or not yet."""
    decided_at: str | None
    reason: str
    rewriter: str
    """openai, rules, as they are, import (with judgments), elsewhere, or person for an edit."""
    made_by: str
    """The model, or who or what made a caption elsewhere."""
    checks: Checks


class Cast(TypedDict):
    """Who occurs in the videos, and what a rewriter should know besides."""

    cast: list[CastName]
    context: str
    missing: list[MissingName]
    """The most frequent first, once they are counted."""


class CastChange(TypedDict):
    """A change of the cast list, the context, or both. A field that isn't sent stays; a list replaces the list."""

    cast: NotRequired[list[CastName] | None]
    context: NotRequired[str | None]


class CastName(TypedDict):
    """Somebody who occurs in the videos."""

    name: str
    gender: Literal["f", "m", "?"]
    """? where it isn't known."""


class Cell(TypedDict):
    """A run's value on a measure; against the best: the corrected p-value, None for the best itself."""

    measure: str
    value: float | None
    best: bool
    difference: float | None
    p_value: float | None


class CertificateOut(TypedDict):
    """How far a release can be used for systems that had no part in its pool."""

    missing: str
    """Why there can be none; empty: there can be one."""
    job: JobOut | None
    """The newest computation; null: none was asked for."""
    as_of: str | None
    certificate: dict[str, Any] | None
    """Null: none is computed yet."""


class Change(TypedDict):
    """An entry. `account`: the account's name, None where nobody was logged in or the account is gone."""

    entry: int
    at: str
    account: str | None
    via: str
    asked: str
    address: str
    request: str
    token: int | None
    table: str
    operation: str
    row: int | None
    rows: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class CheckAsked(TypedDict):
    """A check that a worker makes."""

    check: str
    text: str
    """As it is checked: one line."""


class CheckOut(TypedDict):
    """A check of a release's files."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    problems: list[str]
    claims: list[dict[str, Any]]
    """Each claim: claim, holds (null: nothing of it can be recomputed), expected, problems (file, found),
    more_problems, notes. Empty in a check from before this was kept.
    """


class Checks(TypedDict):
    """What the checks said of a caption's text."""

    similarity: float | None
    """Cosine to the description."""
    similarity_passed: bool
    names: list[str]
    """Names of persons that were found."""
    names_passed: bool
    kept_ratio: float | None
    """Share of the words that were kept."""
    kept_passed: bool
    persons_passed: bool
    gender_passed: bool
    roles_passed: bool
    words_passed: bool
    swaps: list[Swapped]
    """What stands in another's place."""
    doubted_names: list[Doubted]
    """Names above the threshold that may be none."""


class Choice(TypedDict):
    """By which way of a plan the collection goes."""

    row: int | None
    """The place in `rows`, from 0; null: by none."""


class ChosenRelease(TypedDict):
    """The release of a campaign that was judged later."""

    release: int


class CitationFields(TypedDict):
    """What a release's citation says; an empty field is the release's own."""

    title: NotRequired[str]
    authors: NotRequired[str]
    year: NotRequired[str]
    address: NotRequired[str]
    """A DOI, or https."""


class CitationOut(TypedDict):
    """A release's citation, as it was completed and as it reads."""

    title: str
    authors: str
    year: str
    address: str
    """A DOI, or https."""
    line: str
    bibtex: str


class ClipSample(TypedDict):
    """How many clips were looked for, and how many of them were missing."""

    looked: int
    gone: int


class Clips(TypedDict):
    """How a collection's clips stand."""

    moments: int
    ready: int
    failed: int
    waiting: int
    without_file: int
    """Videos that have moments and no file."""
    former: int
    """Videos whose clips show an earlier file."""
    failures: list[Failure]
    """The first."""
    lost: ClipSample
    """Clips looked for in the storage, and those of them that are gone."""
    at: str
    """As of when."""


class Closing(TypedDict):
    """That the first cohort is to be closed, which can't be undone."""

    people: int
    """`handed_in` as you saw it: another number is refused."""


class CollectionOut(TypedDict):
    """A collection as its leads see it."""

    name: str
    title: str
    role: str
    """owner, lead or annotator."""
    status: str
    """Of an annotator: admitted, applicant, paused, declined or barred."""
    worker: str
    """The caller's pseudonym there."""
    study_of: str | None
    """The collection that this is a study of."""
    archived_at: str | None
    has_clips: bool
    created_at: str
    batches: dict[str, int]
    """How many there are of each state."""


class ComparedRecipe(TypedDict):
    """What a recipe would give with the runs that there are."""

    recipe: str
    current: bool
    """It is the collection's."""
    queries: int
    pairs: int
    """At most."""
    judged: int
    """Of these pairs."""


class Confirmation(TypedDict):
    """That a planned publication is to be sent."""

    replace: NotRequired[bool]
    """Agree that files which differ are replaced."""
    final: NotRequired[bool]
    """Have an archive publish the record, too, which can't be undone."""


class Confirmed(TypedDict):
    """The version that the caller has read."""

    version: int


class ConsentOut(TypedDict):
    """A version of the consent text; it never changes."""

    version: int
    note: str
    """What changed; empty: the first."""
    published_at: str
    source: str
    """Markdown."""
    on_withdrawal: OnWithdrawal
    """What becomes of the judgments of who withdraws."""
    digest: str
    """SHA-256 of the text."""


class ConsentState(TypedDict):
    """Whether the consent text holds for the caller."""

    confirmed: int
    """The version that holds; 0: none."""
    withdrawn_at: str | None
    """Null: it isn't withdrawn."""
    agrees: bool
    """Whether nothing is to be confirmed."""


class Context(TypedDict):
    """The seconds before and after a clip, which may be looked at while it is judged, or why there are none."""

    clip: str | None
    """The address of a video that has them around the moment."""
    start: float | None
    """Seconds of that video until the moment begins."""
    end: float | None
    """Seconds of that video until the moment ends."""
    message: str
    """Why there is no video, or none yet."""


class CorrectionOut(TypedDict):
    """A correction of a person's day."""

    correction: int
    member: int
    day: str
    minutes: int
    reason: str
    made_at: str


class DayOfJudging(TypedDict):
    """Judgments of a day (UTC) that decide something."""

    day: str
    judgments: int
    people: int


class DayOut(TypedDict):
    """A person's day (UTC) at work."""

    worker: str
    member: int
    day: str
    judgments: int
    counted: int
    """Those of the judgments that decide something."""
    active_seconds: float
    corrected_seconds: int
    training_seconds: float
    hours: str
    """Paid."""
    rate: str | None
    currency: str
    pay: str | None
    """Null: there is no rate."""


class DecidedBatch(TypedDict):
    """A current or taken-back (`taken_back_at`) review, with the figures it was based on."""

    review: int
    batch: int
    query: str
    number: int
    decision: str
    by: str
    automatic: bool
    decided_at: str
    mean: float | None
    threshold: float
    grades: list[int | None]
    taken_back_by: str | None
    taken_back_at: str | None
    may_take_back: bool


class Decision(TypedDict):
    """What is decided about an applicant; either can be reversed."""

    decision: Literal["admit", "decline"]


class DecisionOut(TypedDict):
    """Judgments that a lead has taken out of consensus."""

    decision: int
    since: str
    reason: str
    judgments: int
    by: str
    decided_at: str
    withdrawn_at: str | None
    restored: int | None
    """How many count again; null: it stands."""
    restorable: int | None
    """How many would count again; null: it was withdrawn."""


class DeletionOut(TypedDict):
    """A deletion. It has an address of its own, since the collection goes."""

    deletion: int
    name: str
    state: str
    said: str
    """What was deleted, once it is."""
    problem: str
    progress: Progress


class DescriptionImport(TypedDict):
    """An import of a file of descriptions."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    file_name: str
    format: str
    counts: dict[str, int]
    """added, changed, unchanged, rejected and so on."""
    problem_count: int
    problems: list[dict[str, Any]]
    """The first of them: line, entry, field, found, expected."""


class DescriptionOut(TypedDict):
    """A precise sentence about a moment."""

    description: int
    source_id: str
    """Its id in the file that it came from."""
    moment: int
    text: str
    kind: str
    """v: about the video, t: the subtitles, vt: both."""
    language: str
    """BCP 47; empty: not stated."""


class DesignOut(TypedDict):
    """A collection's design."""

    unit: str
    """query: queries are judged whole; pair: some pairs of each query."""
    strata: str
    """Empty, split, rank, run or machine."""
    bands: list[int]
    judge: str | None
    """The machine judge whose grades are strata."""
    seed: int
    made_at: str
    by: str | None
    """A worker id; null: a command."""
    begun: bool
    """Judging is open, so it can only be extended."""
    outside: int
    """Queries that came after it and aren't opened."""
    size: int
    drawn: int
    open: int
    judged: int
    of_strata: list[StratumRow]
    """All queries' strata of a name together."""
    stages: list[StageRow]


class DifferenceOut(TypedDict):
    """Something that was added, removed or changed from one release to another."""

    split: str
    what: str
    """query, pair or grade."""
    change: str
    """added, changed or removed."""
    query_id: str
    query: str
    pair_id: str
    field: str
    """What changed of a query or pair; else empty."""
    before: Any
    after: Any


class DifferencesOut(TypedDict):
    """What differs between two releases."""

    first: ReleaseOut
    second: ReleaseOut
    counts: dict[str, dict[str, dict[str, int]]] | None
    """By split, kind and change; null: large releases are being compared, ask again."""
    settings: list[dict[str, Any]]
    total: int
    running: bool
    problem: str
    differences: list[DifferenceOut]
    """200 of them, from `start` on."""


class DiscardedPairOut(TypedDict):
    """A pair on which judgments differ too much."""

    pair: int
    batch: int
    query: str
    split: str
    rank: int
    similarity: float | None
    caption: str | None
    video: str
    start: float
    end: float
    clip: str | None
    """Its clip's public name."""
    raw: list[RawGrade]
    standing: AdjudicationOut | None
    former: list[AdjudicationOut]
    """Withdrawn, the newest first."""


class DismissalOut(TypedDict):
    """An alert that a lead has dismissed for four weeks."""

    kind: str
    told: str
    """The reason that the alert gave."""
    note: str
    by: str
    at: str


class Doubted(TypedDict):
    """A name that the tagger found and that may be none, and why: listed, thing, letters, opening."""

    text: str
    score: float
    reasons: list[str]
    discarded: bool
    """Whether it doesn't count in this collection."""


class Draft(TypedDict):
    """What a lead is writing, with the examples that publishing would take."""

    source: str
    """Markdown."""
    examples: list[ExampleOut]


class DrawOut(TypedDict):
    """The draw of queries: what could be drawn, and what stands."""

    captions: int
    """Different ones that can be drawn."""
    in_studies: int
    """Others, which a study has."""
    shows: dict[str, int]
    draw: dict[str, Any] | None
    """val, test, seed, stratify, each_caption, drawn_at, training."""
    fixed: str
    """Why it can't be replaced; empty: it can."""


class Drawing(TypedDict):
    """Ground truth on the left, predictions on the right, matches between them (as the paper's Figure 7)."""

    moments: list[DrawnSpan]
    predictions: list[DrawnSpan]
    lines: list[MatchLine]


class Drawn(TypedDict):
    """How many queries were drawn; a worker opens them."""

    drawn: int


class DrawnExam(TypedDict):
    """A new exam."""

    exam: int | None
    """Its number; null: none is drawn yet."""
    state: str
    """none, drawn, open (to applicants), frozen (its truth is fixed)."""
    seed: int | None
    opened_at: str | None
    frozen_at: str | None
    items: int
    handed_in: int
    """How many people have."""
    may_close: bool
    out: float | None
    """Share of first grades that are more than 1 from the truth."""
    agreement: AgreementOut
    """Of first, independent grades."""
    relabelled: AgreementOut
    """Of the same people's grades after feedback."""
    shortage: str
    """Where the collection was too small for a whole one; else empty."""


class DrawnSpan(TypedDict):
    """A moment or prediction in the drawing: its row, video and times, and a clip if there is one of the same
    span.
    """

    row: int
    video_name: str
    start: float
    end: float
    grade: int | None
    caption: str
    score: float | None
    iou: float
    matched: bool
    clip: str


class Erased(TypedDict):
    """What became of the person's account."""

    account_gone: bool
    """False: it belongs to other collections, too."""


class Erasure(TypedDict):
    """That the person behind a worker id is to be erased: it can't be undone."""

    worker: str
    """The worker id, once more."""


class EstimateOut(TypedDict):
    """A board that is estimated with a machine's help: how far that is. It is no ground truth."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    estimate: int
    release: int
    split: str
    judge: str
    """Its name."""
    families: dict[str, str]
    """Run -> its family; "": none is declared."""
    problem: str


class EstimateWithResult(TypedDict):
    """The same with what was found."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    estimate: int
    release: int
    split: str
    judge: str
    """Its name."""
    families: dict[str, str]
    """Run -> its family; "": none is declared."""
    problem: str
    result: dict[str, Any] | None
    """Null before it is done. boards: measure -> runs and differences with their intervals, in_words, rest (more
    queries that people have to judge), family (Kendall's tau with and without the judge's). sample: how the
    judged queries were chosen. left_out: runs that answer those alone.
    """


class EventOut(TypedDict):
    """An event, with its newest five tries."""

    event: int
    webhook: int
    public_id: str
    kind: str
    state: str
    """waiting, delivered or dead (given up)."""
    made_at: str
    ended_at: str | None
    tries: int
    log: list[TryOut]


class EvidenceUseOut(TypedDict):
    """What goes with the use of what annotators may use beside the picture."""

    as_of: str | None
    """Null: not computed yet, ask again."""
    running: bool
    kinds: dict[str, Any]
    """By kind (context, sound, subtitles): judgments of which it is known, used, share, with_it and without (mean
    grades), pairs and queries that have both, difference within a pair with low and high (95 %), and of two
    people in the first round both, one and neither (twos, equal, agree).
    """


class ExamItemOut(TypedDict):
    """An item of the exam. For leads alone: applicants see its query and clip."""

    item: int
    query: str
    moment: int
    rank: int
    clip: str | None
    truth: float | None
    """The cohort's median; null before it is closed."""
    why: str


class ExamOut(TypedDict):
    """The newest exam and what came of it."""

    exam: int | None
    """Its number; null: none is drawn yet."""
    state: str
    """none, drawn, open (to applicants), frozen (its truth is fixed)."""
    seed: int | None
    opened_at: str | None
    frozen_at: str | None
    items: int
    handed_in: int
    """How many people have."""
    may_close: bool
    out: float | None
    """Share of first grades that are more than 1 from the truth."""
    agreement: AgreementOut
    """Of first, independent grades."""
    relabelled: AgreementOut
    """Of the same people's grades after feedback."""


class ExampleOut(TypedDict):
    """A worked example."""

    query: str
    grade: int
    why: str
    clip: str | None
    """Its clip's public name."""


class ExclusionReason(TypedDict):
    """Why something counts no longer; its team reads it."""

    reason: str


class Explanation(TypedDict):
    """What is to change of an item; what isn't sent stays."""

    grade: NotRequired[int | None]
    why: NotRequired[str]
    use: NotRequired[Literal["practice", "example"]]


class FactorFigures(TypedDict):
    """What factors tell."""

    as_of: str | None
    """Null: not computed yet, ask again."""
    running: bool
    says: str
    figures: dict[str, Any] | None
    """judgments, pairs, queries; factors (counts, skipped, alpha, kappa, partners, again, by_grade,
    grade_by_value); explained (with, without, factors), null where too little is answered.
    """


class FactorOut(TypedDict):
    """A factor as it was declared."""

    key: str
    name: str
    question: str
    answers: list[str]
    may_skip: bool
    languages: dict[str, FactorWords]
    retired_at: str | None
    """Since when it isn't asked any more."""


class FactorWords(TypedDict):
    """A factor's words in a language."""

    name: str
    question: str
    answers: list[str]
    """Of the values 0, 1, ...: two to five."""


class Factors(TypedDict):
    """A collection's factors, in the order in which they are asked."""

    asked: FactorsAsked
    """never, every (grade), between (the lowest and the highest)."""
    factors: list[FactorOut]


FactorsAsked = Literal["never", "every", "between"]


class Failure(TypedDict):
    """A clip that couldn't be cut: its video and moment (ids), start and end (s), why."""

    video: int
    moment: int
    name: str
    start: float
    end: float
    problem: str


class Fault(TypedDict):
    """What is wrong at a place of a run's file."""

    place: str
    """Its line; empty: the whole."""
    found: str
    expected: str


class FeedbackOut(TypedDict):
    """How a grade compares with the truth."""

    grade: int
    truth: float
    """A half is possible."""
    out: bool
    """More than 1 from the truth."""
    why: str


class FigureOut(TypedDict):
    """A figure's data."""

    key: str
    title: str
    says: str
    headings: list[str]
    rows: list[list[str | int | float | None]]


class Figures(TypedDict):
    """All figures of a collection."""

    as_of: str | None
    """Null: not counted yet, ask again."""
    running: bool
    figures: list[FigureOut]


class FileOut(TypedDict):
    """A file for one request that names it. After a day without a piece it is removed."""

    file: str
    """Its key, by which the request names it that uses it."""
    name: str
    size: int
    offset: int
    """Where it goes on: so many bytes are safe."""
    whole: bool
    """It is here and can be used."""
    begun_at: str


class FlagAnswer(TypedDict):
    """What becomes of a flagged pair."""

    outcome: Literal["returned", "withdrawn"]
    answer: NotRequired[str]
    """For the annotator to read: nothing of grades."""


class FlagOut(TypedDict):
    """What an annotator raised about a pair."""

    flag: int
    pair: int
    query: str
    kind: str
    note: str
    worker: str
    raised_at: str
    outcome: str
    """returned or withdrawn; empty: it is open."""
    answer: str
    answered_by: str | None
    answered_at: str | None


class ForecastOut(TypedDict):
    """When judging will end at the present pace, and what it will have cost."""

    left: int
    """Judgments."""
    a_day: float
    days: int | None
    ends: str | None
    cost: str | None
    total: str | None


class GoalOut(TypedDict):
    """The current goal, and how far it is."""

    goal: int
    measure: str
    first: int
    """So many of the best runs are to be in order, and above all others."""
    level: float
    margin: float | None
    """Runs whose scores differ by less are alike; null: none are."""
    split: str
    """Of its queries; empty: all that the design draws."""
    judge: str | None
    """The machine judge whose grades help; null: people alone."""
    runs: list[str]
    open_next: int
    """Queries that are opened whenever few are left to judge."""
    made_at: str
    queries: int
    drawn: int
    judged: int
    """Of the random order, up to the first that isn't judged."""
    next_at: int | None
    """Judged queries at the next look; null: there is none."""
    settled: bool
    """The goal is reached."""
    words: str
    pairs: list[PairRow]
    """As the last look found them."""
    looks: list[LookRow]
    """The newest first."""


class GoldAnswerOut(TypedDict):
    """What somebody answered to gold."""

    answer: int
    at: str
    query: str
    grade: int
    known: int


class GoldOut(TypedDict):
    """A pair whose grade is known, and what was answered to it."""

    gold: int
    pair: str
    query: str
    grade: int
    explanation: str
    source: str
    """decided, adjudicated or lead."""
    added_at: str
    answered: int
    error: float | None
    """Mean of grade minus known grade; null: no answer yet."""


class GradeCount(TypedDict):
    """How many pairs got a grade."""

    grade: int
    pairs: int


class GradeOut(TypedDict):
    """A judge's grade of a pair that people have decided."""

    pair: str
    grade: int | None
    """Null: it abstained."""
    distribution: list[float] | None
    abstained: str
    people: int | None
    """The consensus; null: people discarded the pair."""


class GradeWords(TypedDict):
    """How a grade is called, explained and coloured, in one language."""

    grade: int
    language: str
    """BCP 47."""
    word: str
    shows: NotRequired[str]
    """What a moment of the grade shows."""
    colour: NotRequired[str]
    """#rrggbb; it may be in any of the grade's languages."""
    dark_colour: NotRequired[str]
    """On dark pages; empty: the same."""


class GuidelineOut(TypedDict):
    """A version of the guideline with its text; it never changes."""

    version: int
    note: str
    """What changed; empty: the first."""
    published_at: str
    source: str
    """Markdown."""
    examples: list[ExampleOut]


class ImportOfPreview(TypedDict):
    """How a file is to be imported that was looked at."""

    skip_bad: NotRequired[bool]
    """Import the good rows where others are bad."""


class InvitationOut(TypedDict):
    """An invitation; its link is told only once, when it is made."""

    invitation: int
    label: str
    languages: list[str]
    places: int | None
    """How many may join; null: any number."""
    used: int
    """How many have joined."""
    made_by: str | None
    """A worker id."""
    expires_at: str | None
    withdrawn_at: str | None


class ItemGrade(TypedDict):
    """A grade of an item."""

    pair: UUID | str
    grade: int
    """One of the collection's scale."""
    key: UUID | str
    """Your own: sent again with the same, it is one answer."""
    played: NotRequired[float | None]
    """The share of the clip that was seen."""


class ItemOut(TypedDict):
    """A query and a moment with the lead's grade and reason."""

    item: int
    use: Literal["practice", "example"]
    query: str
    moment: int
    clip: str | None
    """Its clip's public name."""
    grade: int | None
    """Null: shown to nobody yet."""
    why: str


class Items(TypedDict):
    """The next items, how many of how many are done, and the feedback on what was sent."""

    tasks: list[TaskOut]
    done: int
    total: int
    feedback: FeedbackOut | None
    """Of practice and of judging again."""
    scale: ScaleShown | None
    """The scale; absent where it is the paper's, 0 to 4."""


class JobOut(TypedDict):
    """A job: work for a worker."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress


class JobWithLog(TypedDict):
    """A job with the newest 500 lines of its log, the oldest first."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    log: list[Line]


class JudgeOut(TypedDict):
    """A declared judge."""

    judge: int
    name: str
    kind: str
    """server, file or similarity."""
    model: str
    version: str
    family: str
    prompt_version: str
    guideline: int | None
    frames: int | None
    parameters: dict[str, Any]
    declared_at: str
    by: str | None
    """A worker id; null: a command."""
    retired_at: str | None
    """It judges no more; its grades are used no more."""
    said: int
    """Of how many pairs it says something."""


class JudgeWithCounts(TypedDict):
    """A declared judge, and what it said, counted."""

    judge: int
    name: str
    kind: str
    """server, file or similarity."""
    model: str
    version: str
    family: str
    prompt_version: str
    guideline: int | None
    frames: int | None
    parameters: dict[str, Any]
    declared_at: str
    by: str | None
    """A worker id; null: a command."""
    retired_at: str | None
    """It judges no more; its grades are used no more."""
    said: int
    """Of how many pairs it says something."""
    grades: list[GradeCount]
    abstained: dict[str, int]
    """How often, by reason."""
    without: int
    """Pairs of which it says nothing."""


class JudgmentImportOut(TypedDict):
    """An import of judgments, and what is wrong with its file, by line."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    judgment_import: int
    file_name: str
    format: str
    split: str
    repeated_ids: str
    grade_table: dict[str, int] | None
    """By `map_grades`: grades by the file's words; null: the same."""
    counts: dict[str, Any]
    problem_count: int
    problems: list[dict[str, Any]]
    """The first of them: line, entry, field, found, expected."""


class LeakageOut(TypedDict):
    """How near pseudo-training captions come to val and test queries."""

    as_of: str | None
    """Null: not computed yet, ask again."""
    running: bool
    leakage: dict[str, Any] | None
    """encoder, pooling; of val, test and training: queries, compared, from (0.85, 0.9, 0.95: queries and share);
    worst: the hundred that come nearest, each with its training caption and their cosine.
    """


class Line(TypedDict):
    """A line of a job's log."""

    at: str
    text: str


class LinkOut(TypedDict):
    """A link by which one person joins a team. It is in this answer and nowhere else."""

    link: str
    expires_at: str


class LlmChange(TypedDict):
    """A change of a collection's own settings. A field that isn't sent stays; an empty one goes."""

    rewriter: NotRequired[Literal["", "rules"] | None]
    """Empty: the LLM if there is one."""
    server: NotRequired[int | None]
    """0: the site's default."""
    model: NotRequired[str | None]
    price_in: NotRequired[str | None]
    """Of a million tokens."""
    price_out: NotRequired[str | None]
    """Of a million tokens."""
    limit: NotRequired[str | None]
    """What a job may cost at most."""
    forget_key: NotRequired[bool]
    """Remove the collection's own key."""


class LlmOut(TypedDict):
    """Which LLM rewrites a collection. Keys are never told, nor set here."""

    by_rules: bool
    """The collection wants rules, whatever LLM there is."""
    remote: bool
    """An LLM can be asked."""
    problem: str
    holds: dict[str, LlmValue]
    """address, model, price_in, price_out, limit."""
    own: dict[str, str]
    """The collection's own: model, price_in, price_out, limit."""
    own_server: int | None
    """null: the site's default."""
    has_own_key: bool
    servers: list[LlmServerOut]
    trial: Progress | None
    """Of the last test."""


class LlmServerOut(TypedDict):
    """A server that the site's owners allow."""

    server: int
    name: str
    is_default: bool


class LlmValue(TypedDict):
    """A value of the LLM's settings, and where it comes from."""

    value: str
    origin: str
    """environment, installation, collection, usual."""


class LookRow(TypedDict):
    """A look that was made: what it found, and the part of the error that it and those before it spent."""

    at: str | None
    judged: int
    chain: str
    words: str
    spent: float
    by: str | None


class Made(TypedDict):
    """How many questions were summed up."""

    made: int


class MadeInvitation(TypedDict):
    """A new invitation with its link, which can't be asked for again."""

    invitation: int
    label: str
    languages: list[str]
    places: int | None
    """How many may join; null: any number."""
    used: int
    """How many have joined."""
    made_by: str | None
    """A worker id."""
    expires_at: str | None
    withdrawn_at: str | None
    link: str


class MadeWebhook(TypedDict):
    """A new webhook with its secret, which can't be asked for again."""

    webhook: int
    address: str
    kinds: list[str]
    made_by: str
    made_at: str
    state: str
    """on or stopped."""
    problem: str
    """Why it stopped by itself; else empty."""
    waiting: int
    delivered: int
    given_up: int
    pauses_until: str | None
    secret: str


class MatchLine(TypedDict):
    """A line from a moment to the prediction that matched it; heights in pixels."""

    y1: int
    y2: int
    grade: int
    iou: float
    moment: int
    prediction: int


class Me(TypedDict):
    """Whose token or login this is, and what it is good for."""

    account: str
    token: str | None
    """The token's purpose; null: a login."""
    scopes: list[str]
    """Of the token; of a login all."""
    collection: str | None
    """The only one that the token is good for; null: all."""
    expires_at: str | None


class MediumOut(TypedDict):
    """A picture, clip or sound that is a query."""

    kind: str
    """picture, clip or sound."""
    address: str


class MemberOut(TypedDict):
    """Somebody with a place in a collection."""

    member: int
    worker: str
    """The pseudonym in exports."""
    account: str | None
    """Null: their account is gone."""
    role: str
    status: str
    has_led: bool
    """Whoever has led never judges here."""
    languages: list[str]
    """Empty: all."""
    pay_per_hour: str | None
    """Null: the collection's."""
    joined_at: str


class MissingName(TypedDict):
    """A name that descriptions have and the cast hasn't."""

    name: str
    times: int
    gender: Literal["f", "m", "?"]
    """As pronouns, titles or first names tell it."""


class ModelOut(TypedDict):
    """What a model of annotators says of pairs and people, beside the consensus, which it doesn't change."""

    as_of: str | None
    """Null: not counted yet, ask again."""
    running: bool
    judgments: int
    pairs: int
    disagreeing: int
    changed: float | None
    """Pairs that would end otherwise had another person given one of their grades, to be expected."""
    table: list[list[int]]
    """Consensus by the model's grade; the last row: discarded."""
    people: list[PersonByModel]
    worth_a_look: list[PointedAt]
    """200 pairs on which both differ, from `start` on."""


class MomentOut(TypedDict):
    """A stretch of a video, in seconds."""

    moment: int
    video: int
    video_name: str
    start: float
    end: float
    clip: str | None
    """Its clip's address; null: it has none."""


class MoreDrawn(TypedDict):
    """How many are drawn then."""

    numbers: list[int]
    """How many are drawn, with those drawn before: one number in all, or one for each stratum."""


class Move(TypedDict):
    """How many pairs would come from one grade or state to another."""

    pairs: int
    before: str
    after: str


class NeedOut(TypedDict):
    """Something that waits for the lead."""

    kind: str
    count: int
    words: str


class NewAccount(TypedDict):
    """An account to be; its owner sets a password by a one-time link."""

    name: str
    email: NotRequired[str]
    may_create_collections: NotRequired[bool]


class NewAdjudication(TypedDict):
    """The lead's own grade of a discarded pair."""

    grade: int
    reason: str


class NewAsking(TypedDict):
    """Of which pairs a model on a server is asked, and what that may cost."""

    split: NotRequired[Literal["", "val", "test"]]
    """Their queries alone; empty: all."""
    ranks: NotRequired[int | None]
    """The first pairs of each query alone."""
    trial: NotRequired[bool]
    """Five pairs spread over these alone."""
    limit: NotRequired[float | str | None]
    """Null: that of the LLM settings."""
    price_in: NotRequired[float | str | None]
    """Of a million tokens sent; null: as in the settings."""
    price_out: NotRequired[float | str | None]
    """Of a million tokens answered."""


class NewAudit(TypedDict):
    """A file of judgments: itself, or one that was sent."""

    name: str
    content: NotRequired[str]
    """The file; longer ones are sent in pieces."""
    file: NotRequired[str | None]
    """The key of a file of yours that has arrived; it is taken."""
    pairs: NotRequired[str]
    """What the pairs are about, if the file doesn't say it: JSON or CSV."""
    pairs_file: NotRequired[str | None]
    """The same as a file of yours; it is taken."""
    ratings: NotRequired[str]
    """Which of Label Studio's ratings stand for the grades 0-4."""


class NewCalibration(TypedDict):
    """How to calibrate."""

    captions: NotRequired[int]
    """Right captions to take at most."""
    seed: NotRequired[int]
    """By which they are drawn."""


class NewCampaign(TypedDict):
    """A campaign to be."""

    title: str
    rules: NotRequired[str | None]
    contact: NotRequired[str | None]
    opens_at: datetime | str
    closes_at: datetime | str
    results_at: datetime | str
    audience: NotRequired[Literal["public", "teams", "leads"] | None]
    own_scores: NotRequired[bool | None]
    most_submissions: NotRequired[int | None]
    most_a_day: NotRequired[int | None]
    most_pooled: NotRequired[int | None]
    most_predictions: NotRequired[int | None]
    name: str
    split: NotRequired[Literal["val", "test"]]
    release: NotRequired[int | None]
    """Null: the topics are judged later, from the teams' runs."""


class NewCaption(TypedDict):
    """A caption that a person writes in the place of one in review."""

    text: str
    check: NotRequired[str]
    """The id of a finished check of this very text."""
    reason: NotRequired[str]


class NewCaptionFile(TypedDict):
    """A file of captions that was sent, and how to read it."""

    file: str
    """The key of a file of yours that has arrived whole; it is taken."""
    made_by: NotRequired[str]
    """The model or person who made the captions that don't say it."""
    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""
    look: NotRequired[bool]
    """Only say what it would change; import it by another request."""


class NewCheck(TypedDict):
    """A text to be checked as a caption; nothing is stored."""

    text: str


class NewCollection(TypedDict):
    """A collection to be."""

    name: str
    """Short, for addresses."""
    title: str
    has_clips: NotRequired[bool]


class NewConsent(TypedDict):
    """A text to publish as the next version, which everybody has to confirm."""

    source: str
    """Markdown."""
    on_withdrawal: NotRequired[OnWithdrawal]
    note: NotRequired[str]
    """What changed: needed from version 2 on."""


class NewConsentDraft(TypedDict):
    """A text to keep as the draft."""

    source: str
    """Markdown."""
    on_withdrawal: NotRequired[OnWithdrawal]


class NewCorrection(TypedDict):
    """Minutes to add to a person's day, or to take from it."""

    member: int
    day: date | str
    minutes: int
    reason: str


class NewCutting(TypedDict):
    """Which clips are to be cut."""

    retry: NotRequired[bool]
    """Also what failed before."""
    candidates: NotRequired[bool]
    """Only moments that are a candidate of a query."""
    sound: NotRequired[bool]
    gif: NotRequired[bool]
    """Also a GIF of 3 pictures a second, for leads."""
    context: NotRequired[float | None]
    """Seconds before and after the moment, for its context clip."""


class NewDeadline(TypedDict):
    """A team's own later deadline."""

    until: datetime | str | None
    """Null: the campaign's again."""


class NewDeletion(TypedDict):
    """That a collection is to be deleted, which can't be undone."""

    typed: str
    """The collection's name, once more."""
    agreed: NotRequired[bool]
    """Agree to the warnings."""


class NewDescriptions(TypedDict):
    """A file of descriptions that was sent, and how to read it."""

    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""
    columns: NotRequired[dict[str, str]]
    """Of CSV, field to header: video, start, end, text, id, kind, duration, language, moment_id; - leaves one out."""
    skip_bad: NotRequired[bool]
    """Import the good rows where others are bad."""
    file: str
    """The key of a file of yours that has arrived whole; it is taken."""


class NewDesign(TypedDict):
    """A design to be made."""

    numbers: list[int]
    """How many are drawn, with those drawn before: one number in all, or one for each stratum."""
    unit: Literal["query", "pair"]
    strata: NotRequired[Literal["", "split", "rank", "run", "machine"]]
    bands: NotRequired[list[int]]
    """The last rank of each band but the last."""
    judge: NotRequired[int | None]
    """Of strata by a machine judge's grade: its id."""
    seed: NotRequired[int]


class NewDismissal(TypedDict):
    """That an alert was looked at."""

    kind: str
    """Of an alert that stands."""
    note: str
    """What was found."""


class NewDraft(TypedDict):
    """A text to keep as the draft."""

    source: str
    """Markdown."""


class NewDraw(TypedDict):
    """How many queries to draw."""

    val: int
    test: int
    seed: NotRequired[int]
    by_show: NotRequired[bool]
    """Each show gets its share."""
    table: NotRequired[str | Literal[""]]
    """The key of a CSV file that you sent: each group in `column` gets its share."""
    column: NotRequired[str]
    """The table's column with the groups."""
    each_caption: NotRequired[bool]
    """Equal captions have a chance each, as in the paper."""
    redraw: NotRequired[bool]
    """Replace the draw that stands."""


class NewEstimate(TypedDict):
    """By whose help to estimate."""

    judge: int
    """A machine judge's id."""
    families: NotRequired[dict[str, Any]]
    """Run -> its family, in place of what the run declares."""


class NewExam(TypedDict):
    """How large an exam is to be."""

    queries: NotRequired[int]
    candidates: NotRequired[int]
    seed: NotRequired[int | None]
    """Null: one at random."""


class NewFactor(TypedDict):
    """A factor to be declared."""

    name: str
    question: str
    answers: list[str]
    """Of the values 0, 1, ...: two to five."""
    key: str
    may_skip: NotRequired[bool]
    """Whether null, can't say, is an answer."""
    languages: NotRequired[dict[str, FactorWords]]
    """Its words by language."""


class NewFactors(TypedDict):
    """The factors in the place of those that there are."""

    factors: list[NewFactor]
    asked: NotRequired[FactorsAsked | None]
    """Null: as set; after every grade, where none was."""


class NewFile(TypedDict):
    """A file that is to be sent."""

    name: str
    size: int
    """Bytes."""
    mark: str
    """The CRC-32 of its first, middle and last 64 KiB one after the other, in hexadecimal."""


class NewFlag(TypedDict):
    """Why a pair can't be judged."""

    pair: UUID | str
    kind: str
    """clip, query, other"""
    note: NotRequired[str]


class NewGoal(TypedDict):
    """A goal to be set."""

    first: int
    measure: str
    split: NotRequired[Literal["", "val", "test"]]
    judge: NotRequired[int | None]
    """The id of a machine judge; null: people alone."""
    level: NotRequired[float]
    margin: NotRequired[float | None]
    open_next: NotRequired[int]


class NewGold(TypedDict):
    """What becomes gold: pairs with grades of the lead, every decided pair of finished queries, or an exam's
    items.
    """

    pairs: NotRequired[list[NewGoldPair]]
    queries: NotRequired[list[int]]
    """Ids of queries."""
    exam: NotRequired[int | None]
    """Its number; its first cohort is closed."""


class NewGoldPair(TypedDict):
    """A decided pair of a finished batch."""

    pair_id: str
    """Its public id, or its number in releases."""
    grade: int
    explanation: NotRequired[str]


class NewGradeWords(TypedDict):
    """Words, descriptions and colours of all grades in all languages; none: the usual ones."""

    grades: list[GradeWords]


class NewGuideline(TypedDict):
    """A text to publish as the next version, which everybody has to confirm."""

    source: str
    """Markdown."""
    note: NotRequired[str]
    """What changed: needed from version 2 on."""


class NewInvitation(TypedDict):
    """An invitation to be."""

    label: NotRequired[str]
    """For the lead to tell it from others."""
    places: NotRequired[int | None]
    """Null: any number."""
    expires_at: NotRequired[datetime | str | None]
    """Null: never."""
    languages: NotRequired[list[str]]
    """Tags such as en or pt-BR."""


class NewItems(TypedDict):
    """How much to draw from pseudo-training queries."""

    use: Literal["practice", "example"]
    queries: NotRequired[int]
    candidates: NotRequired[int]
    seed: NotRequired[int | None]
    """Null: one at random."""


class NewJudge(TypedDict):
    """A judge whose grades are made elsewhere, or a model on the collection's LLM server. What it is never
    changes.
    """

    kind: NotRequired[Literal["file", "server"]]
    """A model on a server is asked here; it is given the newest prompt and guideline."""
    name: str
    model: str
    """As its maker calls it."""
    family: str
    """What it shares with systems that are scored."""
    version: NotRequired[str]
    """A version, or a digest of its weights."""
    prompt_version: NotRequired[str]
    guideline: NotRequired[int | None]
    """The version of the guideline that it was given."""
    frames: NotRequired[int | None]
    """Pictures of each clip that it sees."""
    parameters: NotRequired[dict[str, Any]]
    """All else that its grades follow from."""


class NewJudging(TypedDict):
    """A file of grades."""

    file: str
    """The key of a file of yours that has arrived whole; it is taken."""


class NewJudgment(TypedDict):
    """A grade of a pair."""

    pair: UUID | str
    grade: int
    """One of the collection's scale."""
    key: UUID | str
    """Your own: sent again with the same, it is one judgment."""
    played: NotRequired[float | None]
    """The share of the clip that was seen."""
    active_ms: NotRequired[float | None]
    """Work on it, in milliseconds."""
    at: NotRequired[datetime | str | None]
    """When it was decided, by your clock."""
    sent: NotRequired[datetime | str | None]
    """When it is sent, by your clock."""
    span: NotRequired[tuple[float, float] | None]
    """Start and end of what fits, in seconds of the clip, where the collection has them marked."""
    used: NotRequired[list[Literal["context", "sound", "subtitles"]] | None]
    """What you used beside the picture, where the collection has it; null: you don't say."""
    factors: NotRequired[dict[str, int | None] | None]
    """What is answered to the collection's factors, by key; null: can't say."""


class NewJudgments(TypedDict):
    """A file of judgments that was sent, and how to read it."""

    file: str
    """The key of a file of yours that has arrived whole; it is taken."""
    split: NotRequired[Literal["val", "test"]]
    """Of new queries."""
    format: NotRequired[str]
    """Empty: detected."""
    ratings: NotRequired[Literal["1-5", "0-4"]]
    """Label Studio's: of 1-5 the first star is grade 0."""
    map_grades: NotRequired[str]
    """What the file's grades are on the collection's scale, such as `0=0,1=2,2=4`; empty: the same."""
    pairs: NotRequired[list[str]]
    """What the pairs are about, if the file says their ids alone: JSON or CSV."""
    repeated_ids: NotRequired[Literal["refuse", "as-published", "first", "last"]]
    """What becomes of a worker's id that stands more than once at a pair."""


class NewNotice(TypedDict):
    """A notice to be."""

    text: str
    member: NotRequired[int | None]
    """An annotator; null: all."""


class NewPlan(TypedDict):
    """What a plan is asked for. What is null is taken as known here, else in the source, else published."""

    smallest: float
    """The difference of two scores that is worth finding."""
    source: NotRequired[str]
    """A key of the list of sources."""
    measure: NotRequired[str]
    power: NotRequired[float]
    """With which probability it is found."""
    level: NotRequired[float]
    """Of intervals that hold for all pairs of systems at once."""
    kappas: NotRequired[list[float]]
    """Of machines."""
    queries: NotRequired[int | None]
    """Of the collection, if scores of these alone are meant."""
    depth: NotRequired[int | None]
    """So many of each system's first are judged."""
    judgments: NotRequired[float | None]
    """Of a pair."""
    seconds: NotRequired[float | None]
    """Of a judgment."""
    pay: NotRequired[float | None]
    """Of an hour."""
    systems: NotRequired[int]
    """To be compared, where nothing is known."""


class NewPool(TypedDict):
    """Which runs go into the pool, and by which recipe it is made."""

    submissions: list[int]
    recipe: str


class NewPoolRun(TypedDict):
    """A system's run to be added to the pool: its file as text, or sent before."""

    team: str
    system: str
    content: NotRequired[str]
    """The run in a form that docs/evaluation.md has; queries are named as in releases."""
    file: NotRequired[str | Literal[""]]
    """In its place the key of a file that you sent."""
    videos: NotRequired[str | Literal[""]]
    """The key of a file that you sent: the videos' indices, where the run names videos by them."""


class NewPublic(TypedDict):
    """What of a release anybody shall read."""

    pictures: NotRequired[Literal["none", "posters", "clips"]]
    files: NotRequired[Literal["none", "without-test", "all"]]
    indexed: NotRequired[bool]
    """Ask search engines to list it."""
    agreed: NotRequired[bool]
    """Agree that everybody can read it."""


class NewPublication(TypedDict):
    """Where a release is to go."""

    root: str
    """A place that the installation allows."""
    below: NotRequired[str]
    """The folder below it."""
    format: NotRequired[str]
    """Empty: all of the release."""
    new_record: NotRequired[bool]
    """At an archive: a record of its own, no new version of an earlier release's."""


class NewQuestion(TypedDict):
    """What you want to know of the lead about a pair of one of your places."""

    pair: str
    text: str


class NewRecipe(TypedDict):
    """A recipe to be set; docs/pools.md has them."""

    recipe: str
    iou: NotRequired[float]
    """From which IoU on predictions are one moment: above 0, at most 1."""
    least_grade: NotRequired[int]
    """The least grade that adaptive recipes take as relevant."""
    by_itself: NotRequired[bool]


class NewRecruitment(TypedDict):
    """A recruitment to be; what isn't said follows from the platform, or isn't limited."""

    name: str
    platform: Literal["prolific", "mturk", "toloka", "sona", "other"]
    until: Literal["judgments", "minutes", "screening"]
    amount: NotRequired[int | None]
    person_parameter: NotRequired[str]
    session_parameter: NotRequired[str]
    study_parameter: NotRequired[str]
    signed: NotRequired[bool]
    known: NotRequired[list[str] | None]
    """Only these ids; null: all."""
    most_out: NotRequired[int | None]
    code: NotRequired[str]
    screened_code: NotRequired[str]
    return_address: NotRequired[str | None]
    people: NotRequired[int | None]
    """Null: any number."""
    most_sessions: NotRequired[int]
    most_judgments: NotRequired[int | None]
    """Null: any number."""
    languages: NotRequired[list[str]]
    opens_at: NotRequired[datetime | str | None]
    expires_at: NotRequired[datetime | str | None]
    paid_by: NotRequired[Literal["session", "judgment", "hour"]]
    rate: NotRequired[float | str]
    reward: NotRequired[float | str]
    currency: NotRequired[str]


class NewRelease(TypedDict):
    """A release to be."""

    name: NotRequired[str]
    """Empty: a draft, named after its content."""
    formats: NotRequired[list[str]]
    adjudicated: NotRequired[bool]
    """With the grades of adjudications."""
    train_below: NotRequired[float | None]
    """Leave training captions with this cosine to a query out; null: equal ones."""
    posteriors: NotRequired[bool]
    """With posteriors.csv: how likely each grade of a pair is."""
    provenance: NotRequired[bool]
    """With judgment_origins.csv and caption_origins.csv: what judgments and captions come from."""
    machine_judges: NotRequired[list[str]]
    """Machine judges whose grades it has, in machine_judgments.csv alone."""
    without_undecided: NotRequired[bool]
    """Agree that it leaves out pairs that aren't decided."""
    about: NotRequired[dict[str, str]]
    """authors, licence, citation, limitations, address, sources, uses, biases, sensitive, impact, recruitment,
    maintenance
    """


class NewReview(TypedDict):
    """A lead's decision about a batch."""

    decision: Literal["extend", "finish", "later"]
    seen: NotRequired[int | None]
    """The `version` that was looked at; another one is refused."""


class NewRewriting(TypedDict):
    """How captions are to be written."""

    rewriter: Literal["rules", "llm", "as-they-are"]
    """Rules know English alone; as-they-are uses descriptions that name nobody in any language."""
    limit: NotRequired[str]
    """What it may cost; empty: the limit of the settings."""


class NewRewritingPreview(TypedDict):
    """Which descriptions are to be tried, and how."""

    rewriter: Literal["rules", "llm"]
    seed: NotRequired[int]
    """By which ten are drawn."""


class NewRole(TypedDict):
    """What a member is to become."""

    role: Literal["owner", "lead"]


class NewRun(TypedDict):
    """A system's run to be scored: its file as text, or sent before."""

    name: str
    content: NotRequired[str]
    """The run's JSON or JSON Lines, as in docs/evaluation.md."""
    file: NotRequired[str | Literal[""]]
    """In its place the key of a file that you sent."""
    manifest: NotRequired[str | Literal[""]]
    """The key of a file that you sent: what made the run."""
    videos: NotRequired[str | Literal[""]]
    """The key of a file that you sent: the videos' indices, where the run names videos by them."""
    family: NotRequired[str]
    """What it shares with machine judges that might favour it, e.g. CLIP; kept in its manifest."""
    same_name: NotRequired[Literal["", "replace", "version"]]
    """What to do where another run has the name."""


class NewSetAside(TypedDict):
    """A decision about judgments since an answer to gold."""

    answer: NotRequired[int | None]
    """An answer to gold; 0: the first judgment; null: the last good answer."""
    seen: int
    """How many judgments it takes out, as told."""
    finished: NotRequired[bool]
    """Those of finished batches as well."""
    reason: str


class NewSignature(TypedDict):
    """A signature of a release's manifest.json, made by minisign."""

    signature: str
    """All of the .minisig."""
    key: str
    """The public key that made it."""


class NewSimilarityJudge(TypedDict):
    """A judge of our own: proportional odds of caption similarity, rank, and perhaps scores that are brought."""

    family: NotRequired[str]
    """Whose the scores are, e.g. CLIP; empty: the encoder's of candidates."""
    file: NotRequired[str | Literal[""]]
    """A file of yours: pair_id, score."""


class NewSpan(TypedDict):
    """A pair's start and end, in seconds of the clip."""

    start: float
    end: float


class NewStanding(TypedDict):
    """What an annotator's standing is to become."""

    step: str
    """pause, admit, requalify, bar"""
    reason: str


class NewStudy(TypedDict):
    """A pilot or a depth study to be."""

    kind: Literal["pilot", "depth"]
    queries: NotRequired[int | None]
    """Null: 5 of a pilot, 10 of a depth study."""
    seed: NotRequired[int | None]
    """Null: the study's number."""


class NewSubmission(TypedDict):
    """A run of one's team: its file as text, or gzipped and in base 64."""

    name: str
    content: NotRequired[str]
    """As docs/evaluation.md has runs."""
    gzip: NotRequired[str]
    """In the place of content: the file gzipped, in base 64, for longer ones."""
    description: NotRequired[str]
    priority: NotRequired[int]
    """1 comes first where not all runs of a team count."""
    replace: NotRequired[bool]
    """Take the place of the team's run of this name."""


class NewSurveyQuestion(TypedDict):
    """A question to ask. It is never changed: retire it, and ask another."""

    kind: Literal["choice", "number", "language"]
    text: str
    options: NotRequired[list[str]]
    """Answers of a choice; where bands of a number begin; of a language none."""


class NewTeams(TypedDict):
    """Teams to be made, all or none."""

    teams: list[TeamIn]


class NewTopic(TypedDict):
    """A topic to be stored."""

    text: str
    split: NotRequired[Literal["val", "test"]]
    narrative: NotRequired[str]
    language: NotRequired[str]
    written_by: NotRequired[str]
    id: NotRequired[str]
    """Its id in its source; empty: made of the text."""


class NewTopicFile(TypedDict):
    """A file of topics that was sent, and how to read it."""

    file: str
    """The key of a file of yours that has arrived whole; it is taken."""
    split: NotRequired[Literal["val", "test"]]
    """Of topics that state none."""
    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""


class NewVideoImport(TypedDict):
    """Where videos are to be imported from."""

    source: NotRequired[str]
    """One of the installation's places, or below one; empty: what was uploaded."""
    frame_rate: NotRequired[float | None]
    """Pictures a second, of folders of pictures."""


class NewVideos(TypedDict):
    """Videos that are to be sent, and files of descriptions that belong to them."""

    files: list[NewFile]
    replace: NotRequired[bool]
    """A file may take the place of another one of its name."""


class NewWebhook(TypedDict):
    """A webhook to be."""

    address: str
    kinds: list[str]
    """job.ended, batch.decided, query.finished, pair.discarded, release.made, run.scored, submission.accepted,
    submission.refused, person.alert
    """


class NextQueries(TypedDict):
    """How many queries are to be opened."""

    number: int


class NoticeOut(TypedDict):
    """A notice to one annotator or to all."""

    notice: int
    text: str
    to: str | None
    """A worker id; null: to all."""
    by: str | None
    made_at: str
    withdrawn_at: str | None
    read_by: int
    """How many have dismissed it."""


class Offered(TypedDict):
    """A run that could go into the pool. Attributes: proposed: whether it counts, by its team's priorities and the
    campaign's limit. pooled: what the pool calls it; empty: it isn't there.
    """

    submission: int
    team: str
    team_number: int
    run: str
    priority: int
    late: bool
    predictions: int
    sent_at: str
    proposed: bool
    pooled: str


OnWithdrawal = Literal["kept", "undecided"]


class OpeningPlan(TypedDict):
    """What would be opened now.

    Queries: `drawn` in all, or by a design that draws queries; `opened` before, `ready` to be opened with
    candidates, and those `without_candidates`. `pairs` of the first batches; `judgments` until they are
    decided, round two included where its share is known; `seconds_each` per judgment, by `basis`: what
    judgments took here, in the collection's studies, or reckoned with the clips' mean length. `pay` is None
    without a rate. `without_clip`: moments to be judged that have no clip yet. `lacking`: whom the work lacks,
    in words.
    """

    drawn: int
    opened: int
    ready: int
    without_candidates: int
    pairs: int
    judgments: int
    seconds_each: float
    basis: str
    hours: str
    pay: str | None
    currency: str
    without_clip: int
    guideline: bool
    annotators: int
    lacking: str
    by_runs: bool


class OrganiserStandings(TypedDict):
    """The same with each topic's best, median and worst value of the measure."""

    measure: str
    measures: list[str]
    queries: int
    compared: bool
    """Intervals and groups are of just these runs and scores."""
    rows: list[ResultRow]
    topics: list[TopicRow]


class OutItem(TypedDict):
    """An item that you judged, with the feedback on your first grade and on your newest."""

    pair: str
    query: str
    """Empty where `medium` stands instead of words."""
    clip: str | None
    """The clip's address; null: judge by the sentence alone."""
    poster: str | None
    subtitles: str | None
    """The address of what is said in it (WebVTT); absent where the guideline doesn't ask for that."""
    narrative: str
    """What is said besides; absent where nothing is."""
    content: list[str]
    """What its video has that somebody may not want to see; absent where nothing is."""
    medium: MediumOut | None
    """What is the query, too; absent where nothing is."""
    context: str
    """Where the seconds before and after are told; absent where the lead allows none."""
    first: FeedbackOut
    now: FeedbackOut


class OverviewOut(TypedDict):
    """How far a collection is. What is null is being counted for the first time."""

    as_of: str | None
    steps: list[StepOut]
    needs: list[NeedOut]
    batches: dict[str, int]
    """By state, of this moment."""
    pairs: dict[str, int] | None
    judgments: int | None
    waiting_for_clip: int | None
    """Open pairs."""
    second_round_share: float | None
    extended_share: float | None
    judged_today: int | None
    days: list[DayOfJudging] | None
    hours: str | None
    paid: str | None
    currency: str | None
    forecast: ForecastOut | None
    at_work: list[AtWorkOut]
    run: JobOut | None
    """The newest run to open, unless it is done."""
    problem: str
    """Why the last count failed; empty: it didn't."""


class OwnAgreement(TypedDict):
    """How often your grades equal your partners', over decided pairs."""

    pairs: int
    exact: float
    within_one: float


class OwnAnswer(TypedDict):
    """A question with your own answer."""

    question: int
    kind: str
    text: str
    answers: list[str]
    answer: str
    """Empty: you would rather not say, or haven't answered."""


class OwnCampaign(TypedDict):
    """A campaign as one of its teams sees it."""

    name: str
    title: str
    rules: str
    contact: str
    phase: str
    """announced, open, closed or results."""
    opens_at: str
    closes_at: str
    """For this team."""
    results_at: str
    results_open: bool
    team: str
    shown_as: str
    """What boards call the team."""
    takes_runs: bool
    next: str
    """What to do next, in a sentence."""
    left: int
    """How many runs the team may send yet."""
    left_today: int
    """Of these today (UTC)."""
    most_pooled: int
    """Of the team's runs, by its priorities, so many count."""
    most_predictions: int
    """For one topic, in one run."""
    topics: int
    files: list[str]
    """Topics and videos, from the opening on."""


class OwnNotice(TypedDict):
    """What the lead says to you: a notice, or an answer to your flag or question."""

    id: str
    text: str


class OwnProgress(TypedDict):
    """Your own figures."""

    today: int
    """Judgments since midnight (UTC)."""
    week: int
    active_today: int
    """Seconds of work."""
    per_hour: int | None
    """Null before there is a pace."""
    agreement: OwnAgreement | None
    """Null: none yet, or the lead doesn't show it."""
    notices: list[OwnNotice]
    """Not put away yet."""


class OwnTopics(TypedDict):
    """A team's runs topic by topic, beside the best, the median and the worst of all runs that count."""

    measure: str
    runs: dict[str, str]
    """The team's runs that count: number and name."""
    topics: list[TopicRow]


class PairOut(TypedDict):
    """A candidate of a batch with what was judged."""

    pair: int
    rank: int
    similarity: float | None
    caption: str | None
    video: str
    start: float
    end: float
    grade: int | None
    """By consensus; null: none (yet)."""
    status: str
    raw: list[RawGrade]
    clip: str | None
    """Its clip's public name."""
    span: SpanShown | None
    """Of a graded pair, where starts and ends are marked."""


class PairRow(TypedDict):
    """Two runs at the last look. `relation`: ">", "<", "=" or "?"; `at`: queries judged when that was settled."""

    first: str
    second: str
    relation: str
    at: int | None
    estimate: float
    low: float
    high: float


class PairState(TypedDict):
    """A pair and its state."""

    pair: int
    status: str


class PairToJudge(TypedDict):
    """A pair of which a judge says nothing, and what it may know of it."""

    pair_id: str
    query: str
    narrative: str
    """Of a topic: what counts as relevant."""
    video_name: str
    start: float
    """Seconds."""
    end: float
    """Seconds."""
    clip: str | None
    """Its clip's address; null: it has none."""


class Partners(TypedDict):
    """Every two people who met."""

    as_of: str | None
    """Null: not counted yet."""
    running: bool
    partners: list[PartnersOut]


class PartnersOut(TypedDict):
    """How far two people who judged the same pairs agree."""

    one: str
    other: str
    met: int
    """Pairs that both judged in the same round."""
    difference: float
    exact: float
    within_one: float
    kappa: float | None
    weighted: float | None


class PasswordLinkOut(TypedDict):
    """A link by which somebody sets a new password, once. It is in this answer and nowhere else."""

    account: str
    link: str
    expires_at: str


class Past(TypedDict):
    """A moment that ends after its video's file does, by more than the collection's slack: no clip can be cut of
    it.
    """

    video: int
    name: str
    start: float
    end: float
    file_ends: float


class PersonByModel(TypedDict):
    """How reliable the model takes somebody to be."""

    worker: str
    member: int
    judgments: int
    exact: float
    """Share of grades that the model takes to be right."""
    within_one: float
    bias: float


class PersonConsent(TypedDict):
    """An annotator by worker id."""

    member: int
    worker: str
    confirmed: int
    """The version that holds; 0: none."""
    withdrawn: bool
    since: str | None
    """The last confirmation or withdrawal; null: there was none."""


class PersonGold(TypedDict):
    """How somebody grades gold, and what a decision about judgments since would take out."""

    figures: dict[str, Any] | None
    """overall, recent, drift, weeks; null: no answers."""
    answers: list[GoldAnswerOut]
    """The newest 200, the newest first."""
    since: str | None
    """When that answer was given; null: the first judgment."""
    going_on: int
    """Counted judgments since, of batches that go on."""
    finished: int
    """Of finished batches."""
    stay: int
    """Of extended ones, and of pairs that the lead ruled on or that are gold."""
    decisions: list[DecisionOut]
    """The newest first."""


class PersonOut(TypedDict):
    """An annotator with figures, as the page People tells them."""

    member: int
    worker: str
    status: str
    figures: dict[str, Any] | None
    """overall, recent (four weeks) and weeks; null: not counted yet."""
    alerts: list[Alert]
    gold: dict[str, Any] | None
    """Figures of what they answered to gold: overall, recent, drift and weeks; absent: nothing."""


class PersonState(TypedDict):
    """Somebody's standing."""

    member: int
    worker: str
    status: str


class PersonWithHistory(TypedDict):
    """An annotator, with what leads decided about them."""

    member: int
    worker: str
    status: str
    steps: list[str]
    """Changes of the standing that are possible now."""
    languages: list[str]
    """Empty: all."""
    pay_per_hour: str | None
    """Null: the collection's."""
    figures: dict[str, Any] | None
    """overall, recent (four weeks) and weeks; null: not counted yet."""
    alerts: list[StandingAlert]
    changes: list[StatusChangeOut]
    """The newest first."""
    dismissals: list[DismissalOut]
    """The newest 50, the newest first."""


class Place(TypedDict):
    """A collection that the caller has a place in."""

    name: str
    title: str
    role: str
    """owner, lead or annotator."""
    status: str
    """Of an annotator: admitted, applicant, paused, declined or barred."""
    worker: str
    """The caller's pseudonym there."""
    study_of: str | None
    """The collection that this is a study of."""
    archived_at: str | None


class PlanOut(TypedDict):
    """A plan: how far it is, and what it found."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    plan: int
    asked: dict[str, Any]
    chosen: int | None
    """The place in `rows` by which the collection goes, from 0."""
    chosen_at: str | None
    result: dict[str, Any] | None
    """pilot (its queries; 0: assumed), systems, seconds, pay, basis, rows: measure, half_width, share (of the
    orders), kappa, pairs, judgments, queries, fewest, most, hours, cost. Null: none yet.
    """


class PlanRow(TypedDict):
    """A version of the recipe; `chosen`: candidates that it chose."""

    version: int
    recipe: str
    iou: float
    least_grade: int
    by_itself: bool
    current: bool
    made_at: str
    by: str | None
    chosen: int


class PointedAt(TypedDict):
    """A pair on which model and consensus differ, as the lead sees it; `grades` are (worker, grade, round)."""

    pair: int
    batch: int
    query: str
    caption: str | None
    rank: int
    grade: int | None
    status: str
    model: int
    probability: float
    expected: float
    far: float
    grades: list[list[str | int]]


class Pool(TypedDict):
    """The candidate pool and the queries that have candidates."""

    captions: int
    """That belong in the pool."""
    fetched: int
    """That candidates were fetched with."""
    gone: int
    """That candidates were fetched with and that aren't accepted any more."""
    drawn: int
    ranked: int
    approximate: list[SearchOut]
    """The approximate searches that found candidates; empty: all are exact."""


class PoolOut(TypedDict):
    """The runs that may go into the collection's pool."""

    recipe: str
    """What is proposed: the recipe of runs that holds, or depth@10."""
    runs: list[Offered]


class PoolRunOut(TypedDict):
    """A system's run of the pool."""

    run: int
    team: str
    system: str
    file_name: str
    sha256: str
    added_at: str
    by: str | None
    """A worker id; null: a command."""
    queries: int
    predictions: int
    kept: int
    """Predictions that a pool may use: the first 100 of each query."""
    videos: int
    chosen: int
    """Pairs that it put into the pool."""
    open: int
    """Of these, pairs that are open for judging or judged."""


class PreviewOut(TypedDict):
    """A file of descriptions that a worker reads, or has read: what was understood. Nothing of it is imported."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    preview: int
    file_name: str
    size: int
    skip_bad: bool
    found: dict[str, Any]
    """format, charset, separator, headers, columns, remarks, the first rows, counts, problem_count, problems
    (line, entry, field, found, expected, and the choice that would settle it).
    """


class Priority(TypedDict):
    """Which of a team's runs comes first."""

    priority: int


class Progress(TypedDict):
    """How far a job is."""

    share: float
    """Percent."""
    words: str
    silent: bool
    """No worker was heard of for a while: it can be resumed."""
    stopped: bool
    """Somebody stopped it: it can be resumed."""
    finished: bool


class PromisedOut(TypedDict):
    """What the chosen plan promised, and what came."""

    plan: int | None
    """Null: none is chosen."""
    promised: dict[str, Any] | None
    """The chosen row."""
    boards: list[Came]


class ProposedFile(TypedDict):
    """A file that may be a video's."""

    video: int
    name: str
    file: str
    why: str
    sure: bool
    """Beyond doubt."""


class PublicOut(TypedDict):
    """What of a release anybody can read."""

    public_since: str | None
    """Null: the page isn't public."""
    pictures: str
    files: str
    indexed: bool
    address: str
    still_judged: str
    """What is judged still, and could learn of grades by it; or empty."""


class PublicationOut(TypedDict):
    """A publication: looked at first, sent once it is confirmed."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    release: int
    place: str
    format: str
    replace: bool
    final: bool
    new_record: bool
    record: dict[str, Any]
    """What an archive says of its record: doi, address, published; concept_doi, which all versions share, and
    version_of, the address of the version before, where there are.
    """
    confirmed_at: str | None
    files: list[dict[str, Any]]
    """path, goes_to, address, size, sha256, state, sent: whether it is there."""


class PutAway(TypedDict):
    """A notice or an answer that was read."""

    id: str


class QueryMediumOut(TypedDict):
    """A topic's picture, clip or sound."""

    kind: str
    """picture, clip or sound."""
    address: str
    alone: bool
    """Instead of words: `text` is a label that annotators don't read."""


class QueryOut(TypedDict):
    """A query of val or test."""

    query: int
    text: str
    split: str
    position: int
    source_id: str | None
    """Its id in files: of the description that it came from, or a topic's own."""
    ranked: bool
    """Whether candidates were fetched for it by a search."""
    medium: QueryMediumOut | None
    """Absent: words alone."""


class QuestionOut(TypedDict):
    """What an annotator asked about a pair."""

    question: int
    pair: int
    query: str
    worker: str
    text: str
    asked_at: str
    answer: str
    answered_by: str | None
    answered_at: str | None


class RawGrade(TypedDict):
    """One counted judgment: who gave which grade in which round."""

    worker: str
    grade: int
    round: int
    bar: Bar | None


class Reading(TypedDict):
    """How a file of descriptions is to be read; what is empty is detected."""

    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""
    columns: NotRequired[dict[str, str]]
    """Of CSV, field to header: video, start, end, text, id, kind, duration, language, moment_id; - leaves one out."""
    skip_bad: NotRequired[bool]
    """Import the good rows where others are bad."""


class Reason(TypedDict):
    """What the feedback on an item says."""

    why: str


class RecipeOut(TypedDict):
    """By which recipe the pool is made, and how far it is."""

    version: int
    """0: none was ever set, so the paper's holds."""
    recipe: str
    iou: float
    least_grade: int
    adaptive: bool
    """It chooses from the grades so far."""
    by_itself: bool
    """An adaptive recipe goes on without the lead."""
    versions: list[PlanRow]
    """The newest first."""
    compared: list[ComparedRecipe]
    """Empty while a worker counts for the first time."""
    queries: int
    stale: int
    """Queries whose pool isn't what runs and recipe say now."""
    chosen: int
    """Candidates that aren't open for judging."""
    open: int
    judged: int


class RecruitSessionOut(TypedDict):
    """A session of a platform's person, as the file for approving tells it."""

    session_number: int
    worker: str
    person: str
    """The platform's id; empty: it is erased."""
    session: str
    study: str
    entered_at: str
    ended_at: str | None
    outcome: str
    """complete, short, screened, left; empty: it goes on."""
    minutes: float | None
    """From entering to the end, as the platform counts."""
    paid_minutes: float
    """At work."""
    judgments: int
    exam_out: float | None
    """The part of the exam's first grades that was out, 0-1."""
    gold: int
    """Judgments that were gold."""
    gold_within: int
    """Of them, those within the rule's tolerance of the known grade."""
    alerts: list[str]
    code: str
    suggestion: str
    """approve, look, reject, screened out; empty: nothing yet."""
    due: str | None
    reward: str | None
    bonus: str | None
    currency: str


class RecruitmentOut(TypedDict):
    """A way by which a platform sends people."""

    recruitment: int
    name: str
    platform: Literal["prolific", "mturk", "toloka", "sona", "other"]
    entry: str
    """The address to paste into the platform."""
    person_parameter: str
    session_parameter: str
    study_parameter: str
    signed: bool
    until: Literal["judgments", "minutes", "screening"]
    """What completes a session."""
    amount: int | None
    """Judgments or minutes; null: the exam."""
    most_out: int | None
    """Percent of exam grades; null: the lead decides."""
    code: str
    screened_code: str
    return_address: str
    people: int | None
    most_sessions: int
    most_judgments: int | None
    languages: list[str]
    opens_at: str | None
    expires_at: str | None
    closed_at: str | None
    paid_by: Literal["session", "judgment", "hour"]
    rate: str
    reward: str
    currency: str
    came: int
    """People."""
    live: int
    """Sessions that go on."""
    complete: int
    screened: int


class ReleaseAuditOut(TypedDict):
    """The audit of a release, by its raw judgments alone."""

    as_of: str | None
    """Null: it isn't computed yet."""
    running: bool
    problem: str
    """Why it can't be computed."""
    audit: dict[str, Any] | None
    """As `python -m evaluation audit FILE --json` prints it; null: not yet."""


class ReleaseFile(TypedDict):
    """A file of a release."""

    path: str
    size: int
    """Bytes."""
    sha256: str


class ReleaseOut(TypedDict):
    """A release: frozen, the same bytes under the same name."""

    release: int
    name: str
    created_at: str
    formats: list[str]
    content_hash: str
    undecided: int
    """Pairs that it leaves out."""
    size: int
    """Bytes of all files."""
    splits: dict[str, SplitCounts]


class ReleaseWithFiles(TypedDict):
    """A release with the files that the caller may have."""

    release: int
    name: str
    created_at: str
    formats: list[str]
    content_hash: str
    undecided: int
    """Pairs that it leaves out."""
    size: int
    """Bytes of all files."""
    splits: dict[str, SplitCounts]
    files: list[ReleaseFile]


class RemovalOut(TypedDict):
    """What a removal would cost, in words, and what depends on what it removes: while anything does, it is
    refused.
    """

    losses: list[str]
    obstacles: list[str]


class ReplayOut(TypedDict):
    """What another rule would change. Nothing is changed."""

    pairs: int
    judgments: int
    changed: int
    undecided: int
    """Of these, pairs that would need more judgments."""
    moves: list[Move]


class ResultRow(TypedDict):
    """A run among the results.

    Attributes: place: 1 for the highest value; equal ones share it. low, high: the bootstrap interval of the
    mean; None before the runs were compared, as are `letters`. close: whether it can't be told from the best.
    best_of_team: whether no run of its team has a higher value. late: whether it came after the campaign's
    deadline.
    """

    submission: int
    place: int
    team: str
    team_number: int
    run: str
    late: bool
    value: float | None
    low: float | None
    high: float | None
    letters: str
    close: bool
    best_of_team: bool
    values: dict[str, float | None]


class RewritingOut(TypedDict):
    """How far the rewriting of a collection is, and what the checks say. Shares are 0 to 1."""

    at: str
    descriptions: int
    accepted: int
    review: int
    refused: int
    pending: int
    """Without a caption."""
    passed_at_once: float | None
    asked_again: int
    words_replaced: float | None
    similarity_mean: float | None
    by: Literal["rules", "llm"]
    """What the settings say."""
    encoder: str
    """That checks captions, with its pooling where that isn't its own."""
    warning: str
    """That thresholds aren't calibrated for the encoder; empty: they are."""


class RewritingPreviewOut(TypedDict):
    """Ten descriptions rewritten to be looked at, and what all that are left would take."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    preview: int
    rewriter: str
    seed: int
    rows: list[dict[str, Any]]
    """description, caption, passed, verdicts."""
    estimate: dict[str, Any]
    """descriptions, seconds; of an LLM also texts, tokens, cost, model, server."""


class Rule(TypedDict):
    """Somebody who is reserved for a query (only these judge it), or never judges it."""

    member: int
    rule: Literal["reserved", "barred"]


class RulingOut(TypedDict):
    """A start and end that a lead has set, in seconds of the video."""

    ruling: int
    pair: int
    start: float
    end: float
    decided_at: str
    withdrawn_at: str | None


class RunOut(TypedDict):
    """A run on a leaderboard."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    run: int
    release: int
    split: str
    worker: str | None
    """Who uploaded it; null: a command."""
    version: int
    sha256: str
    problem: str
    """Why it isn't scored."""
    values: dict[str, float | None]
    """By measure."""
    unanswered: int
    """Queries without predictions; they count 0."""
    unknown: int
    """Its rows that the ground truth doesn't know."""
    withdrawn_at: str | None


class SaidOfPair(TypedDict):
    """What a judge says of a pair: a grade, a distribution, or that it abstains."""

    pair_id: str
    """As in the pairs to judge, or as in releases."""
    grade: NotRequired[int | None]
    distribution: NotRequired[list[float] | None]
    """Probability of each grade from 0 to the top; its most probable one is the grade."""
    abstained: NotRequired[Literal["", "refused", "nonsense", "low mass", "no clip", "other"]]


class ScaleOut(TypedDict):
    """A collection's scale."""

    top: int
    step: int
    fixed: bool
    """Whether something is judged: then only a language can be added."""
    grades: list[GradeWords]
    """By language, the first for whoever reads no other."""


class ScaleShown(TypedDict):
    """The scale that grades are given on, where it isn't the paper's, in the language that is asked for."""

    top: int
    step: int
    words: dict[str, str]
    """What grades are called; of 0 to 100, some of them."""
    shows: dict[str, str]
    """What a moment of each shows."""


class SearchOut(TypedDict):
    """An approximate search that found candidates, and its measured recall."""

    recall: float
    """Of the exact search's moments, for a sample of the queries; 0 to 1."""
    least_recall: float
    """What the collection's settings asked for."""
    depth: int
    """Moments a query."""
    sample: int
    """Queries that the recall was measured on."""
    encoder: str


class SentAgain(TypedDict):
    """How many events are sent again."""

    events: int


class SentAnswer(TypedDict):
    """Your answer to a question."""

    question: int
    answer: str
    """Empty: rather not say; nothing is stored."""


class SentAnswers(TypedDict):
    """Your answers; questions that aren't named stay as they are answered."""

    answers: list[SentAnswer]


class SentGrades(TypedDict):
    """Grades of a judge: all are stored, or none."""

    grades: list[SaidOfPair]


class SessionOut(TypedDict):
    """Your own work since a time."""

    judged: int
    seconds: float
    per_hour: int | None
    pay: str | None
    """Null: there is no rate."""
    currency: str


class SetSpan(TypedDict):
    """What a lead has set: `ruling` is its id, `bar` the span within the moment."""

    ruling: int
    bar: Bar
    by: str
    decided_at: str


class SettingChanges(TypedDict):
    """Settings to change, all of them or none: name and value as text; lists with commas, empty for none."""

    settings: dict[str, str]


class SettingOut(TypedDict):
    """A setting of a collection; values as text, as commands take them."""

    name: str
    label: str
    value: str
    default: str
    meaning: str
    paper: str
    """What the paper did."""
    frozen: bool
    """Judgments rest on it: it stays."""
    choices: list[str]
    """What it may be, where that is a list."""


class Settled(TypedDict):
    """Which files are which videos'."""

    pairs: list[VideoFile]


class SharingOut(TypedDict):
    """What members see of a release."""

    members: bool
    """They see it and its boards, and upload runs."""
    hide_test: bool
    """The truth of test stays with the leads."""


class Sheet(TypedDict):
    """A batch with everything that the lead needs to decide it."""

    batch: int
    query: int
    query_text: str
    number: int
    """1 has the best ranks."""
    status: str
    postponed: bool
    """Put off: last in the lead's queue."""
    narrative: str
    """A topic's; else empty."""
    pairs: list[PairOut]
    """In rank order."""
    mean: float | None
    """Of the last five grades."""
    recommended: Literal["extend", "finish"]
    """By the rule."""
    verdict: str
    """The rule's words."""
    may_extend: bool
    version: int
    """Grows with every change: send it as `seen` with a decision."""
    review: DecidedBatch | None
    """Null while it waits."""


class Shown(TypedDict):
    """Whether a release's public page lists the run."""

    shown: bool


class SignatureOut(TypedDict):
    """A release's signature."""

    signature: str
    """All of the .minisig."""
    key: str
    """The public key that made it."""
    identity: str
    """The key's id, as minisign shows it."""
    at: str
    """By its trusted comment, or else when it was added."""


class SourceOut(TypedDict):
    """What a plan can be made from."""

    key: str
    words: str


class SpanApart(TypedDict):
    """A pair on whose span its annotators don't agree; `raw` says who marked what (no bar: the whole clip)."""

    pair: int
    batch: int
    query: str
    video: str
    start: float
    end: float
    clip: str | None
    raw: list[RawGrade]
    set_to: SetSpan | None


class SpanShown(TypedDict):
    """The span of a graded pair: as agreed on, as the lead has set it, or the moment's own; `status` of
    `PairSpan`.
    """

    status: str
    bar: Bar
    mean_iou: float | None


class SpansOut(TypedDict):
    """How far annotators agree on starts and ends."""

    marked: bool
    """Whether the collection has them marked."""
    as_of: str | None
    """Null: not counted yet."""
    whole: int
    agreed: int
    apart: int
    mean_iou: float | None
    pairs: list[SpanApart]
    """200 of those that are apart, from `start` on."""


class SplitCounts(TypedDict):
    """How large a split is."""

    queries: int
    pairs: int


class StageRow(TypedDict):
    """A draw of the design. `asked`: how many in all, or of each stratum; `drawn`: units that it drew."""

    number: int
    asked: list[int]
    drawn: int
    made_at: str
    by: str | None


class StandingAlert(TypedDict):
    """Something about a person that is worth a look."""

    kind: str
    name: str
    reason: str


class StandingsOut(TypedDict):
    """A campaign's runs in the order of one measure, with intervals and groups once they were compared."""

    measure: str
    measures: list[str]
    queries: int
    compared: bool
    """Intervals and groups are of just these runs and scores."""
    rows: list[ResultRow]


class Statistics(TypedDict):
    """A collection's statistics, as a paper reports them."""

    as_of: str | None
    """Null: not counted yet, ask again."""
    running: bool
    statistics: dict[str, Any] | None
    tables: list[Table]


class StatusChangeOut(TypedDict):
    """A change of a person's standing."""

    before: str
    after: str
    reason: str
    by: str
    at: str


class StepOut(TypedDict):
    """A step of the work as it stands."""

    key: str
    stage: str
    name: str
    state: str
    """not-begun, ready, working, needs-you, done or out-of-date."""
    done: int
    total: int
    waiting: str
    """What it waits for or lacks."""
    action: str
    """The next thing to do; empty: nothing."""


class Steps(TypedDict):
    """How far you are on the way to judging."""

    status: str
    guideline_confirmed: bool
    practice_done: int
    practice_items: int
    exam_done: int
    exam_items: int
    """0 before you have begun it."""
    handed_in: bool
    why_not_begin: str
    """Why you can't begin the exam; empty: you can, or have."""
    out: int
    """Items to judge again."""


class StratumRow(TypedDict):
    """The strata of one name, all queries' together: of `size` units `drawn`, of these `open` and `judged`; the
    least and the greatest probability of a unit.
    """

    name: str
    size: int
    drawn: int
    open: int
    judged: int
    least: float
    greatest: float


class StudyRow(TypedDict):
    """A study as its page and JSON tell it. `name` is that of its desk, None until it is made; `state` is queued,
    running, refused, judging, judged or put-away; pairs by what became of them; `agreement` over its counted
    judgments, None before two people have judged a pair.
    """

    study: int
    kind: str
    number: int
    title: str
    name: str | None
    state: str
    queries: int
    seed: int
    depth: int
    at_random: int
    outside: bool | None
    asked_at: Any
    asked_by: str | None
    pairs: int
    graded: int
    discarded: int
    withdrawn: int
    left: int
    judgments: int
    without_clip: int
    agreement: Alpha | None
    problem: str


class SubmissionOfTeam(TypedDict):
    """A run with its team."""

    submission: int
    name: str
    description: str
    priority: int
    state: str
    """received, checking, accepted, refused, stopped, withdrawn or excluded."""
    words: str
    """The state in words, and why it is in it."""
    faults: list[Fault]
    """The first ones of a refused run."""
    format: str
    predictions: int
    unanswered: int
    """Topics without a prediction."""
    sent_at: str
    late: bool
    """After the campaign's own deadline."""
    file_name: str
    size: int
    sha256: str
    values: dict[str, float | None] | None
    """By measure; null: no score yet, or none to see."""
    team: int
    team_name: str


class SubmissionOut(TypedDict):
    """A run that a team sent."""

    submission: int
    name: str
    description: str
    priority: int
    state: str
    """received, checking, accepted, refused, stopped, withdrawn or excluded."""
    words: str
    """The state in words, and why it is in it."""
    faults: list[Fault]
    """The first ones of a refused run."""
    format: str
    predictions: int
    unanswered: int
    """Topics without a prediction."""
    sent_at: str
    late: bool
    """After the campaign's own deadline."""
    file_name: str
    size: int
    sha256: str
    values: dict[str, float | None] | None
    """By measure; null: no score yet, or none to see."""


class SumsOut(TypedDict):
    """What is told of a question."""

    question: int
    text: str
    asked: bool
    """False: it isn't asked any more."""
    told: dict[str, int]
    """By answer, how many people gave it at least: fives."""
    rest: int
    """People of another answer, or none."""
    people: int
    """Of how many people that is told."""
    waiting: int
    """Annotators who are in no sum yet."""


class SurveyQuestionOut(TypedDict):
    """A question, with what may be answered."""

    question: int
    kind: str
    text: str
    answers: list[str]


class Swapped(TypedDict):
    """Words of a description and what stands in their place, by the check that they fail: gender, roles or words."""

    check: str
    before: str
    after: str


class Table(TypedDict):
    """A table with its title; the first cell of each row says what the others are. `key` names it in files."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str
    key: str


class TakenBack(TypedDict):
    """What became of captions that were accepted at once."""

    back: int
    """In review again."""
    stay: int
    """Became queries or candidates meanwhile."""


class TaskOut(TypedDict):
    """A pair to judge: a sentence and a clip, and nothing else."""

    pair: str
    query: str
    """Empty where `medium` stands instead of words."""
    clip: str | None
    """The clip's address; null: judge by the sentence alone."""
    poster: str | None
    subtitles: str | None
    """The address of what is said in it (WebVTT); absent where the guideline doesn't ask for that."""
    narrative: str
    """What is said besides; absent where nothing is."""
    content: list[str]
    """What its video has that somebody may not want to see; absent where nothing is."""
    medium: MediumOut | None
    """What is the query, too; absent where nothing is."""
    context: str
    """Where the seconds before and after are told; absent where the lead allows none."""


class Tasks(TypedDict):
    """The next pairs, or why there are none."""

    tasks: list[TaskOut]
    empty: str
    """Why there are none; empty: there are."""
    confirm: int | None
    """The guideline's version to confirm first, on its page."""
    message: str
    """What is to be known about what was sent."""
    consent: int | None
    """The consent text's version to confirm before the next pairs; absent where none is."""
    scale: ScaleShown | None
    """The scale; absent where it is the paper's, 0 to 4."""


class TeamChanges(TypedDict):
    """What is changed of a team; what isn't sent stays."""

    name: NotRequired[str | None]
    affiliation: NotRequired[str | None]
    contact: NotRequired[str | None]
    anonymous: NotRequired[bool | None]


class TeamIn(TypedDict):
    """A team to be."""

    name: str
    affiliation: NotRequired[str]
    contact: NotRequired[str]
    """For the organiser alone."""


class TeamRow(TypedDict):
    """A team with its figures. `conflicts`: of its people that belong to the collection."""

    id: int
    number: int
    name: str
    affiliation: str
    contact: str
    anonymous: bool
    members: int
    accounts: list[str]
    conflicts: int
    accepted: int
    waiting: int
    refused: int
    withdrawn: int
    extended_until: str | None
    disqualified_at: str | None
    disqualified_reason: str


class Terms(TypedDict):
    """What somebody reads, and what an hour of theirs is paid."""

    languages: list[str]
    """Empty: all."""
    pay_per_hour: NotRequired[float | str | None]
    """Null: the collection's."""
    since: NotRequired[date | str | None]
    """The first day (UTC) of a new rate; null: today."""


class TopicFields(TypedDict):
    """A topic as somebody writes it. A blank field is an empty one."""

    text: str
    split: NotRequired[Literal["val", "test"]]
    narrative: NotRequired[str]
    language: NotRequired[str]
    written_by: NotRequired[str]


class TopicOut(TypedDict):
    """A query that was written as one, without a source moment."""

    topic: int
    topic_id: str
    text: str
    narrative: str
    """What annotators read besides; empty: nothing."""
    language: str
    """BCP 47; empty: not stated."""
    written_by: str
    split: str
    candidates: int
    fixed: bool
    """Its judging is open: it can't be changed."""


class TopicRow(TypedDict):
    """A topic over all runs: the best, the median and the worst value, and those of some runs by their submission."""

    topic_id: str
    text: str
    best: float | None
    median: float | None
    worst: float | None
    own: dict[str, float | None]


class TraineeOut(TypedDict):
    """Somebody in training, or who was decided about, or sat the newest exam."""

    member: int
    worker: str
    status: str
    stage: str
    answered: int
    handed_in: bool
    cohort: bool
    out: float | None
    kappa: float | None
    bias: float | None
    differences: list[int]
    """How many grades were -4 to 4 from the truth."""
    waiting: int
    """Items still out."""


class TryOut(TypedDict):
    """One try to tell of an event."""

    at: str
    seconds: float
    answer: int | None
    """The HTTP status; null: none came."""
    problem: str


class Undo(TypedDict):
    """What is taken back; without either, what you did last."""

    key: NotRequired[UUID | str | None]
    """Of the judgment."""
    flagged: NotRequired[UUID | str | None]
    """The pair whose flag, or question, is taken back."""


class UndoAnswer(TypedDict):
    """Which answer is taken back."""

    key: NotRequired[UUID | str | None]
    """Of the answer; null: your last."""


class VersionOut(TypedDict):
    """A published version of the guideline."""

    version: int
    note: str
    """What changed; empty: the first."""
    published_at: str


class VideoFile(TypedDict):
    """A file that is a video's."""

    video: int
    file: str
    """One of `strays`."""


class VideoImportOut(TypedDict):
    """An import of videos, and once it is done what it found."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    """queued, running, done, refused, stopped, or what its kind has besides."""
    words: str
    by: str | None
    """A worker id; null: a command."""
    asked_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    source: str
    report: dict[str, Any]
    """By kind: names, reasons, counts."""


class VideoNames(TypedDict):
    """Videos without a file, files without a video (the first of each), and which may belong together."""

    videos: int
    with_file: int
    without_file: list[str]
    without_file_count: int
    strays: list[str]
    strays_count: int
    proposals: list[ProposedFile]
    past_end: int
    """Moments that end after their file."""
    worst_past_end: list[Past]


class VideoOut(TypedDict):
    """A video."""

    video: int
    name: str
    duration: float | None
    """Seconds, as its source states."""
    file_duration: float | None
    """Seconds, as its file says."""
    has_file: bool
    """Whether there is a file that clips can be cut from."""
    subtitles: list[str]
    """Their languages, empty where unstated; absent: none."""
    content: list[str]
    """What somebody may not want to see; absent: nothing."""
    minimum_age: int
    """Years of age; absent: whatever people are."""


class VideoPlace(TypedDict):
    """What lies in a place that videos can be imported from."""

    address: str
    root: str
    """The place of the installation that it lies in."""
    above: str
    """The place that it lies in; empty for a root."""
    videos: int
    picture_folders: int
    size: int
    """Bytes of the videos."""
    names: list[str]
    """The first of them."""
    below: list[str]
    """Places in it."""
    more: bool
    """There is more than was looked at."""
    left_out: list[str]
    """The first files that can't be imported: no UTF-8 in their names."""


class VideoSources(TypedDict):
    """Where the installation lets leads import videos from (QREELS_VIDEO_SOURCES)."""

    sources: list[str]
    free_bytes: int
    """That uploads may take."""
    longest_video: int
    """Bytes."""
    place: VideoPlace | None
    """What lies in the place that was asked about."""


class VideoUploadOut(TypedDict):
    """A video on its way, or here. Of a file of descriptions a preview is made once it is here."""

    upload: str | None
    """Its key; null: it isn't taken, as `problem` says."""
    name: str
    size: int
    offset: int
    """Where it goes on: so many bytes are safe."""
    state: Literal["", "arriving", "arrived", "taken", "refused"]
    problem: str
    preview: int | None
    """Where a file of descriptions waits."""
    import_id: int | None
    """What became of a file of descriptions."""


class WebhookOut(TypedDict):
    """An address that is told of events."""

    webhook: int
    address: str
    kinds: list[str]
    made_by: str
    made_at: str
    state: str
    """on or stopped."""
    problem: str
    """Why it stopped by itself; else empty."""
    waiting: int
    delivered: int
    given_up: int
    pauses_until: str | None


class WhatGoes(TypedDict):
    """What goes with a collection."""

    losses: list[str]
    obstacles: list[str]
    """Why it may not be deleted; empty: it may."""
    warnings: list[str]
    """What has to be agreed to besides."""


class WhatToRun(TypedDict):
    """By what captions are rewritten, and how many queries are drawn."""

    rewriter: NotRequired[str]
    val: NotRequired[int | None]
    """Null: as the draw suggests."""
    test: NotRequired[int | None]
    """Null: as the draw suggests."""
    seed: NotRequired[int]


class Withdrawn(TypedDict):
    """What a withdrawal did."""

    confirmed: int
    """The version that holds; 0: none."""
    withdrawn_at: str | None
    """Null: it isn't withdrawn."""
    agrees: bool
    """Whether nothing is to be confirmed."""
    taken_back: int
    """Judgments that were taken back."""


class WorkChange(TypedDict):
    """What is to change; what isn't sent stays."""

    priority: NotRequired[int]
    """-1 later, 0 in turn, 1 sooner, 2 first."""
    people: NotRequired[list[Rule]]
    """All of them: others are like everybody."""


class WorkOut(TypedDict):
    """A query that is open for judging."""

    query: int
    text: str
    split: str
    priority: int
    """-1 later, 0 in turn, 1 sooner, 2 first."""
    assigned: int
    """How many people are reserved for it or barred from it."""
    batches: list[BatchState]


class WorkWithPeople(TypedDict):
    """A query that is open for judging, with its rules about people."""

    query: int
    text: str
    split: str
    priority: int
    """-1 later, 0 in turn, 1 sooner, 2 first."""
    assigned: int
    """How many people are reserved for it or barred from it."""
    batches: list[BatchState]
    people: list[Rule]


class Written(TypedDict):
    """A caption that a person wrote."""

    caption: int
    description: int
    text: str
    status: str
    """accepted, review or refused."""
    decided_by: str | None
    """A worker id; null: by the checks alone, or not yet."""
    decided_at: str | None
    reason: str
    rewriter: str
    """openai, rules, as they are, import (with judgments), elsewhere, or person for an edit."""
    made_by: str
    """The model, or who or what made a caption elsewhere."""
    checks: Checks
    accepted: bool
    """false: a worker checks the text; accept it when it is back."""
