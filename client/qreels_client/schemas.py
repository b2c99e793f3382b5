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


class AdjudicationOut(TypedDict):
    """An adjudication."""

    adjudication: int
    grade: int
    reason: str
    decided_at: str
    withdrawn_at: str | None


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


class Applied(TypedDict):
    """What the batch review policy has decided."""

    extended: int
    finished: int


class AskedNext(TypedDict):
    """How many pairs are wanted."""

    ahead: NotRequired[int]


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


class CandidateOut(TypedDict):
    """A moment in a query's ranking. For leads: whoever judges is blind to it."""

    candidate: int
    moment: int
    rank: int
    similarity: float | None
    caption: str | None
    """The text by which it was found."""


class CaptionDecision(TypedDict):
    """What a person decides about a caption in review."""

    decision: Literal["accept", "refuse"]
    reason: NotRequired[str]


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
    """openai, rules, or person for an edit."""
    checks: Checks


class Cell(TypedDict):
    """A run's value on a measure; against the best: the corrected p-value, None for the best itself."""

    measure: str
    value: float | None
    best: bool
    difference: float | None
    p_value: float | None


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


class Clips(TypedDict):
    """How a collection's clips stand."""

    moments: int
    ready: int
    failed: int
    waiting: int
    at: str
    """As of when."""


class CollectionOut(TypedDict):
    """A collection as its leads see it."""

    name: str
    title: str
    role: str
    """owner, lead or annotator."""
    status: str
    """Of an annotator: admitted, candidate, paused, declined or barred."""
    worker: str
    """The caller's pseudonym there."""
    study_of: str | None
    """The collection that this is a study of."""
    archived_at: str | None
    has_clips: bool
    created_at: str
    batches: dict[str, int]
    """How many there are of each state."""


class Confirmation(TypedDict):
    """That a planned publication is to be sent."""

    replace: NotRequired[bool]
    """Agree that files which differ are replaced."""


class CorrectionOut(TypedDict):
    """A correction of a person's day."""

    correction: int
    member: int
    day: str
    minutes: int
    reason: str
    made_at: str


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
    raw: list[GivenGrade]
    standing: AdjudicationOut | None
    former: list[AdjudicationOut]
    """Withdrawn, the newest first."""


class DrawOut(TypedDict):
    """The draw of queries: what could be drawn, and what stands."""

    captions: int
    """Different ones that can be drawn."""
    shows: dict[str, int]
    draw: dict[str, Any] | None
    """val, test, seed, stratify, drawn_at, training."""
    fixed: str
    """Why it can't be replaced; empty: it can."""


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


class GivenGrade(TypedDict):
    """A counted judgment."""

    worker: str
    grade: int
    round: int


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
    counts: dict[str, Any]
    problem_count: int
    problems: list[dict[str, Any]]
    """The first of them: line, entry, field, found, expected."""


class Line(TypedDict):
    """A line of a job's log."""

    at: str
    text: str


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


class MomentOut(TypedDict):
    """A stretch of a video, in seconds."""

    moment: int
    video: int
    video_name: str
    start: float
    end: float
    clip: str | None
    """Its clip's address; null: it has none."""


class NewAdjudication(TypedDict):
    """The lead's own grade of a discarded pair."""

    grade: int
    reason: str


class NewCollection(TypedDict):
    """A collection to be."""

    name: str
    """Short, for addresses."""
    title: str
    has_clips: NotRequired[bool]


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


class NewDescriptions(TypedDict):
    """A file of descriptions that was sent, and how to read it."""

    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""
    columns: NotRequired[dict[str, str]]
    """Of CSV, field to header: video, start, end, text, id, kind, duration, language; - leaves one out."""
    skip_bad: NotRequired[bool]
    """Import the good rows where others are bad."""
    file: str
    """The key of a file of yours that has arrived whole; it is taken."""


class NewDraw(TypedDict):
    """How many queries to draw."""

    val: int
    test: int
    seed: NotRequired[int]
    by_show: NotRequired[bool]
    """Each show gets its share."""
    redraw: NotRequired[bool]
    """Replace the draw that stands."""


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


class NewJudgment(TypedDict):
    """A grade of a pair."""

    pair: UUID | str
    grade: int
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


class NewNotice(TypedDict):
    """A notice to be."""

    text: str
    member: NotRequired[int | None]
    """An annotator; null: all."""


class NewPoolRun(TypedDict):
    """A system's run to be added to the pool: its file as text, or sent before."""

    team: str
    system: str
    content: NotRequired[str]
    """The run in a form that docs/evaluation.md has; queries are named as in releases."""
    file: NotRequired[str | Literal[""]]
    """In its place the key of a file that you sent."""


