"""The room's tables, by noun."""

from corpus.models.accounts import Account, ApiToken, OneTimeLink
from corpus.models.audit import AuditEntry
from corpus.models.clips import Clip, ContextClip, FormerClip, UnfinishedFile, clip_failed, clip_ready
from corpus.models.collection_settings import (
    CaptionReviewPolicy,
    Kind,
    RewritingStyle,
    Rounding,
    default_pool_kinds,
    default_query_kinds,
)
from corpus.models.collections import Collection, Membership, Purpose
from corpus.models.deletions import CollectionDeletion
from corpus.models.jobs import Job, JobLine, PlainJob, Queued
from corpus.models.kept_answers import KeptAnswer
from corpus.models.mail import Letter, MailItem, MailRefusal
from corpus.models.material import DESCRIPTION_VECTOR, Description, Import, ImportPreview, Moment, Video
from corpus.models.public_names import new_public_name
from corpus.models.sent_files import SentFile
from corpus.models.sessions import Session
from corpus.models.video_imports import ClipCutting, ProbedFile, VideoImport, VideoUpload, folder_of_uploads
from corpus.models.webhooks import Webhook, WebhookEvent, WebhookTry

__all__ = [
    "DESCRIPTION_VECTOR",
    "Account",
    "ApiToken",
    "AuditEntry",
    "CaptionReviewPolicy",
    "Clip",
    "ClipCutting",
    "Collection",
    "CollectionDeletion",
    "ContextClip",
    "Description",
    "FormerClip",
    "Import",
    "ImportPreview",
    "Job",
    "JobLine",
    "KeptAnswer",
    "Kind",
    "Letter",
    "MailItem",
    "MailRefusal",
    "Membership",
    "Moment",
    "OneTimeLink",
    "PlainJob",
    "ProbedFile",
    "Purpose",
    "Queued",
    "RewritingStyle",
    "Rounding",
    "SentFile",
    "Session",
    "UnfinishedFile",
    "Video",
    "VideoImport",
    "VideoUpload",
    "Webhook",
    "WebhookEvent",
    "WebhookTry",
    "clip_failed",
    "clip_ready",
    "default_pool_kinds",
    "default_query_kinds",
    "folder_of_uploads",
    "new_public_name",
]
