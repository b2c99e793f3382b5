"""Who sees how far a job is, and who resumes it: leads, unless its kind declares a guard of its own."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404

from foundation.access.needs_login import LEADS_ONLY
from foundation.jobs.selectors import find_job
from foundation.models import Job, Membership

Allows = Callable[[Membership, Any], bool]
_declared: dict[str, tuple[Allows, Allows]] = {}


def guard(model: type[Job], *, sees: Allows, resumes: Allows) -> None:
    """Declare a kind's guard: which members see how far a job is, and which of these resume it."""
    _declared[model.KIND] = sees, resumes


def job_of(member: Membership, kind: str, job_id: int, *, resumes: bool = False) -> Job:
    """A job of the member's collection that they see, and resume where that is asked. Raises: PermissionDenied where
    the kind is for leads; Http404 where there is none, or another member's."""
    if kind not in _declared and not member.leads:
        raise PermissionDenied(LEADS_ONLY)
    job = find_job(member.collection, kind, job_id)
    if job is None or not all(allows(member, job) for allows in _declared.get(kind, ())[: 2 if resumes else 1]):
        raise Http404("no such job")
    return job
