"""The room's tables, by noun."""

from foundation.models.accounts import Account, ApiToken, OneTimeLink
from foundation.models.audit import AuditEntry
from foundation.models.collection_settings import (
    HIGHEST_GRADE,
    STEPS_TO_100,
    CaptionReviewPolicy,
    ConsensusRule,
    FactorsAsked,
    Kind,
    NoName,
    RewritingStyle,
    Rounding,
    default_pool_kinds,
    default_query_kinds,
)
from foundation.models.collections import Collection, Membership, Purpose
from foundation.models.deletions import CollectionDeletion
from foundation.models.jobs import ByMember, Job, JobLine, PlainJob, Queued, one_unfinished, plain_states
from foundation.models.kept_answers import KeptAnswer
from foundation.models.mail import Letter, MailItem, MailRefusal
from foundation.models.public_names import new_public_name
from foundation.models.sent_files import SentFile
from foundation.models.sessions import Session
from foundation.models.webhooks import Webhook, WebhookEvent, WebhookTry

__all__ = [
    "HIGHEST_GRADE",
    "STEPS_TO_100",
    "Account",
    "ApiToken",
    "AuditEntry",
    "ByMember",
    "CaptionReviewPolicy",
    "Collection",
    "CollectionDeletion",
    "ConsensusRule",
    "FactorsAsked",
    "Job",
    "JobLine",
    "KeptAnswer",
    "Kind",
    "Letter",
    "MailItem",
    "MailRefusal",
    "Membership",
    "NoName",
    "OneTimeLink",
    "PlainJob",
    "Purpose",
    "Queued",
    "RewritingStyle",
    "Rounding",
    "SentFile",
    "Session",
    "Webhook",
    "WebhookEvent",
    "WebhookTry",
    "default_pool_kinds",
    "default_query_kinds",
    "new_public_name",
    "one_unfinished",
    "plain_states",
]