class NewPublication(TypedDict):
    """Where a release is to go."""

    root: str
    """A place that the installation allows."""
    below: str
    """The folder below it."""
    format: NotRequired[str]
    """Empty: all of the release."""


class NewRecipe(TypedDict):
    """A recipe to be set; docs/pools.md has them."""

    recipe: str
    iou: NotRequired[float]
    """From which IoU on predictions are one moment: above 0, at most 1."""
    least_grade: NotRequired[int]
    """The least grade that adaptive recipes take as relevant."""
    by_itself: NotRequired[bool]


class NewRelease(TypedDict):
    """A release to be."""

    name: NotRequired[str]
    """Empty: a draft, named after its content."""
    formats: NotRequired[list[str]]
    adjudicated: NotRequired[bool]
    """With the grades of adjudications."""
    without_undecided: NotRequired[bool]
    """Agree that it leaves out pairs that aren't decided."""
    about: NotRequired[dict[str, str]]
    """authors, licence, citation, limitations"""


class NewReview(TypedDict):
    """A lead's decision about a batch."""

    decision: Literal["extend", "finish", "later"]
    seen: NotRequired[int | None]
    """The `version` that was looked at; another one is refused."""


class NewRewriting(TypedDict):
    """How captions are to be written."""

    rewriter: Literal["rules", "llm"]
    limit: NotRequired[str]
    """What it may cost; empty: the limit of the settings."""


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
    same_name: NotRequired[Literal["", "replace", "version"]]
    """What to do where another run has the name."""


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


class OpeningPlan(TypedDict):
    """What would be opened now.

    Queries: `drawn` in all, `opened` before, `ready` to be opened with candidates, and those
    `without_candidates`. `pairs` of the first batches; `judgments` until they are decided, round two included
    where its share is known; `seconds_each` per judgment, by `basis`: what judgments took here, in the
    collection's studies, or reckoned with the clips' mean length. `pay` is None without a rate. `without_clip`:
    moments to be judged that have no clip yet.
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
    by_runs: bool


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
    raw: list[GivenGrade]
    clip: str | None
    """Its clip's public name."""


class PairState(TypedDict):
    """A pair and its state."""

    pair: int
    status: str


class PersonOut(TypedDict):
    """An annotator with figures, as the page People tells them."""

    member: int
    worker: str
    status: str
    figures: dict[str, Any] | None
    """overall, recent (four weeks) and weeks; null: not counted yet."""
    alerts: list[Alert]


class Place(TypedDict):
    """A collection that the caller has a place in."""

    name: str
    title: str
    role: str
    """owner, lead or annotator."""
    status: str
    """Of an annotator: admitted, candidate, paused, declined or barred."""
    worker: str
    """The caller's pseudonym there."""
    study_of: str | None
    """The collection that this is a study of."""
    archived_at: str | None


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
    confirmed_at: str | None
    files: list[dict[str, Any]]
    """path, goes_to, address, size, sha256, state."""


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


class Reading(TypedDict):
    """How a file of descriptions is to be read; what is empty is detected."""

    format: NotRequired[str]
    """Empty: detected."""
    charset: NotRequired[str]
    """Empty: detected."""
    separator: NotRequired[str]
    """Of CSV. Empty: detected."""
    columns: NotRequired[dict[str, str]]
    """Of CSV, field to header: video, start, end, text, id, kind, duration, language; - leaves one out."""
    skip_bad: NotRequired[bool]
    """Import the good rows where others are bad."""


class RecipeOut(TypedDict):
    """By which recipe the pool is made, and how far it is."""

    version: int
    """0: none was ever set, so the paper's holds."""
    recipe: str
    iou: float
    least_grade: int
    by_itself: bool
    """An adaptive recipe goes on without the lead."""
    queries: int
    stale: int
    """Queries whose pool isn't what runs and recipe say now."""
    chosen: int
    """Candidates that aren't open for judging."""
    open: int
    judged: int


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


class SplitCounts(TypedDict):
    """How large a split is."""

    queries: int
    pairs: int


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


class TaskOut(TypedDict):
    """A pair to judge: a sentence and a clip, and nothing else."""

    pair: str
    query: str
    clip: str | None
    """The clip's address; null: judge by the sentence alone."""
    poster: str | None


class Tasks(TypedDict):
    """The next pairs, or why there are none."""

    tasks: list[TaskOut]
    empty: str
    """Why there are none; empty: there are."""
    confirm: int | None
    """The guideline's version to confirm first, on its page."""
    message: str
    """What is to be known about what was sent."""


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


class Undo(TypedDict):
    """Which judgment is taken back."""

    key: NotRequired[UUID | str | None]
    """Of the judgment; null: your last."""


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
