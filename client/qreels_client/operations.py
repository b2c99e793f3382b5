"""A method for each thing that the API can do. `python -m tests.openapi` makes it of docs/openapi.json."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal, Unpack

from .calls import Calls, part
from .schemas import (
    Accepted,
    AcceptMany,
    AdjudicationOut,
    Answer,
    Applied,
    AskedNext,
    BatchOut,
    BoardOut,
    CandidateOut,
    CaptionDecision,
    CaptionOut,
    Change,
    CheckOut,
    Clips,
    CollectionOut,
    Confirmation,
    CorrectionOut,
    DayOut,
    DecidedBatch,
    DescriptionImport,
    DescriptionOut,
    DiscardedPairOut,
    DrawOut,
    FileOut,
    FlagAnswer,
    FlagOut,
    ImportOfPreview,
    InvitationOut,
    JobOut,
    JobWithLog,
    JudgmentImportOut,
    MadeInvitation,
    Me,
    MemberOut,
    MomentOut,
    NewAdjudication,
    NewCollection,
    NewCorrection,
    NewCutting,
    NewDescriptions,
    NewDraw,
    NewFile,
    NewFlag,
    NewInvitation,
    NewJudgment,
    NewJudgments,
    NewNotice,
    NewPoolRun,
    NewPublication,
    NewRecipe,
    NewRelease,
    NewReview,
    NewRewriting,
    NewRole,
    NewRun,
    NewStanding,
    NewStudy,
    NewTopic,
    NewTopicFile,
    NewVideoImport,
    NewVideos,
    NoticeOut,
    OpeningPlan,
    PairState,
    PersonOut,
    Place,
    Pool,
    PoolRunOut,
    PreviewOut,
    PublicationOut,
    QueryOut,
    QuestionOut,
    Reading,
    RecipeOut,
    ReleaseOut,
    ReleaseWithFiles,
    RunOut,
    SettingChanges,
    SettingOut,
    SharingOut,
    Sheet,
    StudyRow,
    Tasks,
    TopicFields,
    TopicOut,
    Undo,
    VideoImportOut,
    VideoOut,
    VideoUploadOut,
)


class SiteCalls(Calls):
    """What a site can do."""

    def list_collections(self) -> Iterator[Place]:
        """The collections in which the caller has a place; of a token for one collection, that one.

        For everybody with an account. Scope of a token: `read`.
        """
        answer: Iterator[Place] = self._pages("/collections")
        return answer

    def create_a_collection(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewCollection]
    ) -> CollectionOut:
        """Create a collection, of which the caller becomes the owner.

        For everybody with an account. Scope of a token: `admin`.
        """
        answer: CollectionOut = self._make("POST", "/collections", idempotency_key, body=body)
        return answer

    def get_me(self) -> Me:
        """Who you are, and what your token may do.

        For everybody with an account. Scope of a token: `read`.
        """
        answer: Me = self.request("GET", "/me")
        return answer


class CollectionCalls(Calls):
    """What can be done with a collection."""

    def get_collection(self) -> CollectionOut:
        """A collection and how many batches are in which state.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: CollectionOut = self.request("GET", f"{self._here}")
        return answer

    def withdraw_an_adjudication(self, adjudication_id: int) -> AdjudicationOut:
        """Withdraw an adjudication; it is kept.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: AdjudicationOut = self.request("POST", f"{self._here}/adjudications/{part(adjudication_id)}/withdraw")
        return answer

    def archive_a_collection(self) -> CollectionOut:
        """Archive a collection: it is only read from then on.

        For owners of the collection. Scope of a token: `admin`.
        """
        answer: CollectionOut = self.request("POST", f"{self._here}/archive")
        return answer

    def list_batches(
        self, *, status: Literal["", "first", "second", "decided", "extended", "finished"] | None = None
    ) -> Iterator[BatchOut]:
        """A collection's batches, of one status or all; `decided` ones wait for the lead.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[BatchOut] = self._pages(f"{self._here}/batches", query={"status": status})
        return answer

    def get_batch(self, batch_id: int) -> Sheet:
        """A batch with its pairs, their grades, and what the rule recommends.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Sheet = self.request("GET", f"{self._here}/batches/{part(batch_id)}")
        return answer

    def resume_a_batch(self, batch_id: int) -> Sheet:
        """Give a batch that was put off its place in the queue back.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: Sheet = self.request("POST", f"{self._here}/batches/{part(batch_id)}/resume")
        return answer

    def review_a_batch(self, batch_id: int, **body: Unpack[NewReview]) -> Sheet:
        """Extend a decided batch, finish it, or put it off. The same decision again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: Sheet = self.request("POST", f"{self._here}/batches/{part(batch_id)}/review", body=body)
        return answer

    def take_back_a_review(self, batch_id: int, review_id: int) -> Sheet:
        """Take a decision back: the batch waits for the lead again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: Sheet = self.request(
            "POST", f"{self._here}/batches/{part(batch_id)}/reviews/{part(review_id)}/take-back"
        )
        return answer

    def get_pool(self) -> Pool:
        """The candidate pool: how large it is, and whether it has changed since candidates were fetched.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Pool = self.request("GET", f"{self._here}/candidates")
        return answer

    def fetch_the_candidates(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker fetch candidates. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/candidates/fetch", idempotency_key)
        return answer

    def list_captions(
        self, *, status: Literal["", "accepted", "review", "refused"] | None = None
    ) -> Iterator[CaptionOut]:
        """A collection's captions, of one status or all.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[CaptionOut] = self._pages(f"{self._here}/captions", query={"status": status})
        return answer

    def accept_captions(self, **body: Unpack[AcceptMany]) -> Accepted:
        """Accept all captions in review from a similarity on; each is a decision of its own.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: Accepted = self.request("POST", f"{self._here}/captions/accept-many", body=body)
        return answer

    def take_back_caption_decision(self) -> CaptionOut:
        """Take back your own last decision about a caption: it waits for review again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: CaptionOut = self.request("POST", f"{self._here}/captions/undo")
        return answer

    def get_caption(self, caption_id: int) -> CaptionOut:
        """One caption.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: CaptionOut = self.request("GET", f"{self._here}/captions/{part(caption_id)}")
        return answer

    def decide_a_caption(self, caption_id: int, **body: Unpack[CaptionDecision]) -> CaptionOut:
        """Accept or refuse a caption in review. The same decision again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: CaptionOut = self.request("POST", f"{self._here}/captions/{part(caption_id)}/decide", body=body)
        return answer

    def list_changes(self) -> Iterator[Change]:
        """Who changed what, when, from where, before and after; the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[Change] = self._pages(f"{self._here}/changes")
        return answer

    def get_clips(self) -> Clips:
        """How many clips there are, and how many failed.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Clips = self.request("GET", f"{self._here}/clips")
        return answer

    def cut_clips(self, *, idempotency_key: str | None = None, **body: Unpack[NewCutting]) -> JobOut:
        """Have workers cut the clips that are lacking. While they do, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/clips/cut", idempotency_key, body=body)
        return answer

    def list_descriptions(self) -> Iterator[DescriptionOut]:
        """A collection's descriptions.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[DescriptionOut] = self._pages(f"{self._here}/descriptions")
        return answer

    def get_description(self, description_id: int) -> DescriptionOut:
        """One description.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: DescriptionOut = self.request("GET", f"{self._here}/descriptions/{part(description_id)}")
        return answer

    def list_discarded_pairs(
        self, *, kind: Literal["", "open", "adjudicated"] | None = None
    ) -> Iterator[DiscardedPairOut]:
        """Pairs on which judgments differ too much, with what the lead decided about them.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[DiscardedPairOut] = self._pages(f"{self._here}/discarded-pairs", query={"kind": kind})
        return answer

    def adjudicate_a_pair(
        self, pair_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewAdjudication]
    ) -> AdjudicationOut:
        """Grade a discarded pair, with the reason; it counts only in releases that say so.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: AdjudicationOut = self._make(
            "POST", f"{self._here}/discarded-pairs/{part(pair_id)}/adjudications", idempotency_key, body=body
        )
        return answer

    def get_draw(self) -> DrawOut:
        """What could be drawn, and the draw that stands.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: DrawOut = self.request("GET", f"{self._here}/draw")
        return answer

    def draw_queries(self, *, idempotency_key: str | None = None, **body: Unpack[NewDraw]) -> JobOut:
        """Have a worker draw queries. While one draws, that job is the answer; what can't be is the job's problem.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/draw", idempotency_key, body=body)
        return answer

    def announce_a_file(self, **body: Unpack[NewFile]) -> FileOut:
        """Begin to send a file, or hear where it goes on. Leads may have 20 at a time, others 3.

        The same file again, by name, size and mark, is the one that is there already. The request that uses it
        takes it; it is yours alone.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        answer: FileOut = self.request("POST", f"{self._here}/files", body=body)
        return answer

    def list_files(self) -> Iterator[FileOut]:
        """Your own files that nothing has used.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: Iterator[FileOut] = self._pages(f"{self._here}/files")
        return answer

    def get_file(self, file: str) -> FileOut:
        """A file of yours: where it goes on.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: FileOut = self.request("GET", f"{self._here}/files/{part(file)}")
        return answer

    def send_piece_of_file(
        self, file: str, *, upload_offset: int, upload_checksum: str | None = None, content: bytes
    ) -> FileOut:
        """Send a file's next piece, of at most 8 MiB; with the last it is whole.

        409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes
        on.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        answer: FileOut = self.request(
            "PATCH",
            f"{self._here}/files/{part(file)}",
            headers={
                "Upload-Offset": str(upload_offset),
                "Upload-Checksum": None if upload_checksum is None else str(upload_checksum),
            },
            content=content,
        )
        return answer

    def delete_a_file(self, file: str) -> None:
        """Remove a file of yours that nothing has used.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        self.request("DELETE", f"{self._here}/files/{part(file)}")

    def list_flags(self, *, standing: Literal["open", "answered"] | None = None) -> Iterator[FlagOut]:
        """Flags of a collection's pairs, those that are open or those that were answered.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[FlagOut] = self._pages(f"{self._here}/flags", query={"standing": standing})
        return answer

    def answer_a_flag(self, flag_id: int, **body: Unpack[FlagAnswer]) -> FlagOut:
        """Send a flagged pair back to judging, or withdraw it. The same answer again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: FlagOut = self.request("POST", f"{self._here}/flags/{part(flag_id)}/answer", body=body)
        return answer

    def import_descriptions(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewDescriptions]
    ) -> DescriptionImport:
        """Have a worker import a file of descriptions without a look at it before.

        A file with problems changes nothing, unless `skip_bad`.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: DescriptionImport = self._make("POST", f"{self._here}/imports", idempotency_key, body=body)
        return answer

    def list_imports(self) -> Iterator[DescriptionImport]:
        """Imports of descriptions, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[DescriptionImport] = self._pages(f"{self._here}/imports")
        return answer

    def get_import(self, import_id: int) -> DescriptionImport:
        """An import of descriptions: how far it is, or what came of it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: DescriptionImport = self.request("GET", f"{self._here}/imports/{part(import_id)}")
        return answer

    def download_rejected_rows(self, import_id: int, to: Path | str) -> Path:
        """The rejected rows of an import as JSON Lines, to be mended and imported.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Path = self._fetch(f"{self._here}/imports/{part(import_id)}/rejected", to)
        return answer

    def list_invitations(self) -> Iterator[InvitationOut]:
        """A collection's invitations, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[InvitationOut] = self._pages(f"{self._here}/invitations")
        return answer

    def create_invitation(self, *, idempotency_key: str | None = None, **body: Unpack[NewInvitation]) -> MadeInvitation:
        """Make a link by which people become annotators. It is in this answer and nowhere else.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        answer: MadeInvitation = self._make("POST", f"{self._here}/invitations", idempotency_key, body=body)
        return answer

    def withdraw_an_invitation(self, invitation_id: int) -> None:
        """Withdraw an invitation. People who have joined stay.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/invitations/{part(invitation_id)}")

    def list_jobs(self) -> Iterator[JobOut]:
        """A collection's jobs: those under way first, then the newest.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[JobOut] = self._pages(f"{self._here}/jobs")
        return answer

    def get_job(self, kind: str, job_id: int) -> JobWithLog:
        """A job with its log.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: JobWithLog = self.request("GET", f"{self._here}/jobs/{part(kind)}/{part(job_id)}")
        return answer

    def resume_a_job(self, kind: str, job_id: int) -> JobWithLog:
        """Have a job go on that was stopped, or that no worker is at. One that has ended stays as it is.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobWithLog = self.request("POST", f"{self._here}/jobs/{part(kind)}/{part(job_id)}/resume")
        return answer

    def stop_a_job(self, kind: str, job_id: int) -> JobWithLog:
        """Stop a job. One that has ended stays as it is.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobWithLog = self.request("POST", f"{self._here}/jobs/{part(kind)}/{part(job_id)}/stop")
        return answer

    def flag_a_pair(self, **body: Unpack[NewFlag]) -> Tasks:
        """Hold a pair for the lead: its clip or its sentence is broken.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        answer: Tasks = self.request("POST", f"{self._here}/judging/flag", body=body)
        return answer

    def grade_a_pair(self, **body: Unpack[NewJudgment]) -> Tasks:
        """Judge a pair, and get the next ones.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        answer: Tasks = self.request("POST", f"{self._here}/judging/grade", body=body, again=True)
        return answer

    def keep_my_places(self) -> None:
        """Keep your places at batches a while longer.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        self.request("POST", f"{self._here}/judging/keep")

    def leave_my_places(self) -> None:
        """Leave your places to others.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        self.request("POST", f"{self._here}/judging/leave")

    def next_pairs(self, **body: Unpack[AskedNext]) -> Tasks:
        """The next pairs to judge. It may take a place at a batch, so it is no read.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        answer: Tasks = self.request("POST", f"{self._here}/judging/next", body=body)
        return answer

    def undo_a_judgment(self, **body: Unpack[Undo]) -> Tasks:
        """Take your last judgment back; its pair comes first.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        answer: Tasks = self.request("POST", f"{self._here}/judging/undo", body=body)
        return answer

    def import_judgments(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewJudgments]
    ) -> JudgmentImportOut:
        """Have a worker import a file of judgments: TVR-Ranking's annotations, Label Studio's export, TREC qrels.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JudgmentImportOut = self._make("POST", f"{self._here}/judgment-imports", idempotency_key, body=body)
        return answer

    def list_judgment_imports(self) -> Iterator[JudgmentImportOut]:
        """Imports of judgments, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[JudgmentImportOut] = self._pages(f"{self._here}/judgment-imports")
        return answer

    def get_judgment_import(self, judgment_import_id: int) -> JudgmentImportOut:
        """An import of judgments: how far it is, what came of it, or the problems of its file by line.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: JudgmentImportOut = self.request("GET", f"{self._here}/judgment-imports/{part(judgment_import_id)}")
        return answer

    def list_members(self) -> Iterator[MemberOut]:
        """Everybody with a place in a collection.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[MemberOut] = self._pages(f"{self._here}/members")
        return answer

    def get_member(self, member_id: int) -> MemberOut:
        """One member.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: MemberOut = self.request("GET", f"{self._here}/members/{part(member_id)}")
        return answer

    def change_member_role(self, member_id: int, **body: Unpack[NewRole]) -> MemberOut:
        """Make a member lead or owner. Whoever leads sees grades, and never judges here again.

        For owners of the collection. Scope of a token: `admin`.
        """
        answer: MemberOut = self.request("PATCH", f"{self._here}/members/{part(member_id)}", body=body)
        return answer

    def remove_a_member(self, member_id: int) -> None:
        """End somebody's access. Their worker id, judgments and decisions stay.

        For owners of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/members/{part(member_id)}")

    def list_moments(self) -> Iterator[MomentOut]:
        """A collection's moments.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[MomentOut] = self._pages(f"{self._here}/moments")
        return answer

    def get_moment(self, moment_id: int) -> MomentOut:
        """One moment.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: MomentOut = self.request("GET", f"{self._here}/moments/{part(moment_id)}")
        return answer

    def list_notices(self) -> Iterator[NoticeOut]:
        """Notices to annotators, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[NoticeOut] = self._pages(f"{self._here}/notices")
        return answer

    def post_a_notice(self, *, idempotency_key: str | None = None, **body: Unpack[NewNotice]) -> NoticeOut:
        """Post a notice to one annotator or to all. Say nothing of grades, captions or people in it.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        answer: NoticeOut = self._make("POST", f"{self._here}/notices", idempotency_key, body=body)
        return answer

    def withdraw_a_notice(self, notice_id: int) -> None:
        """Withdraw a notice.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/notices/{part(notice_id)}")

    def get_opening(self) -> OpeningPlan:
        """What would be opened for judging now, what that takes, and what is missing.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: OpeningPlan = self.request("GET", f"{self._here}/opening")
        return answer

    def open_the_judging(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker open judging. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/opening", idempotency_key)
        return answer

    def bring_back_a_pair(self, pair_id: int) -> PairState:
        """Restore a withdrawn pair: its judgments decide its state again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: PairState = self.request("POST", f"{self._here}/pairs/{part(pair_id)}/bring-back")
        return answer

    def list_people(self) -> Iterator[PersonOut]:
        """Annotators with their figures, which a worker counts; the first time they are null.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[PersonOut] = self._pages(f"{self._here}/people")
        return answer

    def change_person_standing(self, member_id: int, **body: Unpack[NewStanding]) -> PersonOut:
        """Pause an annotator, bar them, admit them again or send them to the exam again, with the reason.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        answer: PersonOut = self.request("POST", f"{self._here}/people/{part(member_id)}/standing", body=body)
        return answer

    def make_the_pool(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker make the pool by the recipe. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/pool", idempotency_key)
        return answer

    def get_recipe(self) -> RecipeOut:
        """The recipe of a collection's pool, and how far the pool is.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: RecipeOut = self.request("GET", f"{self._here}/pool-recipe")
        return answer

    def set_recipe(self, **body: Unpack[NewRecipe]) -> RecipeOut:
        """Set the recipe. What is open or judged stays; make the pool, so that it follows.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: RecipeOut = self.request("POST", f"{self._here}/pool-recipe", body=body)
        return answer

    def list_pool_runs(self) -> Iterator[PoolRunOut]:
        """The runs of a collection's pool, by team and system.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[PoolRunOut] = self._pages(f"{self._here}/pool-runs")
        return answer

    def add_pool_run(self, *, idempotency_key: str | None = None, **body: Unpack[NewPoolRun]) -> JobOut:
        """Have a worker add a run to the pool.

        What is wrong in the file is the job's problem, with its line. The same run again changes nothing.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/pool-runs", idempotency_key, body=body)
        return answer

    def remove_a_pool_run(self, run_id: int) -> None:
        """Remove a run, as long as nothing that it put into the pool is open for judging.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/pool-runs/{part(run_id)}")

    def preview_descriptions(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewDescriptions]
    ) -> PreviewOut:
        """Have a worker read a file of descriptions and say what it understands; nothing is imported.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: PreviewOut = self._make("POST", f"{self._here}/previews", idempotency_key, body=body)
        return answer

    def list_previews(self) -> Iterator[PreviewOut]:
        """Files of descriptions that wait in a preview, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[PreviewOut] = self._pages(f"{self._here}/previews")
        return answer

    def get_preview(self, preview_id: int) -> PreviewOut:
        """What was understood of a file: format, columns, first rows, counts, problems by line; or how far it is read.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: PreviewOut = self.request("GET", f"{self._here}/previews/{part(preview_id)}")
        return answer

    def discard_a_preview(self, preview_id: int) -> None:
        """Discard a file that was looked at. While a worker reads it, 409.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/previews/{part(preview_id)}")

    def import_preview(
        self, preview_id: int, *, idempotency_key: str | None = None, **body: Unpack[ImportOfPreview]
    ) -> DescriptionImport:
        """Have a worker import the file as it was read; the preview is gone then.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: DescriptionImport = self._make(
            "POST", f"{self._here}/previews/{part(preview_id)}/import", idempotency_key, body=body
        )
        return answer

    def read_preview_anew(self, preview_id: int, **body: Unpack[Reading]) -> PreviewOut:
        """Have a worker read the file in another way.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: PreviewOut = self.request("POST", f"{self._here}/previews/{part(preview_id)}/read", body=body)
        return answer

    def list_publications(self) -> Iterator[PublicationOut]:
        """Publications of a collection's releases, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[PublicationOut] = self._pages(f"{self._here}/publications")
        return answer

    def get_publication(self, publication_id: int) -> PublicationOut:
        """A publication with its files and how far they are.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: PublicationOut = self.request("GET", f"{self._here}/publications/{part(publication_id)}")
        return answer

    def confirm_a_publication(self, publication_id: int, **body: Unpack[Confirmation]) -> PublicationOut:
        """Have a worker send what was planned.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        answer: PublicationOut = self.request(
            "POST", f"{self._here}/publications/{part(publication_id)}/confirm", body=body
        )
        return answer

    def list_queries(self, *, split: Literal["", "val", "test"] | None = None) -> Iterator[QueryOut]:
        """A collection's queries, of one split or both.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[QueryOut] = self._pages(f"{self._here}/queries", query={"split": split})
        return answer

    def get_query(self, query_id: int) -> QueryOut:
        """One query.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: QueryOut = self.request("GET", f"{self._here}/queries/{part(query_id)}")
        return answer

    def list_candidates(self, query_id: int) -> Iterator[CandidateOut]:
        """A query's candidates.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[CandidateOut] = self._pages(f"{self._here}/queries/{part(query_id)}/candidates")
        return answer

    def list_questions(self, *, standing: Literal["open", "answered"] | None = None) -> Iterator[QuestionOut]:
        """Questions of annotators, those that are open or those that were answered.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[QuestionOut] = self._pages(f"{self._here}/questions", query={"standing": standing})
        return answer

    def answer_a_question(self, question_id: int, **body: Unpack[Answer]) -> QuestionOut:
        """Answer a question; only who asked it sees the answer.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: QuestionOut = self.request("POST", f"{self._here}/questions/{part(question_id)}/answer", body=body)
        return answer

    def list_releases(self) -> Iterator[ReleaseOut]:
        """Releases, the newest first: to leads all, to others those that are shared with them.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: Iterator[ReleaseOut] = self._pages(f"{self._here}/releases")
        return answer

    def make_a_release(self, *, idempotency_key: str | None = None, **body: Unpack[NewRelease]) -> JobOut:
        """Have a worker make a release.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/releases", idempotency_key, body=body)
        return answer

    def get_release(self, release_id: int) -> ReleaseWithFiles:
        """A release with the files that you may have.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: ReleaseWithFiles = self.request("GET", f"{self._here}/releases/{part(release_id)}")
        return answer

    def download_release_archive(self, release_id: int, to: Path | str) -> Path:
        """The whole release as .tar.gz.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Path = self._fetch(f"{self._here}/releases/{part(release_id)}/archive", to)
        return answer

    def get_board(self, release_id: int, split: Literal["val", "test"], *, sort: str | None = None) -> BoardOut:
        """The leaderboard of a released split: for members with whom the release is shared.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: BoardOut = self.request(
            "GET", f"{self._here}/releases/{part(release_id)}/boards/{part(split)}", query={"sort": sort}
        )
        return answer

    def submit_run(
        self,
        release_id: int,
        split: Literal["val", "test"],
        *,
        idempotency_key: str | None = None,
        **body: Unpack[NewRun],
    ) -> RunOut:
        """Have a worker score a run.

        For every member of the collection. Scope of a token: `release`.
        """
        answer: RunOut = self._make(
            "POST", f"{self._here}/releases/{part(release_id)}/boards/{part(split)}/runs", idempotency_key, body=body
        )
        return answer

    def check_a_release(self, release_id: int, *, idempotency_key: str | None = None) -> CheckOut:
        """Have a worker check a release's files, grades, splits and formats.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        answer: CheckOut = self._make("POST", f"{self._here}/releases/{part(release_id)}/check", idempotency_key)
        return answer

    def get_release_check(self, release_id: int) -> CheckOut:
        """The newest check of a release; 404 if there was none.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: CheckOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/check")
        return answer

    def download_release_file(self, release_id: int, to: Path | str, *, path: str) -> Path:
        """One file of a release, by its path in the release's list.

        Its ETag is its SHA-256. It can be asked for by range.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: Path = self._fetch(f"{self._here}/releases/{part(release_id)}/file", to, query={"path": path})
        return answer

    def get_release_manifest(self, release_id: int) -> dict[str, Any]:
        """A release's manifest: settings, models, counts, hashes.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: dict[str, Any] = self.request("GET", f"{self._here}/releases/{part(release_id)}/manifest")
        return answer

    def plan_publication(
        self, release_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewPublication]
    ) -> PublicationOut:
        """Have a worker look what a publication would send. Nothing is sent until it is confirmed.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        answer: PublicationOut = self._make(
            "POST", f"{self._here}/releases/{part(release_id)}/publications", idempotency_key, body=body
        )
        return answer

    def get_release_sharing(self, release_id: int) -> SharingOut:
        """What members see of a release.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: SharingOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/sharing")
        return answer

    def share_a_release(self, release_id: int, **body: Unpack[SharingOut]) -> SharingOut:
        """Set what members see of a release.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        answer: SharingOut = self.request("POST", f"{self._here}/releases/{part(release_id)}/sharing", body=body)
        return answer

    def restore_a_collection(self) -> CollectionOut:
        """Restore an archived collection as it was left.

        For owners of the collection. Scope of a token: `admin`.
        """
        answer: CollectionOut = self.request("POST", f"{self._here}/restore")
        return answer

    def list_reviews(
        self, *, kind: Literal["", "automatic", "lead", "taken-back"] | None = None, start: int | None = None
    ) -> list[DecidedBatch]:
        """Decisions about batches, the newest 200 from `start` on.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: list[DecidedBatch] = self.request("GET", f"{self._here}/reviews", query={"kind": kind, "start": start})
        return answer

    def apply_review_policy(self) -> Applied:
        """Decide the waiting batches that are clear by the batch review policy of the settings.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        answer: Applied = self.request("POST", f"{self._here}/reviews/apply-policy")
        return answer

    def rewrite_captions(self, *, idempotency_key: str | None = None, **body: Unpack[NewRewriting]) -> JobOut:
        """Have a worker write captions, by rules or by the LLM of the settings; a job that was stopped goes on.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/rewriting", idempotency_key, body=body)
        return answer

    def list_runs(self) -> Iterator[RunOut]:
        """Runs, the newest first: to leads all, to others their own.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: Iterator[RunOut] = self._pages(f"{self._here}/runs")
        return answer

    def get_run(self, run_id: int) -> RunOut:
        """A run: how far its scoring is, or its values. For its uploader and leads.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: RunOut = self.request("GET", f"{self._here}/runs/{part(run_id)}")
        return answer

    def withdraw_a_run(self, run_id: int) -> RunOut:
        """Take a run from its board; its file and values stay. For its uploader and leads.

        For every member of the collection. Scope of a token: `release`.
        """
        answer: RunOut = self.request("POST", f"{self._here}/runs/{part(run_id)}/withdraw")
        return answer

    def list_settings(self) -> list[SettingOut]:
        """A collection's settings with their meaning, their default and what the paper did.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: list[SettingOut] = self.request("GET", f"{self._here}/settings")
        return answer

    def change_settings(self, **body: Unpack[SettingChanges]) -> list[SettingOut]:
        """Change settings. Those that judgments rest on stay.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        answer: list[SettingOut] = self.request("PATCH", f"{self._here}/settings", body=body)
        return answer

    def list_studies(self) -> list[StudyRow]:
        """A collection's studies, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: list[StudyRow] = self.request("GET", f"{self._here}/studies")
        return answer

    def make_a_study(self, *, idempotency_key: str | None = None, **body: Unpack[NewStudy]) -> JobOut:
        """Have a worker make a study. While one of its kind is made or judged, that is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/studies", idempotency_key, body=body)
        return answer

    def put_a_study_away(self, study_id: int) -> list[StudyRow]:
        """Archive a study: its judgments are kept and can be read.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: list[StudyRow] = self.request("POST", f"{self._here}/studies/{part(study_id)}/put-away")
        return answer

    def list_time(self, *, first: date | str | None = None, last: date | str | None = None) -> list[DayOut]:
        """Every day on which somebody worked, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: list[DayOut] = self.request("GET", f"{self._here}/time", query={"first": first, "last": last})
        return answer

    def correct_a_day(self, *, idempotency_key: str | None = None, **body: Unpack[NewCorrection]) -> CorrectionOut:
        """Add minutes to a person's day, or take them from it, with the reason.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        answer: CorrectionOut = self._make("POST", f"{self._here}/time/corrections", idempotency_key, body=body)
        return answer

    def list_own_time(self, *, first: date | str | None = None, last: date | str | None = None) -> list[DayOut]:
        """Your own days at work, the newest first.

        For every member of the collection. Scope of a token: `read`.
        """
        answer: list[DayOut] = self.request("GET", f"{self._here}/time/own", query={"first": first, "last": last})
        return answer

    def import_topics(self, *, idempotency_key: str | None = None, **body: Unpack[NewTopicFile]) -> JobOut:
        """Have a worker import a file of topics. What is wrong in it is the job's problem, with its line.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: JobOut = self._make("POST", f"{self._here}/topic-imports", idempotency_key, body=body)
        return answer

    def list_topics(self) -> Iterator[TopicOut]:
        """A collection's topics.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[TopicOut] = self._pages(f"{self._here}/topics")
        return answer

    def write_a_topic(self, *, idempotency_key: str | None = None, **body: Unpack[NewTopic]) -> TopicOut:
        """Store a topic at the end of its split.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: TopicOut = self._make("POST", f"{self._here}/topics", idempotency_key, body=body)
        return answer

    def get_topic(self, topic_id: int) -> TopicOut:
        """One topic.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: TopicOut = self.request("GET", f"{self._here}/topics/{part(topic_id)}")
        return answer

    def delete_a_topic(self, topic_id: int) -> None:
        """Delete a topic with its candidates, as long as its judging isn't open.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/topics/{part(topic_id)}")

    def change_a_topic(self, topic_id: int, **body: Unpack[TopicFields]) -> TopicOut:
        """Give a topic these fields, as long as its judging isn't open. Its id stays.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: TopicOut = self.request("POST", f"{self._here}/topics/{part(topic_id)}/change", body=body)
        return answer

    def list_video_imports(self) -> Iterator[VideoImportOut]:
        """Imports of videos, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[VideoImportOut] = self._pages(f"{self._here}/video-imports")
        return answer

    def import_videos(self, *, idempotency_key: str | None = None, **body: Unpack[NewVideoImport]) -> VideoImportOut:
        """Have a worker import what was uploaded, or what lies in a place of the installation.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: VideoImportOut = self._make("POST", f"{self._here}/video-imports", idempotency_key, body=body)
        return answer

    def get_video_import(self, video_import_id: int) -> VideoImportOut:
        """An import of videos: how far it is, or what came of it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: VideoImportOut = self.request("GET", f"{self._here}/video-imports/{part(video_import_id)}")
        return answer

    def announce_videos(self, **body: Unpack[NewVideos]) -> list[VideoUploadOut]:
        """Begin to send videos, or hear where each goes on; in the same order.

        The same file again, by name, size and mark, is the upload that is there already. A name with folders is
        taken.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: list[VideoUploadOut] = self.request("POST", f"{self._here}/video-uploads", body=body)
        return answer

    def list_video_uploads(
        self, *, state: Literal["", "arriving", "arrived", "taken", "refused"] | None = None
    ) -> Iterator[VideoUploadOut]:
        """Videos that were uploaded or are on their way, of one state or all.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[VideoUploadOut] = self._pages(f"{self._here}/video-uploads", query={"state": state})
        return answer

    def get_video_upload(self, upload: str) -> VideoUploadOut:
        """A video on its way: where it goes on.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: VideoUploadOut = self.request("GET", f"{self._here}/video-uploads/{part(upload)}")
        return answer

    def send_piece_of_video(
        self, upload: str, *, upload_offset: int, upload_checksum: str | None = None, content: bytes
    ) -> VideoUploadOut:
        """Send a video's next piece, of at most 8 MiB; with the last it has arrived, and can be imported.

        409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes
        on.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        answer: VideoUploadOut = self.request(
            "PATCH",
            f"{self._here}/video-uploads/{part(upload)}",
            headers={
                "Upload-Offset": str(upload_offset),
                "Upload-Checksum": None if upload_checksum is None else str(upload_checksum),
            },
            content=content,
        )
        return answer

    def forget_video_upload(self, upload: str) -> None:
        """Remove a video that hasn't arrived whole. One that has stays.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/video-uploads/{part(upload)}")

    def list_videos(self, *, video_name: str | None = None) -> Iterator[VideoOut]:
        """A collection's videos. `video_name`: the one of this name.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[VideoOut] = self._pages(f"{self._here}/videos", query={"video_name": video_name})
        return answer

    def get_video(self, video_id: int) -> VideoOut:
        """One video.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: VideoOut = self.request("GET", f"{self._here}/videos/{part(video_id)}")
        return answer

    def list_moments_of_video(self, video_id: int) -> Iterator[MomentOut]:
        """A video's moments.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        answer: Iterator[MomentOut] = self._pages(f"{self._here}/videos/{part(video_id)}/moments")
        return answer
