"""Deleting a collection: what goes with it, asked for with its name, how far it is."""

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, not_bound
from api.frame.endpoints import Endpoints, Id, Storable
from api.v1.jobs import Progress, begin
from foundation.deletion.hooks import losses_of, obstacles_of, warnings_of
from foundation.deletion.services import ask_for_deletion
from foundation.infra.job_progress import progress_of
from foundation.models import CollectionDeletion

endpoints = Endpoints("Collections")
HERE = "/deletion"


class WhatGoes(BaseModel):
    """What goes with a collection."""

    losses: list[str]
    obstacles: list[str] = Field(description="Why it may not be deleted; empty: it may.")
    warnings: list[str] = Field(description="What has to be agreed to besides.")


class NewDeletion(BaseModel):
    """That a collection is to be deleted, which can't be undone."""

    typed: Storable = Field(max_length=60, description="The collection's name, once more.")
    agreed: bool = Field(False, description="Agree to the warnings.")


class DeletionOut(Out):
    """A deletion. It has an address of its own, since the collection goes."""

    deletion: int = From("pk")
    name: str
    state: str
    said: str = Field(description="What was deleted, once it is.")
    problem: str
    progress: Progress


def _out(deletion: CollectionDeletion) -> DeletionOut:
    return DeletionOut.of(deletion, progress=Progress.model_validate(progress_of(deletion)))


@endpoints.read(HERE, who=Who.OWNER)
def get_what_deleting_takes(call: Call) -> WhatGoes:
    """What goes with the collection, what is in the way, and what has to be agreed to."""
    here = call.collection
    return WhatGoes(
        losses=[loss.words for loss in losses_of(here)],
        obstacles=[str(obstacle) for obstacle in obstacles_of(here)],
        warnings=[str(warning) for warning in warnings_of(here)],
    )


@endpoints.act(HERE, scope=Scope.ADMIN, who=Who.OWNER, status=202, of_archived=True)
def delete_a_collection(call: Call, new: NewDeletion) -> DeletionOut:
    """Have a worker delete the collection with everything in it. Asked again, it is the same deletion."""
    deletion = ask_for_deletion(member=call.member, typed=new.typed, agreed=new.agreed)
    begin(deletion)
    return _out(deletion)


@endpoints.read("/deletions/{int:deletion_id}", who=Who.ACCOUNT)
def get_a_deletion(call: Call, deletion_id: Id) -> DeletionOut:
    """How far a deletion is that you asked for."""
    not_bound(call)
    return _out(get_object_or_404(CollectionDeletion, pk=deletion_id, account=call.account))
