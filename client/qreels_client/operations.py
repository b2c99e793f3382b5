"""A method for each thing that the API can do. `python -m tests.openapi` makes it of docs/openapi.json."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, Unpack
from uuid import UUID

from .calls import Calls, part
from .schemas import (
    Accepted,
    AcceptMany,
    AccountChange,
    AccountOut,
    AddedOut,
    AdjudicationOut,
    Again,
    Ahead,
    Answer,
    AnswerInFull,
    AnswersOut,
    Applied,
    ArchiveOut,
    AskedAgain,
    AskedNext,
    AuditOut,
    BatchOut,
    BoardOut,
    Brought,
    CalibrationOfJudge,
    CalibrationOut,
    CampaignChanges,
    CampaignOut,
    CandidateOut,
    CaptionCheck,
    CaptionDecision,
    CaptionImportOut,
    CaptionOut,
    Cast,
    CastChange,
    CertificateOut,
    Change,
    CheckAsked,
    CheckOut,
    Choice,
    ChosenRelease,
    CitationFields,
    CitationOut,
    Clips,
    Closing,
    CollectionOut,
    Confirmation,
    Confirmed,
    ConsentOut,
    ConsentState,
    Context,
    CorrectionOut,
    DayOut,
    DecidedBatch,
    Decision,
    DecisionOut,
    DeletionOut,
    DescriptionImport,
    DescriptionOut,
    DesignOut,
    DifferencesOut,
    DiscardedPairOut,
    Draft,
    Drawn,
    DrawnExam,
    DrawOut,
    Erased,
    Erasure,
    EstimateOut,
    EstimateWithResult,
    EventOut,
    EvidenceUseOut,
    ExamItemOut,
    ExamOut,
    ExclusionReason,
    Explanation,
    FactorFigures,
    Factors,
    Figures,
    FileOut,
    FlagAnswer,
    FlagOut,
    GoalOut,
    GoldOut,
    GradeOut,
    GuidelineOut,
    ImportOfPreview,
    InvitationOut,
    ItemGrade,
    ItemOut,
    Items,
    JobOut,
    JobWithLog,
    JudgeOut,
    JudgeWithCounts,
    JudgmentImportOut,
    LeakageOut,
    LinkOut,
    LlmChange,
    LlmOut,
    Made,
    MadeInvitation,
    MadeWebhook,
    Me,
    MemberOut,
    ModelOut,
    MomentOut,
    MoreDrawn,
    NewAccount,
    NewAdjudication,
    NewAsking,
    NewAudit,
    NewCalibration,
    NewCampaign,
    NewCaption,
    NewCaptionFile,
    NewCheck,
    NewCollection,
    NewConsent,
    NewConsentDraft,
    NewCorrection,
    NewCutting,
    NewDeadline,
    NewDeletion,
    NewDescriptions,
    NewDesign,
    NewDismissal,
    NewDraft,
    NewDraw,
    NewEstimate,
    NewExam,
    NewFactors,
    NewFile,
    NewFlag,
    NewGoal,
    NewGold,
    NewGradeWords,
    NewGuideline,
    NewInvitation,
    NewItems,
    NewJudge,
    NewJudging,
    NewJudgment,
    NewJudgments,
    NewNotice,
    NewPlan,
    NewPool,
    NewPoolRun,
    NewPublic,
    NewPublication,
    NewQuestion,
    NewRecipe,
    NewRecruitment,
    NewRelease,
    NewReview,
    NewRewriting,
    NewRewritingPreview,
    NewRole,
    NewRun,
    NewSetAside,
    NewSignature,
    NewSimilarityJudge,
    NewSpan,
    NewStanding,
    NewStudy,
    NewSubmission,
    NewSurveyQuestion,
    NewTeams,
    NewTopic,
    NewTopicFile,
    NewVideoImport,
    NewVideos,
    NewWebhook,
    NextQueries,
    NoticeOut,
    OpeningPlan,
    OrganiserStandings,
    OutItem,
    OverviewOut,
    OwnAnswer,
    OwnCampaign,
    OwnProgress,
    OwnTopics,
    PairState,
    PairToJudge,
    Partners,
    PasswordLinkOut,
    PersonConsent,
    PersonGold,
    PersonOut,
    PersonState,
    PersonWithHistory,
    Place,
    PlanOut,
    Pool,
    PoolOut,
    PoolRunOut,
    PreviewOut,
    Priority,
    PromisedOut,
    PublicationOut,
    PublicOut,
    PutAway,
    QueryOut,
    QuestionOut,
    Reading,
    Reason,
    RecipeOut,
    RecruitmentOut,
    RecruitSessionOut,
    ReleaseAuditOut,
    ReleaseOut,
    ReleaseWithFiles,
    RemovalOut,
    ReplayOut,
    RewritingOut,
    RewritingPreviewOut,
    RulingOut,
    RunOut,
    ScaleOut,
    SentAgain,
    SentAnswers,
    SentGrades,
    SessionOut,
    SettingChanges,
    SettingOut,
    Settled,
    SharingOut,
    Sheet,
    Shown,
    SignatureOut,
    SourceOut,
    SpansOut,
    StandingsOut,
    Statistics,
    Steps,
    StudyRow,
    SubmissionOfTeam,
    SubmissionOut,
    SumsOut,
    SurveyQuestionOut,
    TakenBack,
    Tasks,
    TeamChanges,
    TeamRow,
    Terms,
    TopicFields,
    TopicOut,
    TraineeOut,
    Undo,
    UndoAnswer,
    VersionOut,
    VideoImportOut,
    VideoNames,
    VideoOut,
    VideoSources,
    VideoUploadOut,
    WebhookOut,
    WhatGoes,
    WhatToRun,
    Withdrawn,
    WorkChange,
    WorkOut,
    WorkWithPeople,
    Written,
)


class SiteCalls(Calls):
    """What a site can do."""

    def list_accounts(self, *, words: str | None = None) -> Iterator[AccountOut]:
        """All accounts; `words`: part of a name or mail address.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: Iterator[AccountOut] = self._pages("/accounts", query={"words": words})
        return returned

    def create_an_account(self, *, idempotency_key: str | None = None, **body: Unpack[NewAccount]) -> PasswordLinkOut:
        """Make an account, and the link by which its owner sets a password.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: PasswordLinkOut = self._make("POST", "/accounts", idempotency_key, body=body)
        return returned

    def change_an_account(self, account_id: int, **body: Unpack[AccountChange]) -> AccountOut:
        """Change what an account may. Repeating it changes nothing.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: AccountOut = self.request("POST", f"/accounts/{part(account_id)}/change", body=body)
        return returned

    def make_a_password_link(self, account_id: int, *, idempotency_key: str | None = None) -> PasswordLinkOut:
        """Make a link by which somebody sets a new password. Earlier ones work no longer.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: PasswordLinkOut = self._make("POST", f"/accounts/{part(account_id)}/password-link", idempotency_key)
        return returned

    def list_own_campaigns(self) -> Iterator[OwnCampaign]:
        """The campaigns in which the caller is in a team.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Iterator[OwnCampaign] = self._pages("/campaigns")
        return returned

    def get_own_campaign(self, campaign: str) -> OwnCampaign:
        """A campaign as its team sees it: what to do next, limits, deadline. 404 to whoever is in no team of it.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: OwnCampaign = self.request("GET", f"/campaigns/{part(campaign)}")
        return returned

    def download_campaign_file(self, campaign: str, file: str, to: Path | str) -> Path:
        """Topics or videos, from the opening on: a file of `files` with a hyphen in the place of its dot.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"/campaigns/{part(campaign)}/files/{part(file)}", to)
        return returned

    def list_own_runs(self, campaign: str) -> Iterator[SubmissionOut]:
        """The runs that the caller's team has sent.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Iterator[SubmissionOut] = self._pages(f"/campaigns/{part(campaign)}/runs")
        return returned

    def send_own_run(
        self, campaign: str, *, idempotency_key: str | None = None, **body: Unpack[NewSubmission]
    ) -> SubmissionOut:
        """Send a run; a worker checks it whole. What is wrong in it, the run says, with lines.

        The same file under the same name again is the run that is there. Files of more than a megabyte go by the
        team's page.

        For everybody with an account. Scope of a token: `release`.
        """
        returned: SubmissionOut = self._make("POST", f"/campaigns/{part(campaign)}/runs", idempotency_key, body=body)
        return returned

    def get_own_run(self, campaign: str, submission_id: int) -> SubmissionOut:
        """One of the team's runs: its check, its faults with lines, its values once the campaign shows them.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: SubmissionOut = self.request("GET", f"/campaigns/{part(campaign)}/runs/{part(submission_id)}")
        return returned

    def download_own_run(self, campaign: str, submission_id: int, to: Path | str) -> Path:
        """A run's file as it was sent.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"/campaigns/{part(campaign)}/runs/{part(submission_id)}/file", to)
        return returned

    def set_own_priority(self, campaign: str, submission_id: int, **body: Unpack[Priority]) -> SubmissionOut:
        """Say which of the team's runs comes first, until submissions close.

        For everybody with an account. Scope of a token: `release`.
        """
        returned: SubmissionOut = self.request(
            "POST", f"/campaigns/{part(campaign)}/runs/{part(submission_id)}/priority", body=body
        )
        return returned

    def withdraw_own_run(self, campaign: str, submission_id: int) -> SubmissionOut:
        """Withdraw a run, until submissions close: it counts nowhere, and still against the limits.

        For everybody with an account. Scope of a token: `release`.
        """
        returned: SubmissionOut = self.request(
            "POST", f"/campaigns/{part(campaign)}/runs/{part(submission_id)}/withdraw"
        )
        return returned

    def get_own_standings(self, campaign: str, *, measure: str | None = None) -> StandingsOut:
        """All runs in order, once results are open to teams; teams that stay anonymous by their number.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: StandingsOut = self.request(
            "GET", f"/campaigns/{part(campaign)}/standings", query={"measure": measure}
        )
        return returned

    def get_own_topics(self, campaign: str, *, measure: str | None = None) -> OwnTopics:
        """The team's runs topic by topic beside the best, the median and the worst of all, once results are open to
        it.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: OwnTopics = self.request("GET", f"/campaigns/{part(campaign)}/topics", query={"measure": measure})
        return returned

    def list_collections(self) -> Iterator[Place]:
        """The collections in which the caller has a place; of a token for one collection, that one.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Iterator[Place] = self._pages("/collections")
        return returned

    def create_a_collection(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewCollection]
    ) -> CollectionOut:
        """Create a collection, of which the caller becomes the owner.

        For everybody with an account. Scope of a token: `admin`.
        """
        returned: CollectionOut = self._make("POST", "/collections", idempotency_key, body=body)
        return returned

    def get_a_deletion(self, deletion_id: int) -> DeletionOut:
        """How far a deletion is that you asked for.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: DeletionOut = self.request("GET", f"/deletions/{part(deletion_id)}")
        return returned

    def audit_judgments(self, *, idempotency_key: str | None = None, **body: Unpack[NewAudit]) -> AuditOut:
        """Have a worker audit a file of judgments: CSV, Label Studio's export, or qrels of several assessors.

        A longer file is sent in pieces to a collection of yours, and named by its key. What was sent goes when it
        is audited.

        For everybody with an account. Scope of a token: `prepare` or `release`.
        """
        returned: AuditOut = self._make("POST", "/judgment-audits", idempotency_key, body=body)
        return returned

    def list_judgment_audits(self) -> Iterator[AuditOut]:
        """Your own audits, the newest first.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Iterator[AuditOut] = self._pages("/judgment-audits")
        return returned

    def get_judgment_audit(self, audit_id: int) -> AuditOut:
        """An audit of yours: how far it is, or what is wrong with its file.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: AuditOut = self.request("GET", f"/judgment-audits/{part(audit_id)}")
        return returned

    def delete_judgment_audit(self, audit_id: int) -> None:
        """Remove an audit of yours, with its file.

        For everybody with an account. Scope of a token: `prepare` or `release`.
        """
        self.request("DELETE", f"/judgment-audits/{part(audit_id)}")

    def get_result_of_audit(self, audit_id: int) -> Any:
        """What stands in the file, as `python -m evaluation audit FILE --json` prints it. 404 before it is done.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Any = self.request("GET", f"/judgment-audits/{part(audit_id)}/result")
        return returned

    def resume_judgment_audit(self, audit_id: int) -> AuditOut:
        """Have an audit of yours go on that was stopped, or that no worker is at.

        For everybody with an account. Scope of a token: `prepare` or `release`.
        """
        returned: AuditOut = self.request("POST", f"/judgment-audits/{part(audit_id)}/resume")
        return returned

    def stop_judgment_audit(self, audit_id: int) -> AuditOut:
        """Stop an audit of yours; its file is kept, and it can be resumed. One that has ended stays as it is.

        For everybody with an account. Scope of a token: `prepare` or `release`.
        """
        returned: AuditOut = self.request("POST", f"/judgment-audits/{part(audit_id)}/stop")
        return returned

    def get_me(self) -> Me:
        """Who you are, and what your token may do.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Me = self.request("GET", "/me")
        return returned

    def download_own_data(self) -> Any:
        """Everything that is kept about you, as JSON.

        For everybody with an account. Scope of a token: `read`.
        """
        returned: Any = self.request("GET", "/me/data")
        return returned

    def list_site_webhooks(self) -> list[WebhookOut]:
        """Webhooks, the oldest first.

        For owners of the site. Scope of a token: `read`.
        """
        returned: list[WebhookOut] = self.request("GET", "/webhooks")
        return returned

    def make_a_site_webhook(self, *, idempotency_key: str | None = None, **body: Unpack[NewWebhook]) -> MadeWebhook:
        """Make a webhook. Its secret is in this answer and nowhere else.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: MadeWebhook = self._make("POST", "/webhooks", idempotency_key, body=body)
        return returned

    def list_site_webhook_events(self) -> list[EventOut]:
        """The newest 50 events of all these webhooks, with their tries.

        For owners of the site. Scope of a token: `read`.
        """
        returned: list[EventOut] = self.request("GET", "/webhooks/events")
        return returned

    def remove_a_site_webhook(self, webhook_id: int) -> None:
        """Remove a webhook, with its log.

        For owners of the site. Scope of a token: `admin`.
        """
        self.request("DELETE", f"/webhooks/{part(webhook_id)}")

    def send_again_to_a_site_webhook(self, webhook_id: int, **body: Unpack[Again]) -> SentAgain:
        """Have what was given up sent again, one event or all.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: SentAgain = self.request("POST", f"/webhooks/{part(webhook_id)}/send-again", body=body)
        return returned

    def start_a_site_webhook(self, webhook_id: int) -> WebhookOut:
        """Start a webhook again, for you, with what waited.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"/webhooks/{part(webhook_id)}/start")
        return returned

    def stop_a_site_webhook(self, webhook_id: int) -> WebhookOut:
        """Stop a webhook; what it has yet to be told waits.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"/webhooks/{part(webhook_id)}/stop")
        return returned

    def test_a_site_webhook(self, webhook_id: int) -> WebhookOut:
        """Send a webhook an event that says nothing.

        For owners of the site. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"/webhooks/{part(webhook_id)}/test")
        return returned


class CollectionCalls(Calls):
    """What can be done with a collection."""

    def get_collection(self) -> CollectionOut:
        """A collection and how many batches are in which state.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CollectionOut = self.request("GET", f"{self._here}")
        return returned

    def withdraw_an_adjudication(self, adjudication_id: int) -> AdjudicationOut:
        """Withdraw an adjudication; it is kept.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: AdjudicationOut = self.request("POST", f"{self._here}/adjudications/{part(adjudication_id)}/withdraw")
        return returned

    def get_annotator_model(self, *, start: int | None = None) -> ModelOut:
        """Pairs where a model of annotators and the consensus part, and everybody's estimated reliability.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ModelOut = self.request("GET", f"{self._here}/annotator-model", query={"start": start})
        return returned

    def archive_a_collection(self) -> CollectionOut:
        """Archive a collection: it is only read from then on.

        For owners of the collection. Scope of a token: `admin`.
        """
        returned: CollectionOut = self.request("POST", f"{self._here}/archive")
        return returned

    def list_batches(
        self, *, status: Literal["", "first", "second", "decided", "extended", "finished"] | None = None
    ) -> Iterator[BatchOut]:
        """A collection's batches, of one status or all; `decided` ones wait for the lead.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[BatchOut] = self._pages(f"{self._here}/batches", query={"status": status})
        return returned

    def get_batch(self, batch_id: int) -> Sheet:
        """A batch with its pairs, their grades, and what the rule recommends.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Sheet = self.request("GET", f"{self._here}/batches/{part(batch_id)}")
        return returned

    def resume_a_batch(self, batch_id: int) -> Sheet:
        """Give a batch that was put off its place in the queue back.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Sheet = self.request("POST", f"{self._here}/batches/{part(batch_id)}/resume")
        return returned

    def review_a_batch(self, batch_id: int, **body: Unpack[NewReview]) -> Sheet:
        """Extend a decided batch, finish it, or put it off. The same decision again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Sheet = self.request("POST", f"{self._here}/batches/{part(batch_id)}/review", body=body)
        return returned

    def take_back_a_review(self, batch_id: int, review_id: int) -> Sheet:
        """Take a decision back: the batch waits for the lead again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Sheet = self.request(
            "POST", f"{self._here}/batches/{part(batch_id)}/reviews/{part(review_id)}/take-back"
        )
        return returned

    def calibrate_checks(self, *, idempotency_key: str | None = None, **body: Unpack[NewCalibration]) -> CalibrationOut:
        """Have a worker calibrate the checks. While one does, that job is the answer. 409 for too few right captions.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: CalibrationOut = self._make("POST", f"{self._here}/calibrations", idempotency_key, body=body)
        return returned

    def list_calibrations(self) -> Iterator[CalibrationOut]:
        """Calibrations of the checks, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[CalibrationOut] = self._pages(f"{self._here}/calibrations")
        return returned

    def get_calibration(self, calibration_id: int) -> CalibrationOut:
        """A calibration: how far it is, or its error rates and the thresholds that it proposes.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CalibrationOut = self.request("GET", f"{self._here}/calibrations/{part(calibration_id)}")
        return returned

    def adopt_calibration(self, calibration_id: int) -> CalibrationOut:
        """Make the proposed thresholds the collection's settings. 409 for one of another encoder or style.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: CalibrationOut = self.request("POST", f"{self._here}/calibrations/{part(calibration_id)}/adopt")
        return returned

    def list_campaigns(self) -> Iterator[CampaignOut]:
        """A collection's campaigns, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[CampaignOut] = self._pages(f"{self._here}/campaigns")
        return returned

    def make_a_campaign(self, *, idempotency_key: str | None = None, **body: Unpack[NewCampaign]) -> CampaignOut:
        """Make a campaign over a release's split, or over topics that are judged later; topics and videos are frozen.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self._make("POST", f"{self._here}/campaigns", idempotency_key, body=body)
        return returned

    def get_campaign(self, campaign_id: int) -> CampaignOut:
        """One campaign.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CampaignOut = self.request("GET", f"{self._here}/campaigns/{part(campaign_id)}")
        return returned

    def change_a_campaign(self, campaign_id: int, **body: Unpack[CampaignChanges]) -> CampaignOut:
        """Change deadlines, limits, rules and who sees results.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self.request("PATCH", f"{self._here}/campaigns/{part(campaign_id)}", body=body)
        return returned

    def delete_a_campaign(self, campaign_id: int) -> None:
        """Delete a campaign to which no run was sent.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        self.request("DELETE", f"{self._here}/campaigns/{part(campaign_id)}")

    def get_campaign_archive(self, campaign_id: int) -> ArchiveOut:
        """The newest archive of a campaign. 404 before one was made.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ArchiveOut = self.request("GET", f"{self._here}/campaigns/{part(campaign_id)}/archive")
        return returned

    def download_campaign_archive(self, campaign_id: int, to: Path | str) -> Path:
        """The newest archive itself.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/campaigns/{part(campaign_id)}/archive/file", to)
        return returned

    def compare_campaign_runs(self, campaign_id: int, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker say which runs differ. Where that is known of these runs, its job is the answer.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/campaigns/{part(campaign_id)}/comparison", idempotency_key)
        return returned

    def export_a_campaign(self, campaign_id: int, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker pack the whole campaign. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/campaigns/{part(campaign_id)}/export", idempotency_key)
        return returned

    def get_campaign_pool(self, campaign_id: int) -> PoolOut:
        """Accepted runs, team by team, and which of them are in the pool already.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PoolOut = self.request("GET", f"{self._here}/campaigns/{part(campaign_id)}/pool")
        return returned

    def pool_campaign_runs(
        self, campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewPool]
    ) -> JobOut:
        """Have a worker put runs into the collection's pool and make it. Then open the judging as always.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make(
            "POST", f"{self._here}/campaigns/{part(campaign_id)}/pool", idempotency_key, body=body
        )
        return returned

    def choose_campaign_release(self, campaign_id: int, **body: Unpack[ChosenRelease]) -> CampaignOut:
        """Name the release that a campaign judged later is scored against. Scores against another one go.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self.request("POST", f"{self._here}/campaigns/{part(campaign_id)}/release", body=body)
        return returned

    def hide_campaign_results(self, campaign_id: int) -> CampaignOut:
        """Hide the results again.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self.request("POST", f"{self._here}/campaigns/{part(campaign_id)}/results/hide")
        return returned

    def open_campaign_results(self, campaign_id: int) -> CampaignOut:
        """Open the results to the campaign's audience; teams are told by mail.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self.request("POST", f"{self._here}/campaigns/{part(campaign_id)}/results/open")
        return returned

    def score_campaign_runs(self, campaign_id: int, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker score the runs that have no score. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/campaigns/{part(campaign_id)}/score", idempotency_key)
        return returned

    def get_campaign_standings(self, campaign_id: int, *, measure: str | None = None) -> OrganiserStandings:
        """Runs in order under their teams' names. 404 where no run has a score.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: OrganiserStandings = self.request(
            "GET", f"{self._here}/campaigns/{part(campaign_id)}/standings", query={"measure": measure}
        )
        return returned

    def list_submissions(self, campaign_id: int) -> Iterator[SubmissionOfTeam]:
        """The runs that were sent to a campaign, in the order of their arrival.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[SubmissionOfTeam] = self._pages(f"{self._here}/campaigns/{part(campaign_id)}/submissions")
        return returned

    def list_teams(self, campaign_id: int) -> Iterator[TeamRow]:
        """A campaign's teams by number, with how many runs of theirs are in which state.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[TeamRow] = self._pages(f"{self._here}/campaigns/{part(campaign_id)}/teams")
        return returned

    def make_some_teams(
        self, campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewTeams]
    ) -> list[TeamRow]:
        """Make teams, all or none. Make each of their people a link besides.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: list[TeamRow] = self._make(
            "POST", f"{self._here}/campaigns/{part(campaign_id)}/teams", idempotency_key, body=body
        )
        return returned

    def take_campaign_topics_anew(self, campaign_id: int) -> CampaignOut:
        """Freeze topics and videos once more, before a run was sent.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CampaignOut = self.request("POST", f"{self._here}/campaigns/{part(campaign_id)}/topics/take-anew")
        return returned

    def get_pool(self) -> Pool:
        """The candidate pool: how large it is, and whether it has changed since candidates were fetched. In a large.

        collection the number of captions that they were fetched with may be a minute old.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Pool = self.request("GET", f"{self._here}/candidates")
        return returned

    def fetch_the_candidates(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker fetch candidates. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/candidates/fetch", idempotency_key)
        return returned

    def get_caption_check(self, check: str) -> CaptionCheck:
        """What a check says of a text; `waiting` also for one that isn't known.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CaptionCheck = self.request("GET", f"{self._here}/caption-checks/{part(check)}")
        return returned

    def import_captions(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewCaptionFile]
    ) -> CaptionImportOut:
        """Have a worker look at a file of captions or import it: CSV or JSON Lines of id, caption, made_by. They pass
        the.

        checks of all captions. A file with problems changes nothing. 409 while another is under way.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: CaptionImportOut = self._make("POST", f"{self._here}/caption-imports", idempotency_key, body=body)
        return returned

    def list_caption_imports(self) -> Iterator[CaptionImportOut]:
        """Imports of captions, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[CaptionImportOut] = self._pages(f"{self._here}/caption-imports")
        return returned

    def get_caption_import(self, caption_import_id: int) -> CaptionImportOut:
        """An import of captions: how far it is, what was understood of the file, what came of it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CaptionImportOut = self.request("GET", f"{self._here}/caption-imports/{part(caption_import_id)}")
        return returned

    def discard_caption_file(self, caption_import_id: int) -> None:
        """Discard a file that was looked at. 409 for one that was imported.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/caption-imports/{part(caption_import_id)}")

    def import_captions_looked_at(self, caption_import_id: int) -> CaptionImportOut:
        """Have a worker import a file that was looked at. 409 for another.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: CaptionImportOut = self.request(
            "POST", f"{self._here}/caption-imports/{part(caption_import_id)}/import"
        )
        return returned

    def get_cost_of_taking_captions_back(self, caption_import_id: int) -> RemovalOut:
        """What taking an import of captions back would cost, and what depends on it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RemovalOut = self.request("GET", f"{self._here}/caption-imports/{part(caption_import_id)}/take-back")
        return returned

    def take_captions_back(self, caption_import_id: int) -> CaptionImportOut:
        """Have a worker put back what stood before the import. 409 if something depends on it.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: CaptionImportOut = self.request(
            "POST", f"{self._here}/caption-imports/{part(caption_import_id)}/take-back"
        )
        return returned

    def list_captions(
        self, *, status: Literal["", "accepted", "review", "refused"] | None = None
    ) -> Iterator[CaptionOut]:
        """A collection's captions, of one status or all.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[CaptionOut] = self._pages(f"{self._here}/captions", query={"status": status})
        return returned

    def accept_captions(self, **body: Unpack[AcceptMany]) -> Accepted:
        """Accept all captions in review from a similarity on; each is a decision of its own.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Accepted = self.request("POST", f"{self._here}/captions/accept-many", body=body)
        return returned

    def take_back_caption_decision(self) -> CaptionOut:
        """Take back your own last decision about a caption: it waits for review again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: CaptionOut = self.request("POST", f"{self._here}/captions/undo")
        return returned

    def take_back_accepted_captions(self) -> TakenBack:
        """Take back all captions that your last decision accepted at once. 409 where it was about one caption.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: TakenBack = self.request("POST", f"{self._here}/captions/undo-many")
        return returned

    def get_caption(self, caption_id: int) -> CaptionOut:
        """One caption.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CaptionOut = self.request("GET", f"{self._here}/captions/{part(caption_id)}")
        return returned

    def check_a_caption_text(self, caption_id: int, **body: Unpack[NewCheck]) -> CheckAsked:
        """Have a worker check a text as a caption; its result is kept for some minutes.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: CheckAsked = self.request("POST", f"{self._here}/captions/{part(caption_id)}/check", body=body)
        return returned

    def decide_a_caption(self, caption_id: int, **body: Unpack[CaptionDecision]) -> CaptionOut:
        """Accept or refuse a caption in review. The same decision again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: CaptionOut = self.request("POST", f"{self._here}/captions/{part(caption_id)}/decide", body=body)
        return returned

    def rewrite_a_caption_again(self, caption_id: int) -> AskedAgain:
        """Have a worker rewrite a caption once more; it comes back into review with the new text.

        409 where it is decided, or where rules would write the same again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: AskedAgain = self.request("POST", f"{self._here}/captions/{part(caption_id)}/rewrite-again")
        return returned

    def write_a_caption(self, caption_id: int, **body: Unpack[NewCaption]) -> Written:
        """Write a caption of your own. With its finished check it is accepted at once.

        Without, a worker checks it first: it comes back into review with your text, and is accepted by a decision.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Written = self.request("POST", f"{self._here}/captions/{part(caption_id)}/write", body=body)
        return returned

    def get_cast(self) -> Cast:
        """The cast list, the context, and names in the descriptions that the list lacks.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Cast = self.request("GET", f"{self._here}/cast")
        return returned

    def change_cast(self, **body: Unpack[CastChange]) -> Cast:
        """Set the cast list, the context, or both.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Cast = self.request("PATCH", f"{self._here}/cast", body=body)
        return returned

    def count_names(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker count the names in the descriptions. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/cast/names", idempotency_key)
        return returned

    def list_changes(self) -> Iterator[Change]:
        """Who changed what, when, from where, before and after; the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[Change] = self._pages(f"{self._here}/changes")
        return returned

    def get_clips(self) -> Clips:
        """How many clips there are, and how many failed.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Clips = self.request("GET", f"{self._here}/clips")
        return returned

    def cut_clips(self, *, idempotency_key: str | None = None, **body: Unpack[NewCutting]) -> JobOut:
        """Have workers cut the clips that are lacking. While they do, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/clips/cut", idempotency_key, body=body)
        return returned

    def get_consent(self) -> ConsentOut:
        """The newest consent text; 404 before one is published.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: ConsentOut = self.request("GET", f"{self._here}/consent")
        return returned

    def confirm_the_consent(self, **body: Unpack[Confirmed]) -> ConsentState:
        """Say that you have read the newest version and agree; another one is refused.

        For every member of the collection. Scope of a token: `judge`.
        """
        returned: ConsentState = self.request("POST", f"{self._here}/consent/confirm", body=body)
        return returned

    def get_consent_draft(self) -> NewConsentDraft:
        """The draft; without one the newest version, before that the text that comes with Qreels.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: NewConsentDraft = self.request("GET", f"{self._here}/consent/draft")
        return returned

    def keep_consent_draft(self, **body: Unpack[NewConsentDraft]) -> NewConsentDraft:
        """Keep a text as the draft, which only leads see.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: NewConsentDraft = self.request("POST", f"{self._here}/consent/draft", body=body)
        return returned

    def get_own_consent(self) -> ConsentState:
        """Whether the consent text holds for you.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: ConsentState = self.request("GET", f"{self._here}/consent/own")
        return returned

    def list_consents(self) -> Iterator[PersonConsent]:
        """Annotators, each with the version that holds.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PersonConsent] = self._pages(f"{self._here}/consent/people")
        return returned

    def publish_a_consent(self, *, idempotency_key: str | None = None, **body: Unpack[NewConsent]) -> ConsentOut:
        """Publish a text. Publishing what is published already changes nothing.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: ConsentOut = self._make("POST", f"{self._here}/consent/publish", idempotency_key, body=body)
        return returned

    def get_consent_version(self, version: int) -> ConsentOut:
        """One published version.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: ConsentOut = self.request("GET", f"{self._here}/consent/versions/{part(version)}")
        return returned

    def withdraw_the_consent(self) -> Withdrawn:
        """Withdraw your consent: no more work here, and your answers to the survey go.

        For every member of the collection. Scope of a token: `judge`.
        """
        returned: Withdrawn = self.request("POST", f"{self._here}/consent/withdraw")
        return returned

    def get_what_deleting_takes(self) -> WhatGoes:
        """What goes with the collection, what is in the way, and what has to be agreed to.

        For owners of the collection. Scope of a token: `read`.
        """
        returned: WhatGoes = self.request("GET", f"{self._here}/deletion")
        return returned

    def delete_a_collection(self, **body: Unpack[NewDeletion]) -> DeletionOut:
        """Have a worker delete the collection with everything in it. Asked again, it is the same deletion.

        For owners of the collection. Scope of a token: `admin`.
        """
        returned: DeletionOut = self.request("POST", f"{self._here}/deletion", body=body)
        return returned

    def list_descriptions(self) -> Iterator[DescriptionOut]:
        """A collection's descriptions.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[DescriptionOut] = self._pages(f"{self._here}/descriptions")
        return returned

    def get_description(self, description_id: int) -> DescriptionOut:
        """One description.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: DescriptionOut = self.request("GET", f"{self._here}/descriptions/{part(description_id)}")
        return returned

    def remove_a_description(self, description_id: int) -> None:
        """Remove a description with its caption, as long as no query or candidate is made of it.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/descriptions/{part(description_id)}")

    def list_discarded_pairs(
        self, *, kind: Literal["", "open", "adjudicated"] | None = None
    ) -> Iterator[DiscardedPairOut]:
        """Pairs on which judgments differ too much, with what the lead decided about them.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[DiscardedPairOut] = self._pages(f"{self._here}/discarded-pairs", query={"kind": kind})
        return returned

    def adjudicate_a_pair(
        self, pair_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewAdjudication]
    ) -> AdjudicationOut:
        """Grade a discarded pair, with the reason; it counts only in releases that say so.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: AdjudicationOut = self._make(
            "POST", f"{self._here}/discarded-pairs/{part(pair_id)}/adjudications", idempotency_key, body=body
        )
        return returned

    def get_draw(self) -> DrawOut:
        """What could be drawn, and the draw that stands.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: DrawOut = self.request("GET", f"{self._here}/draw")
        return returned

    def draw_queries(self, *, idempotency_key: str | None = None, **body: Unpack[NewDraw]) -> JobOut:
        """Have a worker draw queries. While one draws, that job is the answer; what can't be is the job's problem.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/draw", idempotency_key, body=body)
        return returned

    def get_board_estimate(self, estimate_id: int) -> EstimateWithResult:
        """An estimate: how far it is, or what it found.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: EstimateWithResult = self.request("GET", f"{self._here}/estimates/{part(estimate_id)}")
        return returned

    def get_evidence_use(self) -> EvidenceUseOut:
        """Whether what annotators used beside the picture goes with other grades, and with more agreement.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: EvidenceUseOut = self.request("GET", f"{self._here}/evidence-use")
        return returned

    def get_exam(self) -> ExamOut:
        """The newest exam, how many have handed it in, and how far they agree.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ExamOut = self.request("GET", f"{self._here}/exam")
        return returned

    def draw_an_exam(self, *, idempotency_key: str | None = None, **body: Unpack[NewExam]) -> DrawnExam:
        """Draw an exam. It takes the place of one that nobody has begun.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: DrawnExam = self._make("POST", f"{self._here}/exam", idempotency_key, body=body)
        return returned

    def begin_own_exam(self) -> Items:
        """Begin the exam, or go on with it.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/exam/begin")
        return returned

    def close_the_exam(self, **body: Unpack[Closing]) -> ExamOut:
        """Close the first cohort: each item's truth becomes the median of its grades. It can't be undone.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: ExamOut = self.request("POST", f"{self._here}/exam/close", body=body)
        return returned

    def get_own_exam_feedback(self) -> list[OutItem]:
        """Your exam compared with the truth, items that are out first; empty before it is handed in and compared.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: list[OutItem] = self.request("GET", f"{self._here}/exam/feedback")
        return returned

    def grade_an_exam_item(self, **body: Unpack[ItemGrade]) -> Items:
        """Grade an item of your exam. Nothing is said of it before the exam is handed in and compared.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/exam/grade", body=body, again=True)
        return returned

    def grade_an_exam_item_again(self, **body: Unpack[ItemGrade]) -> Items:
        """Grade an item again that is out, and hear how it compares; the items still out come with it.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/exam/grade-again", body=body, again=True)
        return returned

    def hand_in_own_exam(self) -> Steps:
        """Hand your exam in: its grades are final.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Steps = self.request("POST", f"{self._here}/exam/hand-in")
        return returned

    def list_exam_items(self) -> Iterator[ExamItemOut]:
        """The newest exam's items.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[ExamItemOut] = self._pages(f"{self._here}/exam/items")
        return returned

    def explain_an_exam_item(self, item_id: int, **body: Unpack[Reason]) -> ExamItemOut:
        """Set the reason that the feedback on an item gives.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: ExamItemOut = self.request("PATCH", f"{self._here}/exam/items/{part(item_id)}", body=body)
        return returned

    def next_exam_items(self, **body: Unpack[Ahead]) -> Items:
        """The next items of your exam; none once it is handed in.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/exam/next", body=body)
        return returned

    def open_the_exam(self) -> ExamOut:
        """Open the exam to applicants who have finished the training.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: ExamOut = self.request("POST", f"{self._here}/exam/open")
        return returned

    def undo_an_exam_grade(self, **body: Unpack[UndoAnswer]) -> Items:
        """Take your last answer back, until the exam is handed in; its item comes first.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/exam/undo", body=body)
        return returned

    def get_factors(self) -> Factors:
        """A collection's factors: what is answered beside a grade, and after which grades.

        For every member of the collection. Scope of a token: `read` or `judge`.
        """
        returned: Factors = self.request("GET", f"{self._here}/factors")
        return returned

    def declare_the_factors(self, **body: Unpack[NewFactors]) -> Factors:
        """Declare factors in the place of those that there are. 409 once something is judged.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Factors = self.request("POST", f"{self._here}/factors", body=body)
        return returned

    def get_factor_figures(self) -> FactorFigures:
        """Agreement by factor, answers by grade, and how factors explain grades.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: FactorFigures = self.request("GET", f"{self._here}/factors/figures")
        return returned

    def retire_a_factor(self, factor: str) -> Factors:
        """Ask a factor no more, for good. What was answered stays.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Factors = self.request("POST", f"{self._here}/factors/{part(factor)}/retire")
        return returned

    def list_figures(self) -> Figures:
        """The data of all figures for a paper.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Figures = self.request("GET", f"{self._here}/figures")
        return returned

    def draw_a_figure(self, key: str, to: Path | str) -> Path:
        """One figure as SVG, in colours of its own.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/figures/{part(key)}", to)
        return returned

    def announce_a_file(self, **body: Unpack[NewFile]) -> FileOut:
        """Begin to send a file, or hear where it goes on. Leads may have 20 at a time, others 3.

        The same file again, by name, size and mark, is the one that is there already. The request that uses it
        takes it; it is yours alone.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        returned: FileOut = self.request("POST", f"{self._here}/files", body=body)
        return returned

    def list_files(self) -> Iterator[FileOut]:
        """Your own files that nothing has used.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: Iterator[FileOut] = self._pages(f"{self._here}/files")
        return returned

    def get_file(self, file: str) -> FileOut:
        """A file of yours: where it goes on.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: FileOut = self.request("GET", f"{self._here}/files/{part(file)}")
        return returned

    def send_piece_of_file(
        self, file: str, *, upload_offset: int, upload_checksum: str | None = None, content: bytes
    ) -> FileOut:
        """Send a file's next piece, of at most 8 MiB; with the last it is whole.

        409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes
        on.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        returned: FileOut = self.request(
            "PATCH",
            f"{self._here}/files/{part(file)}",
            headers={
                "Upload-Offset": str(upload_offset),
                "Upload-Checksum": None if upload_checksum is None else str(upload_checksum),
            },
            content=content,
        )
        return returned

    def delete_a_file(self, file: str) -> None:
        """Remove a file of yours that nothing has used.

        For every member of the collection. Scope of a token: `prepare` or `release`.
        """
        self.request("DELETE", f"{self._here}/files/{part(file)}")

    def list_flags(self, *, standing: Literal["open", "answered"] | None = None) -> Iterator[FlagOut]:
        """Flags of a collection's pairs, those that are open or those that were answered.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[FlagOut] = self._pages(f"{self._here}/flags", query={"standing": standing})
        return returned

    def answer_a_flag(self, flag_id: int, **body: Unpack[FlagAnswer]) -> FlagOut:
        """Send a flagged pair back to judging, or withdraw it. The same answer again changes nothing.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: FlagOut = self.request("POST", f"{self._here}/flags/{part(flag_id)}/answer", body=body)
        return returned

    def list_gold(self) -> Iterator[GoldOut]:
        """The pairs that are gold, the newest first. Annotators never learn which they are.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[GoldOut] = self._pages(f"{self._here}/gold")
        return returned

    def add_gold(self, **body: Unpack[NewGold]) -> AddedOut:
        """Make pairs gold: all that are sent, or none. What is gold already stays as it is.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: AddedOut = self.request("POST", f"{self._here}/gold", body=body)
        return returned

    def remove_from_gold(self, gold_id: int) -> None:
        """Take a pair off the list: it is given to nobody any more. Its answers stay.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/gold/{part(gold_id)}")

    def get_guideline(self) -> GuidelineOut:
        """The newest guideline; 404 before one is published.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: GuidelineOut = self.request("GET", f"{self._here}/guideline")
        return returned

    def confirm_the_guideline(self, **body: Unpack[Confirmed]) -> Confirmed:
        """Say that you have read the newest version; another one is refused.

        For every member of the collection. Scope of a token: `judge`.
        """
        returned: Confirmed = self.request("POST", f"{self._here}/guideline/confirm", body=body)
        return returned

    def get_guideline_draft(self) -> Draft:
        """The draft; without one the newest version, before that the text that comes with Qreels.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Draft = self.request("GET", f"{self._here}/guideline/draft")
        return returned

    def keep_guideline_draft(self, **body: Unpack[NewDraft]) -> Draft:
        """Keep a text as the draft, which only leads see.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Draft = self.request("POST", f"{self._here}/guideline/draft", body=body)
        return returned

    def publish_a_guideline(self, *, idempotency_key: str | None = None, **body: Unpack[NewGuideline]) -> GuidelineOut:
        """Publish a text with the present examples. Publishing what is published already changes nothing.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: GuidelineOut = self._make("POST", f"{self._here}/guideline/publish", idempotency_key, body=body)
        return returned

    def list_guideline_versions(self) -> list[VersionOut]:
        """All published versions, the newest first.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: list[VersionOut] = self.request("GET", f"{self._here}/guideline/versions")
        return returned

    def get_guideline_version(self, version: int) -> GuidelineOut:
        """One published version.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: GuidelineOut = self.request("GET", f"{self._here}/guideline/versions/{part(version)}")
        return returned

    def import_descriptions(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewDescriptions]
    ) -> DescriptionImport:
        """Have a worker import a file of descriptions without a look at it before.

        A file with problems changes nothing, unless `skip_bad`.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: DescriptionImport = self._make("POST", f"{self._here}/imports", idempotency_key, body=body)
        return returned

    def list_imports(self) -> Iterator[DescriptionImport]:
        """Imports of descriptions, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[DescriptionImport] = self._pages(f"{self._here}/imports")
        return returned

    def get_import(self, import_id: int) -> DescriptionImport:
        """An import of descriptions: how far it is, or what came of it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: DescriptionImport = self.request("GET", f"{self._here}/imports/{part(import_id)}")
        return returned

    def download_rejected_rows(self, import_id: int, to: Path | str) -> Path:
        """The rejected rows of an import as JSON Lines, to be mended and imported.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/imports/{part(import_id)}/rejected", to)
        return returned

    def get_cost_of_taking_back(self, import_id: int) -> RemovalOut:
        """What taking an import back would cost, and what depends on it. 404 for one that can't be taken back.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RemovalOut = self.request("GET", f"{self._here}/imports/{part(import_id)}/take-back")
        return returned

    def take_back_an_import(self, import_id: int) -> DescriptionImport:
        """Have a worker remove what an import added and change back what it changed. 409 if something depends on it.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: DescriptionImport = self.request("POST", f"{self._here}/imports/{part(import_id)}/take-back")
        return returned

    def list_invitations(self) -> Iterator[InvitationOut]:
        """A collection's invitations, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[InvitationOut] = self._pages(f"{self._here}/invitations")
        return returned

    def create_invitation(self, *, idempotency_key: str | None = None, **body: Unpack[NewInvitation]) -> MadeInvitation:
        """Make a link by which people become annotators. It is in this answer and nowhere else.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: MadeInvitation = self._make("POST", f"{self._here}/invitations", idempotency_key, body=body)
        return returned

    def withdraw_an_invitation(self, invitation_id: int) -> None:
        """Withdraw an invitation. People who have joined stay.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/invitations/{part(invitation_id)}")

    def list_jobs(self) -> Iterator[JobOut]:
        """A collection's jobs: those under way first, then the newest.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[JobOut] = self._pages(f"{self._here}/jobs")
        return returned

    def get_job(self, kind: str, job_id: int) -> JobWithLog:
        """A job with its log.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: JobWithLog = self.request("GET", f"{self._here}/jobs/{part(kind)}/{part(job_id)}")
        return returned

    def resume_a_job(self, kind: str, job_id: int) -> JobWithLog:
        """Have a job go on that was stopped, or that no worker is at. One that has ended stays as it is.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobWithLog = self.request("POST", f"{self._here}/jobs/{part(kind)}/{part(job_id)}/resume")
        return returned

    def stop_a_job(self, kind: str, job_id: int) -> JobWithLog:
        """Stop a job. One that has ended stays as it is.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobWithLog = self.request("POST", f"{self._here}/jobs/{part(kind)}/{part(job_id)}/stop")
        return returned

    def ask_about_a_pair(self, **body: Unpack[NewQuestion]) -> Tasks:
        """Ask the lead about a pair, which you may judge meanwhile. A second question takes the place of an open one.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Tasks = self.request("POST", f"{self._here}/judging/ask", body=body)
        return returned

    def get_context_of_a_pair(self, *, pair: UUID | str) -> Context:
        """The seconds before and after a pair's clip, where the lead allows it; say so with `used` of its grade.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Context = self.request("GET", f"{self._here}/judging/context", query={"pair": pair})
        return returned

    def flag_a_pair(self, **body: Unpack[NewFlag]) -> Tasks:
        """Hold a pair for the lead: its clip or its sentence is broken.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Tasks = self.request("POST", f"{self._here}/judging/flag", body=body)
        return returned

    def grade_a_pair(self, **body: Unpack[NewJudgment]) -> Tasks:
        """Judge a pair, and get the next ones.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Tasks = self.request("POST", f"{self._here}/judging/grade", body=body, again=True)
        return returned

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
        """The next pairs to judge. It may take a place at a batch, so it is no read. Refused while a consent text
        waits to.

        be confirmed, once what you had begun is judged.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Tasks = self.request("POST", f"{self._here}/judging/next", body=body)
        return returned

    def put_a_notice_away(self, **body: Unpack[PutAway]) -> OwnProgress:
        """Mark a notice or an answer as read. Repeating it changes nothing.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: OwnProgress = self.request("POST", f"{self._here}/judging/notices/put-away", body=body)
        return returned

    def get_own_progress(self) -> OwnProgress:
        """How much you have judged, how fast, how often like your partners, and what the lead says to you.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: OwnProgress = self.request("GET", f"{self._here}/judging/progress")
        return returned

    def get_own_session(self, *, since: datetime | str | None = None) -> SessionOut:
        """What you did since a time: judgments, seconds of work, pay.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: SessionOut = self.request("GET", f"{self._here}/judging/session", query={"since": since})
        return returned

    def undo_a_judgment(self, **body: Unpack[Undo]) -> Tasks:
        """Take back what you did last, a judgment or a flag; its pair comes first.

        For annotators of the collection who may judge. Scope of a token: `judge`.
        """
        returned: Tasks = self.request("POST", f"{self._here}/judging/undo", body=body)
        return returned

    def import_judgments(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewJudgments]
    ) -> JudgmentImportOut:
        """Have a worker import a file of judgments: TVR-Ranking's annotations, Label Studio's export, TREC qrels.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JudgmentImportOut = self._make("POST", f"{self._here}/judgment-imports", idempotency_key, body=body)
        return returned

    def list_judgment_imports(self) -> Iterator[JudgmentImportOut]:
        """Imports of judgments, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[JudgmentImportOut] = self._pages(f"{self._here}/judgment-imports")
        return returned

    def get_judgment_import(self, judgment_import_id: int) -> JudgmentImportOut:
        """An import of judgments: how far it is, what came of it, or the problems of its file by line.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: JudgmentImportOut = self.request("GET", f"{self._here}/judgment-imports/{part(judgment_import_id)}")
        return returned

    def get_leakage(self) -> LeakageOut:
        """The nearest training captions of val and test queries, by the cosine of their vectors; a worker compares.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: LeakageOut = self.request("GET", f"{self._here}/leakage")
        return returned

    def get_llm(self) -> LlmOut:
        """Which LLM rewrites this collection, and where each value comes from.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: LlmOut = self.request("GET", f"{self._here}/llm")
        return returned

    def change_llm(self, **body: Unpack[LlmChange]) -> LlmOut:
        """Set the collection's own settings. Servers come from the site's owners, and keys from the page alone.

        For owners of the collection. Scope of a token: `admin`.
        """
        returned: LlmOut = self.request("PATCH", f"{self._here}/llm", body=body)
        return returned

    def try_llm(self) -> LlmOut:
        """Have a worker make one small request as the settings have it; `trial` says what came.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: LlmOut = self.request("POST", f"{self._here}/llm/try")
        return returned

    def declare_a_machine_judge(self, *, idempotency_key: str | None = None, **body: Unpack[NewJudge]) -> JudgeOut:
        """Declare a judge whose grades are made elsewhere, or a model on a server. The same again is that judge;
        another of.

        its name is refused.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JudgeOut = self._make("POST", f"{self._here}/machine-judges", idempotency_key, body=body)
        return returned

    def list_machine_judges(self) -> Iterator[JudgeOut]:
        """A collection's judges, retired ones too, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[JudgeOut] = self._pages(f"{self._here}/machine-judges")
        return returned

    def fit_similarity_judge(self, *, idempotency_key: str | None = None, **body: Unpack[NewSimilarityJudge]) -> JobOut:
        """Have a worker fit a judge on the grades that people decided, and judge all pairs. Each fit is a judge of its
        own.

        409 for too few graded pairs, and while another is fitted.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/machine-judges/ours", idempotency_key, body=body)
        return returned

    def get_machine_judge(self, judge_id: int) -> JudgeWithCounts:
        """One judge, with counts of what it said.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: JudgeWithCounts = self.request("GET", f"{self._here}/machine-judges/{part(judge_id)}")
        return returned

    def ask_a_machine_judge(
        self, judge_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewAsking]
    ) -> JobOut:
        """Have a worker ask the server of a judge about pairs of which it says nothing. What was answered is never
        paid.

        again. 409 while another job of the judge is under way.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make(
            "POST", f"{self._here}/machine-judges/{part(judge_id)}/asks", idempotency_key, body=body
        )
        return returned

    def get_machine_calibration(self, judge_id: int) -> CalibrationOfJudge:
        """By how much a judge grades above people, its kappa and calibration error, raw and recalibrated.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CalibrationOfJudge = self.request("GET", f"{self._here}/machine-judges/{part(judge_id)}/calibration")
        return returned

    def send_machine_grades(self, judge_id: int, **body: Unpack[SentGrades]) -> Brought:
        """Store grades of a judge, up to 1,000: all of them or none. What it said before stays: the same again
        changes.

        nothing, anything else is refused.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Brought = self.request("POST", f"{self._here}/machine-judges/{part(judge_id)}/grades", body=body)
        return returned

    def list_machine_grades(self, judge_id: int) -> Iterator[GradeOut]:
        """A judge's grades of pairs that people have decided, beside theirs. Of other pairs none is told to anybody.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[GradeOut] = self._pages(f"{self._here}/machine-judges/{part(judge_id)}/grades")
        return returned

    def send_a_file_of_machine_grades(
        self, judge_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewJudging]
    ) -> JobOut:
        """Have a worker store a file of a judge's grades: CSV or JSON Lines of pair_id and grade, distribution or.

        abstained. A file with problems changes nothing. 409 while another of the judge is under way.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make(
            "POST", f"{self._here}/machine-judges/{part(judge_id)}/judgings", idempotency_key, body=body
        )
        return returned

    def list_pairs_to_judge(self, judge_id: int) -> Iterator[PairToJudge]:
        """The pairs of which a judge says nothing, opened for people or not, with nobody's grade.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PairToJudge] = self._pages(f"{self._here}/machine-judges/{part(judge_id)}/pairs")
        return returned

    def retire_a_machine_judge(self, judge_id: int) -> JudgeOut:
        """Have a judge judge no more, for good. Its grades are kept.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JudgeOut = self.request("POST", f"{self._here}/machine-judges/{part(judge_id)}/retire")
        return returned

    def list_members(self) -> Iterator[MemberOut]:
        """Everybody with a place in a collection.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[MemberOut] = self._pages(f"{self._here}/members")
        return returned

    def get_member(self, member_id: int) -> MemberOut:
        """One member.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: MemberOut = self.request("GET", f"{self._here}/members/{part(member_id)}")
        return returned

    def change_member_role(self, member_id: int, **body: Unpack[NewRole]) -> MemberOut:
        """Make a member lead or owner. Whoever leads sees grades, and never judges here again.

        For owners of the collection. Scope of a token: `admin`.
        """
        returned: MemberOut = self.request("PATCH", f"{self._here}/members/{part(member_id)}", body=body)
        return returned

    def remove_a_member(self, member_id: int) -> None:
        """End somebody's access. Their worker id, judgments and decisions stay.

        For owners of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/members/{part(member_id)}")

    def make_a_member_s_password_link(self, member_id: int, *, idempotency_key: str | None = None) -> PasswordLinkOut:
        """Make such a link for an annotator all of whose collections you lead.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PasswordLinkOut = self._make(
            "POST", f"{self._here}/members/{part(member_id)}/password-link", idempotency_key
        )
        return returned

    def list_moments(self) -> Iterator[MomentOut]:
        """A collection's moments.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[MomentOut] = self._pages(f"{self._here}/moments")
        return returned

    def get_moment(self, moment_id: int) -> MomentOut:
        """One moment.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: MomentOut = self.request("GET", f"{self._here}/moments/{part(moment_id)}")
        return returned

    def list_notices(self) -> Iterator[NoticeOut]:
        """Notices to annotators, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[NoticeOut] = self._pages(f"{self._here}/notices")
        return returned

    def post_a_notice(self, *, idempotency_key: str | None = None, **body: Unpack[NewNotice]) -> NoticeOut:
        """Post a notice to one annotator or to all. Say nothing of grades, captions or people in it.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: NoticeOut = self._make("POST", f"{self._here}/notices", idempotency_key, body=body)
        return returned

    def withdraw_a_notice(self, notice_id: int) -> None:
        """Withdraw a notice.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/notices/{part(notice_id)}")

    def get_opening(self) -> OpeningPlan:
        """What would be opened for judging now, what that takes, and what is missing.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: OpeningPlan = self.request("GET", f"{self._here}/opening")
        return returned

    def open_the_judging(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker open judging. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/opening", idempotency_key)
        return returned

    def get_overview(self) -> OverviewOut:
        """How far each step is, what waits for the lead, pace and forecast, who is at work.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: OverviewOut = self.request("GET", f"{self._here}/overview")
        return returned

    def bring_back_a_pair(self, pair_id: int) -> PairState:
        """Restore a withdrawn pair: its judgments decide its state again.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: PairState = self.request("POST", f"{self._here}/pairs/{part(pair_id)}/bring-back")
        return returned

    def set_a_span(self, pair_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewSpan]) -> RulingOut:
        """Set start and end of a pair on which annotators don't agree. Judgments stay as they are.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: RulingOut = self._make("POST", f"{self._here}/pairs/{part(pair_id)}/span", idempotency_key, body=body)
        return returned

    def list_people(self) -> Iterator[PersonOut]:
        """Annotators with their figures, which a worker counts; the first time they are null.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PersonOut] = self._pages(f"{self._here}/people")
        return returned

    def list_partners(self) -> Partners:
        """How far every two people agree who judged the same pairs.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Partners = self.request("GET", f"{self._here}/people/partners")
        return returned

    def get_person(self, member_id: int) -> PersonWithHistory:
        """One annotator: figures, alerts, and every decision about them.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PersonWithHistory = self.request("GET", f"{self._here}/people/{part(member_id)}")
        return returned

    def dismiss_an_alert(self, member_id: int, **body: Unpack[NewDismissal]) -> PersonWithHistory:
        """Dismiss an alert that stands for four weeks, with a note on what was found.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PersonWithHistory = self.request(
            "POST", f"{self._here}/people/{part(member_id)}/alerts/dismiss", body=body
        )
        return returned

    def erase_a_person(self, member_id: int, **body: Unpack[Erasure]) -> Erased:
        """Erase the person behind a worker id. The judgments stay; this can't be undone.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: Erased = self.request("POST", f"{self._here}/people/{part(member_id)}/erase", body=body)
        return returned

    def get_gold_of_a_person(self, member_id: int, *, answer: int | None = None) -> PersonGold:
        """How somebody grades gold, and how many judgments were counted since the last good one, or the one asked
        about.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PersonGold = self.request(
            "GET", f"{self._here}/people/{part(member_id)}/gold", query={"answer": answer}
        )
        return returned

    def set_judgments_aside(self, member_id: int, **body: Unpack[NewSetAside]) -> PersonGold:
        """Take somebody's judgments since the last good gold out of consensus; others get their pairs. Pay stays.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PersonGold = self.request("POST", f"{self._here}/people/{part(member_id)}/gold/set-aside", body=body)
        return returned

    def change_person_standing(self, member_id: int, **body: Unpack[NewStanding]) -> PersonOut:
        """Pause an annotator, bar them, admit them again or send them to the exam again, with the reason.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PersonOut = self.request("POST", f"{self._here}/people/{part(member_id)}/standing", body=body)
        return returned

    def set_a_person_s_terms(self, member_id: int, **body: Unpack[Terms]) -> PersonWithHistory:
        """Set somebody's languages and rate. A rate is paid for work from a day on; earlier days keep theirs.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PersonWithHistory = self.request("POST", f"{self._here}/people/{part(member_id)}/terms", body=body)
        return returned

    def get_what_came_of_plan(self) -> PromisedOut:
        """What the chosen plan promised, and what each leaderboard has: by people's judgments alone.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PromisedOut = self.request("GET", f"{self._here}/plan-came")
        return returned

    def list_plan_sources(self) -> list[SourceOut]:
        """What a plan can be made from: releases with two systems or more, studies, or nothing yet.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[SourceOut] = self.request("GET", f"{self._here}/plan-sources")
        return returned

    def make_a_plan(self, *, idempotency_key: str | None = None, **body: Unpack[NewPlan]) -> PlanOut:
        """Have a worker plan: queries, hours and cost for a difference worth finding, with a machine or without.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: PlanOut = self._make("POST", f"{self._here}/plans", idempotency_key, body=body)
        return returned

    def list_plans(self) -> Iterator[PlanOut]:
        """Plans, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PlanOut] = self._pages(f"{self._here}/plans")
        return returned

    def get_plan(self, plan_id: int) -> PlanOut:
        """A plan: how far it is, or its ways.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PlanOut = self.request("GET", f"{self._here}/plans/{part(plan_id)}")
        return returned

    def delete_plan(self, plan_id: int) -> None:
        """Remove a plan. 409 while it is being made.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/plans/{part(plan_id)}")

    def choose_plan(self, plan_id: int, **body: Unpack[Choice]) -> PlanOut:
        """Have the collection go by a way of a plan, and by no other; null: by none. 409 for a row that it hasn't.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: PlanOut = self.request("POST", f"{self._here}/plans/{part(plan_id)}/choose", body=body)
        return returned

    def make_the_pool(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker make the pool by the recipe. While one does, that job is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/pool", idempotency_key)
        return returned

    def get_recipe(self) -> RecipeOut:
        """The recipe of a collection's pool, and how far the pool is.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RecipeOut = self.request("GET", f"{self._here}/pool-recipe")
        return returned

    def set_recipe(self, **body: Unpack[NewRecipe]) -> RecipeOut:
        """Set the recipe. What is open or judged stays; make the pool, so that it follows.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: RecipeOut = self.request("POST", f"{self._here}/pool-recipe", body=body)
        return returned

    def list_pool_runs(self) -> Iterator[PoolRunOut]:
        """The runs of a collection's pool, by team and system.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PoolRunOut] = self._pages(f"{self._here}/pool-runs")
        return returned

    def add_pool_run(self, *, idempotency_key: str | None = None, **body: Unpack[NewPoolRun]) -> JobOut:
        """Have a worker add a run to the pool.

        What is wrong in the file is the job's problem, with its line. The same run again changes nothing.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/pool-runs", idempotency_key, body=body)
        return returned

    def remove_a_pool_run(self, run_id: int) -> None:
        """Remove a run, as long as nothing that it put into the pool is open for judging.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/pool-runs/{part(run_id)}")

    def grade_a_practice_item(self, **body: Unpack[ItemGrade]) -> Items:
        """Grade a practice item, and hear how it compares with the lead's grade.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/practice/grade", body=body, again=True)
        return returned

    def next_practice_items(self, **body: Unpack[Ahead]) -> Items:
        """The next practice items.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Items = self.request("POST", f"{self._here}/practice/next", body=body)
        return returned

    def preview_descriptions(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewDescriptions]
    ) -> PreviewOut:
        """Have a worker read a file of descriptions and say what it understands; nothing is imported.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: PreviewOut = self._make("POST", f"{self._here}/previews", idempotency_key, body=body)
        return returned

    def list_previews(self) -> Iterator[PreviewOut]:
        """Files of descriptions that wait in a preview, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PreviewOut] = self._pages(f"{self._here}/previews")
        return returned

    def get_preview(self, preview_id: int) -> PreviewOut:
        """What was understood of a file: format, columns, first rows, counts, problems by line; or how far it is read.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PreviewOut = self.request("GET", f"{self._here}/previews/{part(preview_id)}")
        return returned

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
        returned: DescriptionImport = self._make(
            "POST", f"{self._here}/previews/{part(preview_id)}/import", idempotency_key, body=body
        )
        return returned

    def read_preview_anew(self, preview_id: int, **body: Unpack[Reading]) -> PreviewOut:
        """Have a worker read the file in another way.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: PreviewOut = self.request("POST", f"{self._here}/previews/{part(preview_id)}/read", body=body)
        return returned

    def list_publications(self) -> Iterator[PublicationOut]:
        """Publications of a collection's releases, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[PublicationOut] = self._pages(f"{self._here}/publications")
        return returned

    def get_publication(self, publication_id: int) -> PublicationOut:
        """A publication with its files and how far they are.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PublicationOut = self.request("GET", f"{self._here}/publications/{part(publication_id)}")
        return returned

    def confirm_a_publication(self, publication_id: int, **body: Unpack[Confirmation]) -> PublicationOut:
        """Have a worker send what was planned.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: PublicationOut = self.request(
            "POST", f"{self._here}/publications/{part(publication_id)}/confirm", body=body
        )
        return returned

    def get_qualification(self) -> Steps:
        """How far you are: guideline, practice, exam, items to judge again.

        For annotators of the collection, in training or admitted. Scope of a token: `judge`.
        """
        returned: Steps = self.request("GET", f"{self._here}/qualification")
        return returned

    def list_queries(self, *, split: Literal["", "val", "test"] | None = None) -> Iterator[QueryOut]:
        """A collection's queries, of one split or both.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[QueryOut] = self._pages(f"{self._here}/queries", query={"split": split})
        return returned

    def get_query(self, query_id: int) -> QueryOut:
        """One query.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: QueryOut = self.request("GET", f"{self._here}/queries/{part(query_id)}")
        return returned

    def list_candidates(self, query_id: int) -> Iterator[CandidateOut]:
        """A query's candidates.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[CandidateOut] = self._pages(f"{self._here}/queries/{part(query_id)}/candidates")
        return returned

    def list_questions(self, *, standing: Literal["open", "answered"] | None = None) -> Iterator[QuestionOut]:
        """Questions of annotators, those that are open or those that were answered.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[QuestionOut] = self._pages(f"{self._here}/questions", query={"standing": standing})
        return returned

    def answer_a_question(self, question_id: int, **body: Unpack[Answer]) -> QuestionOut:
        """Answer a question; only who asked it sees the answer.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: QuestionOut = self.request("POST", f"{self._here}/questions/{part(question_id)}/answer", body=body)
        return returned

    def list_recruitments(self) -> Iterator[RecruitmentOut]:
        """A collection's recruitments, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[RecruitmentOut] = self._pages(f"{self._here}/recruitments")
        return returned

    def create_recruitment(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewRecruitment]
    ) -> RecruitmentOut:
        """Make an address by which a platform sends people.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: RecruitmentOut = self._make("POST", f"{self._here}/recruitments", idempotency_key, body=body)
        return returned

    def get_recruitment(self, recruitment_id: int) -> RecruitmentOut:
        """One recruitment.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RecruitmentOut = self.request("GET", f"{self._here}/recruitments/{part(recruitment_id)}")
        return returned

    def close_a_recruitment(self, recruitment_id: int) -> None:
        """Close a recruitment to new people and sessions. Who is in one can complete it.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/recruitments/{part(recruitment_id)}")

    def list_recruit_sessions(self, recruitment_id: int) -> Iterator[RecruitSessionOut]:
        """A recruitment's sessions, the newest first: time, work, alerts, what is due, whether to approve it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[RecruitSessionOut] = self._pages(
            f"{self._here}/recruitments/{part(recruitment_id)}/sessions"
        )
        return returned

    def list_releases(self) -> Iterator[ReleaseOut]:
        """Releases, the newest first: to leads all, to others those that are shared with them.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: Iterator[ReleaseOut] = self._pages(f"{self._here}/releases")
        return returned

    def make_a_release(self, *, idempotency_key: str | None = None, **body: Unpack[NewRelease]) -> JobOut:
        """Have a worker make a release.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/releases", idempotency_key, body=body)
        return returned

    def get_release(self, release_id: int) -> ReleaseWithFiles:
        """A release with the files that you may have.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: ReleaseWithFiles = self.request("GET", f"{self._here}/releases/{part(release_id)}")
        return returned

    def download_release_archive(self, release_id: int, to: Path | str) -> Path:
        """The whole release as .tar.gz, or a range of it; its ETag is its SHA-256.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/releases/{part(release_id)}/archive", to)
        return returned

    def get_audit_of_release(self, release_id: int) -> ReleaseAuditOut:
        """What stands in a release's raw judgments; asked for anew while it is computed for the first time.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ReleaseAuditOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/audit")
        return returned

    def get_board(self, release_id: int, split: Literal["val", "test"], *, sort: str | None = None) -> BoardOut:
        """The leaderboard of a released split: for members with whom the release is shared.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: BoardOut = self.request(
            "GET", f"{self._here}/releases/{part(release_id)}/boards/{part(split)}", query={"sort": sort}
        )
        return returned

    def estimate_a_board(
        self,
        release_id: int,
        split: Literal["val", "test"],
        *,
        idempotency_key: str | None = None,
        **body: Unpack[NewEstimate],
    ) -> EstimateOut:
        """Have a worker estimate a split's scores with a machine judge's help. 409 while another estimate is under
        way.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: EstimateOut = self._make(
            "POST",
            f"{self._here}/releases/{part(release_id)}/boards/{part(split)}/estimates",
            idempotency_key,
            body=body,
        )
        return returned

    def list_board_estimates(self, release_id: int, split: Literal["val", "test"]) -> Iterator[EstimateOut]:
        """Estimates of a split, the newest first, without their results.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[EstimateOut] = self._pages(
            f"{self._here}/releases/{part(release_id)}/boards/{part(split)}/estimates"
        )
        return returned

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
        returned: RunOut = self._make(
            "POST", f"{self._here}/releases/{part(release_id)}/boards/{part(split)}/runs", idempotency_key, body=body
        )
        return returned

    def get_certificate(self, release_id: int) -> CertificateOut:
        """A release's newest certificate of how far it can be reused.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CertificateOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/certificate")
        return returned

    def certify_a_release(self, release_id: int, *, idempotency_key: str | None = None) -> CertificateOut:
        """Have a worker compute the certificate over the runs that there are; over the same ones it stays.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CertificateOut = self._make(
            "POST", f"{self._here}/releases/{part(release_id)}/certificate", idempotency_key
        )
        return returned

    def draw_a_certificate(self, release_id: int, split: Literal["val", "test"], to: Path | str) -> Path:
        """The newest certificate's figure of a split as SVG.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/releases/{part(release_id)}/certificate/{part(split)}", to)
        return returned

    def check_a_release(self, release_id: int, *, idempotency_key: str | None = None) -> CheckOut:
        """Have a worker check a release's files, grades, splits and formats.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CheckOut = self._make("POST", f"{self._here}/releases/{part(release_id)}/check", idempotency_key)
        return returned

    def get_release_check(self, release_id: int) -> CheckOut:
        """The newest check of a release; 404 if there was none.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CheckOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/check")
        return returned

    def get_citation(self, release_id: int) -> CitationOut:
        """How a release is cited.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: CitationOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/citation")
        return returned

    def set_a_citation(self, release_id: int, **body: Unpack[CitationFields]) -> CitationOut:
        """Set title, authors, year and address of a release's citation.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: CitationOut = self.request("POST", f"{self._here}/releases/{part(release_id)}/citation", body=body)
        return returned

    def compare_two_releases(self, release_id: int, other_id: int, *, start: int | None = None) -> DifferencesOut:
        """What differs from one release to another: queries, pairs, grades, settings.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: DifferencesOut = self.request(
            "GET", f"{self._here}/releases/{part(release_id)}/differences/{part(other_id)}", query={"start": start}
        )
        return returned

    def download_release_file(self, release_id: int, to: Path | str, *, path: str) -> Path:
        """One file of a release, by its path in the release's list.

        Its ETag is its SHA-256. It can be asked for by range.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/releases/{part(release_id)}/file", to, query={"path": path})
        return returned

    def get_release_manifest(self, release_id: int) -> dict[str, Any]:
        """A release's manifest: settings, models, counts, hashes.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: dict[str, Any] = self.request("GET", f"{self._here}/releases/{part(release_id)}/manifest")
        return returned

    def get_public_page(self, release_id: int) -> PublicOut:
        """What of a release anybody can read.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: PublicOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/public")
        return returned

    def make_a_release_public(self, release_id: int, **body: Unpack[NewPublic]) -> PublicOut:
        """Let anybody read a release's page, with these pictures and files; again with others changes these.

        For owners of the collection. Scope of a token: `release`.
        """
        returned: PublicOut = self.request("POST", f"{self._here}/releases/{part(release_id)}/public", body=body)
        return returned

    def withdraw_a_public_page(self, release_id: int) -> PublicOut:
        """Let nobody read a release's page without a login any more.

        For owners of the collection. Scope of a token: `release`.
        """
        returned: PublicOut = self.request("POST", f"{self._here}/releases/{part(release_id)}/public/withdraw")
        return returned

    def plan_publication(
        self, release_id: int, *, idempotency_key: str | None = None, **body: Unpack[NewPublication]
    ) -> PublicationOut:
        """Have a worker look what a publication would send. Nothing is sent until it is confirmed.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: PublicationOut = self._make(
            "POST", f"{self._here}/releases/{part(release_id)}/publications", idempotency_key, body=body
        )
        return returned

    def get_release_sharing(self, release_id: int) -> SharingOut:
        """What members see of a release.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: SharingOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/sharing")
        return returned

    def share_a_release(self, release_id: int, **body: Unpack[SharingOut]) -> SharingOut:
        """Set what members see of a release.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: SharingOut = self.request("POST", f"{self._here}/releases/{part(release_id)}/sharing", body=body)
        return returned

    def get_release_signature(self, release_id: int) -> SignatureOut:
        """A release's signature; 404 if it has none.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: SignatureOut = self.request("GET", f"{self._here}/releases/{part(release_id)}/signature")
        return returned

    def sign_a_release(self, release_id: int, **body: Unpack[NewSignature]) -> SignatureOut:
        """Keep the signature that the owner made elsewhere, in the place of an earlier one, if it is of this release.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: SignatureOut = self.request(
            "POST", f"{self._here}/releases/{part(release_id)}/signature", body=body, again=True
        )
        return returned

    def withdraw_a_release_signature(self, release_id: int) -> None:
        """Give a release's signature out no more.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        self.request("DELETE", f"{self._here}/releases/{part(release_id)}/signature")

    def replay_judgments(
        self,
        *,
        kind: Literal["", "paper", "mean", "median", "majority"] | None = None,
        first_round: int | None = None,
        second_round: int | None = None,
        largest_difference: int | None = None,
        trimmed: int | None = None,
        rounding: Literal["", "up", "down", "nearest"] | None = None,
    ) -> ReplayOut:
        """What another rule of consensus would make of the judgments that there are.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ReplayOut = self.request(
            "GET",
            f"{self._here}/replay",
            query={
                "kind": kind,
                "first_round": first_round,
                "second_round": second_round,
                "largest_difference": largest_difference,
                "trimmed": trimmed,
                "rounding": rounding,
            },
        )
        return returned

    def restore_a_collection(self) -> CollectionOut:
        """Restore an archived collection as it was left.

        For owners of the collection. Scope of a token: `admin`.
        """
        returned: CollectionOut = self.request("POST", f"{self._here}/restore")
        return returned

    def list_reviews(
        self, *, kind: Literal["", "automatic", "lead", "taken-back"] | None = None, start: int | None = None
    ) -> list[DecidedBatch]:
        """Decisions about batches, the newest 200 from `start` on.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[DecidedBatch] = self.request(
            "GET", f"{self._here}/reviews", query={"kind": kind, "start": start}
        )
        return returned

    def apply_review_policy(self) -> Applied:
        """Decide the waiting batches that are clear by the batch review policy of the settings.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: Applied = self.request("POST", f"{self._here}/reviews/apply-policy")
        return returned

    def get_rewriting(self) -> RewritingOut:
        """How many descriptions have captions, how many pass the checks. Figures may be a minute old.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RewritingOut = self.request("GET", f"{self._here}/rewriting")
        return returned

    def rewrite_captions(self, *, idempotency_key: str | None = None, **body: Unpack[NewRewriting]) -> JobOut:
        """Have a worker write captions, by rules or the LLM of the settings, or use descriptions as they are; a job
        that.

        was stopped goes on.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/rewriting", idempotency_key, body=body)
        return returned

    def preview_rewriting(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewRewritingPreview]
    ) -> RewritingPreviewOut:
        """Have a worker rewrite ten descriptions to be looked at, and estimate what all take. Nothing is kept as a
        caption.

        409 while another preview is made.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: RewritingPreviewOut = self._make(
            "POST", f"{self._here}/rewriting/previews", idempotency_key, body=body
        )
        return returned

    def list_rewriting_previews(self) -> Iterator[RewritingPreviewOut]:
        """Previews of rewriting, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[RewritingPreviewOut] = self._pages(f"{self._here}/rewriting/previews")
        return returned

    def get_rewriting_preview(self, rewriting_preview_id: int) -> RewritingPreviewOut:
        """A preview of rewriting: how far it is, or the captions with their verdicts, and the estimate.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: RewritingPreviewOut = self.request(
            "GET", f"{self._here}/rewriting/previews/{part(rewriting_preview_id)}"
        )
        return returned

    def run_to_open(self, *, idempotency_key: str | None = None, **body: Unpack[WhatToRun]) -> JobOut:
        """Have a worker do what remains until judging is open. While it runs, that job is the answer.

        It stops where a person is needed: the job's words say for what. It is stopped and resumed as every job.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/run-to-open", idempotency_key, body=body)
        return returned

    def list_runs(self) -> Iterator[RunOut]:
        """Runs, the newest first: to leads all, to others their own.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: Iterator[RunOut] = self._pages(f"{self._here}/runs")
        return returned

    def get_run(self, run_id: int) -> RunOut:
        """A run: how far its scoring is, or its values. For its uploader and leads.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: RunOut = self.request("GET", f"{self._here}/runs/{part(run_id)}")
        return returned

    def download_run_file(self, run_id: int, to: Path | str) -> Path:
        """A run's file as it was uploaded: for its uploader and leads.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/runs/{part(run_id)}/file", to)
        return returned

    def list_run_queries(
        self,
        run_id: int,
        *,
        measure: str | None = None,
        order: Literal["worst", "best", "split"] | None = None,
        start: int | None = None,
    ) -> AnswersOut:
        """A scored run's queries with their values; not where the truth of test is hidden.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: AnswersOut = self.request(
            "GET",
            f"{self._here}/runs/{part(run_id)}/queries",
            query={"measure": measure, "order": order, "start": start},
        )
        return returned

    def get_run_query(
        self, run_id: int, answer_id: int, *, iou: Literal["0.3", "0.5", "0.7"] | None = None
    ) -> AnswerInFull:
        """One query of a run: truth, predictions, and what matches at an IoU; not where the truth of test is hidden.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: AnswerInFull = self.request(
            "GET", f"{self._here}/runs/{part(run_id)}/queries/{part(answer_id)}", query={"iou": iou}
        )
        return returned

    def show_a_run(self, run_id: int, **body: Unpack[Shown]) -> RunOut:
        """Decide whether a release's public page lists a run: for its uploader, of a run by a command for leads.

        For every member of the collection. Scope of a token: `release`.
        """
        returned: RunOut = self.request("POST", f"{self._here}/runs/{part(run_id)}/show", body=body)
        return returned

    def withdraw_a_run(self, run_id: int) -> RunOut:
        """Take a run from its board; its file and values stay. For its uploader and leads.

        For every member of the collection. Scope of a token: `release`.
        """
        returned: RunOut = self.request("POST", f"{self._here}/runs/{part(run_id)}/withdraw")
        return returned

    def get_sampling(self) -> DesignOut:
        """A collection's design, its strata and stages, and how much is judged. 404 without one.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: DesignOut = self.request("GET", f"{self._here}/sampling")
        return returned

    def make_sampling(self, *, idempotency_key: str | None = None, **body: Unpack[NewDesign]) -> DesignOut:
        """Make a design and draw its first stage, before judging is open. Nothing is opened by it.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: DesignOut = self._make("POST", f"{self._here}/sampling", idempotency_key, body=body)
        return returned

    def remove_sampling(self) -> None:
        """Remove the design, as long as nothing is open for judging.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/sampling")

    def extend_sampling(self, **body: Unpack[MoreDrawn]) -> DesignOut:
        """Draw more. What was drawn stays; where judging is open a worker opens what is new.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: DesignOut = self.request("POST", f"{self._here}/sampling/extend", body=body)
        return returned

    def get_scale(self) -> ScaleOut:
        """How many grades there are, and how they are called, explained and coloured.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: ScaleOut = self.request("GET", f"{self._here}/scale")
        return returned

    def change_scale(self, **body: Unpack[NewGradeWords]) -> ScaleOut:
        """Set words, descriptions and colours; the number of grades are settings. Once something is judged, only a
        language.

        can be added.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: ScaleOut = self.request("PATCH", f"{self._here}/scale", body=body)
        return returned

    def withdraw_a_set_aside(self, set_aside_id: int) -> DecisionOut:
        """Have judgments count again whose pairs nobody has judged since. Repeating it changes nothing.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: DecisionOut = self.request("POST", f"{self._here}/set-asides/{part(set_aside_id)}/withdraw")
        return returned

    def list_settings(self) -> list[SettingOut]:
        """A collection's settings with their meaning, their default and what the paper did.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[SettingOut] = self.request("GET", f"{self._here}/settings")
        return returned

    def change_settings(self, **body: Unpack[SettingChanges]) -> list[SettingOut]:
        """Change settings. Those that judgments rest on stay.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: list[SettingOut] = self.request("PATCH", f"{self._here}/settings", body=body)
        return returned

    def withdraw_a_span(self, ruling_id: int) -> RulingOut:
        """Withdraw a start and end that a lead has set; it is kept.

        For owners and leads of the collection. Scope of a token: `review`.
        """
        returned: RulingOut = self.request("POST", f"{self._here}/span-rulings/{part(ruling_id)}/withdraw")
        return returned

    def get_spans(self, *, start: int | None = None) -> SpansOut:
        """How many pairs' spans agree, their mean IoU, and the pairs that are apart.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: SpansOut = self.request("GET", f"{self._here}/spans", query={"start": start})
        return returned

    def get_statistics(self) -> Statistics:
        """Material, queries by split, relevant moments, agreement and judging, as the collection stands.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Statistics = self.request("GET", f"{self._here}/statistics")
        return returned

    def get_stopping(self) -> GoalOut:
        """What is settled, how many queries more settle the rest, and every look so far. 404 without a goal.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: GoalOut = self.request("GET", f"{self._here}/stopping")
        return returned

    def set_a_stopping_goal(self, *, idempotency_key: str | None = None, **body: Unpack[NewGoal]) -> GoalOut:
        """Set what is to be settled before judging stops. The goal before ends, with its looks.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: GoalOut = self._make("POST", f"{self._here}/stopping/goal", idempotency_key, body=body)
        return returned

    def end_a_stopping_goal(self) -> None:
        """End the goal; its looks stay.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/stopping/goal")

    def look_at_what_is_settled(self, *, idempotency_key: str | None = None) -> JobOut:
        """Have a worker look; refused before so many queries are judged as `next_at` says.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/stopping/look", idempotency_key)
        return returned

    def open_next_queries(self, **body: Unpack[NextQueries]) -> Drawn:
        """Draw the next queries of the design's random order, and have a worker open them for judging.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Drawn = self.request("POST", f"{self._here}/stopping/open", body=body)
        return returned

    def list_studies(self) -> list[StudyRow]:
        """A collection's studies, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[StudyRow] = self.request("GET", f"{self._here}/studies")
        return returned

    def make_a_study(self, *, idempotency_key: str | None = None, **body: Unpack[NewStudy]) -> JobOut:
        """Have a worker make a study. While one of its kind is made or judged, that is the answer.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/studies", idempotency_key, body=body)
        return returned

    def put_a_study_away(self, study_id: int) -> list[StudyRow]:
        """Archive a study: its judgments are kept and can be read.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: list[StudyRow] = self.request("POST", f"{self._here}/studies/{part(study_id)}/put-away")
        return returned

    def get_submission(self, submission_id: int) -> SubmissionOfTeam:
        """One run: its check, its faults with lines, its values.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: SubmissionOfTeam = self.request("GET", f"{self._here}/submissions/{part(submission_id)}")
        return returned

    def exclude_a_submission(self, submission_id: int, **body: Unpack[ExclusionReason]) -> SubmissionOfTeam:
        """Have a run count nowhere; its team reads the reason.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: SubmissionOfTeam = self.request(
            "POST", f"{self._here}/submissions/{part(submission_id)}/exclude", body=body
        )
        return returned

    def download_submission(self, submission_id: int, to: Path | str) -> Path:
        """A run's file as it was sent.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Path = self._fetch(f"{self._here}/submissions/{part(submission_id)}/file", to)
        return returned

    def include_a_submission(self, submission_id: int) -> SubmissionOfTeam:
        """Have a run count again that was excluded or withdrawn.

        For owners and leads of the collection. Scope of a token: `release`.
        """
        returned: SubmissionOfTeam = self.request("POST", f"{self._here}/submissions/{part(submission_id)}/include")
        return returned

    def get_own_survey(self) -> list[OwnAnswer]:
        """What is asked of annotators, with your own answers.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: list[OwnAnswer] = self.request("GET", f"{self._here}/survey")
        return returned

    def answer_the_survey(self, **body: Unpack[SentAnswers]) -> list[OwnAnswer]:
        """Answer, or change what you answered. Refused before the consent text is confirmed.

        For every member of the collection. Scope of a token: `judge`.
        """
        returned: list[OwnAnswer] = self.request("PATCH", f"{self._here}/survey", body=body)
        return returned

    def delete_own_answers(self) -> None:
        """Delete all that you answered; what was summed up before stays told.

        For every member of the collection. Scope of a token: `judge`.
        """
        self.request("DELETE", f"{self._here}/survey")

    def ask_a_question(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewSurveyQuestion]
    ) -> SurveyQuestionOut:
        """Ask another question.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: SurveyQuestionOut = self._make("POST", f"{self._here}/survey/questions", idempotency_key, body=body)
        return returned

    def retire_a_question(self, survey_question_id: int) -> None:
        """Ask a question no more: its answers go, its sums stay.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/survey/questions/{part(survey_question_id)}")

    def get_survey_sums(self) -> list[SumsOut]:
        """What is told of each question: sums that were made once of each person, never anybody's answers.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[SumsOut] = self.request("GET", f"{self._here}/survey/sums")
        return returned

    def sum_up_the_survey(self) -> Made:
        """Sum up the answers of those who are in no sum yet, where there are ten of them.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: Made = self.request("POST", f"{self._here}/survey/sums")
        return returned

    def change_a_team(self, team_id: int, **body: Unpack[TeamChanges]) -> TeamRow:
        """Change a team's name, affiliation, contact, or whether boards call it by its number.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: TeamRow = self.request("PATCH", f"{self._here}/teams/{part(team_id)}", body=body)
        return returned

    def delete_a_team(self, team_id: int) -> None:
        """Delete a team that has sent nothing.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/teams/{part(team_id)}")

    def extend_a_team(self, team_id: int, **body: Unpack[NewDeadline]) -> TeamRow:
        """Give a team a later deadline of its own; its runs after the campaign's are marked late.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: TeamRow = self.request("POST", f"{self._here}/teams/{part(team_id)}/deadline", body=body)
        return returned

    def disqualify_a_team(self, team_id: int, **body: Unpack[ExclusionReason]) -> TeamRow:
        """Have none of a team's runs count.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: TeamRow = self.request("POST", f"{self._here}/teams/{part(team_id)}/disqualify", body=body)
        return returned

    def make_team_link(self, team_id: int, *, idempotency_key: str | None = None) -> LinkOut:
        """Make a link by which one person joins the team.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: LinkOut = self._make("POST", f"{self._here}/teams/{part(team_id)}/links", idempotency_key)
        return returned

    def readmit_a_team(self, team_id: int) -> TeamRow:
        """Have a team's runs count again.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: TeamRow = self.request("POST", f"{self._here}/teams/{part(team_id)}/readmit")
        return returned

    def list_time(self, *, first: date | str | None = None, last: date | str | None = None) -> list[DayOut]:
        """Every day on which somebody worked, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[DayOut] = self.request("GET", f"{self._here}/time", query={"first": first, "last": last})
        return returned

    def correct_a_day(self, *, idempotency_key: str | None = None, **body: Unpack[NewCorrection]) -> CorrectionOut:
        """Add minutes to a person's day, or take them from it, with the reason.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: CorrectionOut = self._make("POST", f"{self._here}/time/corrections", idempotency_key, body=body)
        return returned

    def list_own_time(self, *, first: date | str | None = None, last: date | str | None = None) -> list[DayOut]:
        """Your own days at work, the newest first.

        For every member of the collection. Scope of a token: `read`.
        """
        returned: list[DayOut] = self.request("GET", f"{self._here}/time/own", query={"first": first, "last": last})
        return returned

    def import_topics(self, *, idempotency_key: str | None = None, **body: Unpack[NewTopicFile]) -> JobOut:
        """Have a worker import a file of topics. What is wrong in it is the job's problem, with its line.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: JobOut = self._make("POST", f"{self._here}/topic-imports", idempotency_key, body=body)
        return returned

    def list_topics(self) -> Iterator[TopicOut]:
        """A collection's topics.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[TopicOut] = self._pages(f"{self._here}/topics")
        return returned

    def write_a_topic(self, *, idempotency_key: str | None = None, **body: Unpack[NewTopic]) -> TopicOut:
        """Store a topic at the end of its split.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: TopicOut = self._make("POST", f"{self._here}/topics", idempotency_key, body=body)
        return returned

    def get_topic(self, topic_id: int) -> TopicOut:
        """One topic.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: TopicOut = self.request("GET", f"{self._here}/topics/{part(topic_id)}")
        return returned

    def delete_a_topic(self, topic_id: int) -> None:
        """Delete a topic with its candidates, as long as its judging isn't open.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/topics/{part(topic_id)}")

    def change_a_topic(self, topic_id: int, **body: Unpack[TopicFields]) -> TopicOut:
        """Give a topic these fields, as long as its judging isn't open. Its id stays.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: TopicOut = self.request("POST", f"{self._here}/topics/{part(topic_id)}/change", body=body)
        return returned

    def list_training_items(self, *, use: Literal["", "practice", "example"] | None = None) -> Iterator[ItemOut]:
        """Items for practice or examples, of one use or both.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[ItemOut] = self._pages(f"{self._here}/training/items", query={"use": use})
        return returned

    def draw_training_items(self, *, idempotency_key: str | None = None, **body: Unpack[NewItems]) -> list[ItemOut]:
        """Draw items, without grades: watch them, and say what is true.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: list[ItemOut] = self._make("POST", f"{self._here}/training/items", idempotency_key, body=body)
        return returned

    def explain_a_training_item(self, item_id: int, **body: Unpack[Explanation]) -> ItemOut:
        """Set an item's true grade, the reason, and its use.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: ItemOut = self.request("PATCH", f"{self._here}/training/items/{part(item_id)}", body=body)
        return returned

    def drop_a_training_item(self, item_id: int) -> None:
        """Throw an item away.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/training/items/{part(item_id)}")

    def list_people_in_training(self) -> Iterator[TraineeOut]:
        """Everybody in training with their progress, agreement and differences.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[TraineeOut] = self._pages(f"{self._here}/training/people")
        return returned

    def decide_about_a_person(self, member_id: int, **body: Unpack[Decision]) -> PersonState:
        """Admit somebody to judging, or decline. The same decision again changes nothing.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: PersonState = self.request(
            "POST", f"{self._here}/training/people/{part(member_id)}/decide", body=body
        )
        return returned

    def list_video_imports(self) -> Iterator[VideoImportOut]:
        """Imports of videos, the newest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[VideoImportOut] = self._pages(f"{self._here}/video-imports")
        return returned

    def import_videos(self, *, idempotency_key: str | None = None, **body: Unpack[NewVideoImport]) -> VideoImportOut:
        """Have a worker import what was uploaded, or what lies in a place of the installation.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: VideoImportOut = self._make("POST", f"{self._here}/video-imports", idempotency_key, body=body)
        return returned

    def get_video_import(self, video_import_id: int) -> VideoImportOut:
        """An import of videos: how far it is, or what came of it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: VideoImportOut = self.request("GET", f"{self._here}/video-imports/{part(video_import_id)}")
        return returned

    def get_video_names(self) -> VideoNames:
        """Which videos lack a file, which files a video, and which may belong together.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: VideoNames = self.request("GET", f"{self._here}/video-names")
        return returned

    def settle_video_names(self, *, idempotency_key: str | None = None, **body: Unpack[Settled]) -> VideoImportOut:
        """Have a worker give videos these files. 409 where none of them lacks the other any more.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: VideoImportOut = self._make("POST", f"{self._here}/video-names/settle", idempotency_key, body=body)
        return returned

    def list_video_sources(self, *, place: str | None = None) -> VideoSources:
        """Where videos can be imported from, and what lies in one place. 422 for a place that isn't allowed.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: VideoSources = self.request("GET", f"{self._here}/video-sources", query={"place": place})
        return returned

    def announce_videos(self, **body: Unpack[NewVideos]) -> list[VideoUploadOut]:
        """Begin to send videos, or hear where each goes on; in the same order.

        The same file again, by name, size and mark, is the upload that is there already. A name with folders is
        taken.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: list[VideoUploadOut] = self.request("POST", f"{self._here}/video-uploads", body=body)
        return returned

    def list_video_uploads(
        self, *, state: Literal["", "arriving", "arrived", "taken", "refused"] | None = None
    ) -> Iterator[VideoUploadOut]:
        """Videos that were uploaded or are on their way, of one state or all.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[VideoUploadOut] = self._pages(f"{self._here}/video-uploads", query={"state": state})
        return returned

    def get_video_upload(self, upload: str) -> VideoUploadOut:
        """A video on its way: where it goes on.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: VideoUploadOut = self.request("GET", f"{self._here}/video-uploads/{part(upload)}")
        return returned

    def send_piece_of_video(
        self, upload: str, *, upload_offset: int, upload_checksum: str | None = None, content: bytes
    ) -> VideoUploadOut:
        """Send a video's next piece, of at most 8 MiB; with the last it has arrived, and can be imported.

        409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes
        on.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        returned: VideoUploadOut = self.request(
            "PATCH",
            f"{self._here}/video-uploads/{part(upload)}",
            headers={
                "Upload-Offset": str(upload_offset),
                "Upload-Checksum": None if upload_checksum is None else str(upload_checksum),
            },
            content=content,
        )
        return returned

    def forget_video_upload(self, upload: str) -> None:
        """Remove a file that isn't a video's: what arrived of it, or that it was refused. 404 for one that is.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/video-uploads/{part(upload)}")

    def list_videos(self, *, video_name: str | None = None) -> Iterator[VideoOut]:
        """A collection's videos. `video_name`: the one of this name.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[VideoOut] = self._pages(f"{self._here}/videos", query={"video_name": video_name})
        return returned

    def get_video(self, video_id: int) -> VideoOut:
        """One video.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: VideoOut = self.request("GET", f"{self._here}/videos/{part(video_id)}")
        return returned

    def remove_a_video(self, video_id: int) -> None:
        """Remove a video with its moments, clips and descriptions, as long as nothing depends on them. Its file stays.

        For owners and leads of the collection. Scope of a token: `prepare`.
        """
        self.request("DELETE", f"{self._here}/videos/{part(video_id)}")

    def list_moments_of_video(self, video_id: int) -> Iterator[MomentOut]:
        """A video's moments.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[MomentOut] = self._pages(f"{self._here}/videos/{part(video_id)}/moments")
        return returned

    def list_collection_webhooks(self) -> list[WebhookOut]:
        """Webhooks, the oldest first.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[WebhookOut] = self.request("GET", f"{self._here}/webhooks")
        return returned

    def make_a_collection_webhook(
        self, *, idempotency_key: str | None = None, **body: Unpack[NewWebhook]
    ) -> MadeWebhook:
        """Make a webhook. Its secret is in this answer and nowhere else.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: MadeWebhook = self._make("POST", f"{self._here}/webhooks", idempotency_key, body=body)
        return returned

    def list_collection_webhook_events(self) -> list[EventOut]:
        """The newest 50 events of all these webhooks, with their tries.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: list[EventOut] = self.request("GET", f"{self._here}/webhooks/events")
        return returned

    def remove_a_collection_webhook(self, webhook_id: int) -> None:
        """Remove a webhook, with its log.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        self.request("DELETE", f"{self._here}/webhooks/{part(webhook_id)}")

    def send_again_to_a_collection_webhook(self, webhook_id: int, **body: Unpack[Again]) -> SentAgain:
        """Have what was given up sent again, one event or all.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: SentAgain = self.request("POST", f"{self._here}/webhooks/{part(webhook_id)}/send-again", body=body)
        return returned

    def start_a_collection_webhook(self, webhook_id: int) -> WebhookOut:
        """Start a webhook again, for you, with what waited.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"{self._here}/webhooks/{part(webhook_id)}/start")
        return returned

    def stop_a_collection_webhook(self, webhook_id: int) -> WebhookOut:
        """Stop a webhook; what it has yet to be told waits.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"{self._here}/webhooks/{part(webhook_id)}/stop")
        return returned

    def test_a_collection_webhook(self, webhook_id: int) -> WebhookOut:
        """Send a webhook an event that says nothing.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: WebhookOut = self.request("POST", f"{self._here}/webhooks/{part(webhook_id)}/test")
        return returned

    def list_work(self, *, words: str | None = None) -> Iterator[WorkOut]:
        """Queries that are open for judging; `words` are looked for in their text.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: Iterator[WorkOut] = self._pages(f"{self._here}/work", query={"words": words})
        return returned

    def get_work(self, query_id: int) -> WorkWithPeople:
        """One query that is open for judging, with who is reserved for it or barred from it.

        For owners and leads of the collection. Scope of a token: `read`.
        """
        returned: WorkWithPeople = self.request("GET", f"{self._here}/work/{part(query_id)}")
        return returned

    def change_work(self, query_id: int, **body: Unpack[WorkChange]) -> WorkWithPeople:
        """Set a query's priority, or who judges it, or both.

        For owners and leads of the collection. Scope of a token: `admin`.
        """
        returned: WorkWithPeople = self.request("PATCH", f"{self._here}/work/{part(query_id)}", body=body)
        return returned
