"""Collections: those of the caller, one with its state, created, archived, restored."""

from datetime import datetime

from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, not_bound, require_factor
from api.frame.endpoints import Endpoints, Storable
from api.frame.lists import AskedPage, Page, page_of
from desk.backlog import batch_states
from foundation.collections.lifecycle import archive_collection, create_collection, unarchive_collection
from foundation.models import Collection, Membership

endpoints = Endpoints("Collections")


class Place(Out):
    """A collection that the caller has a place in."""

    name: str = From("collection.name", examples=["theatre"])
    title: str = From("collection.title")
    role: str = Field(description="owner, lead or annotator.")
    status: str = Field(description="Of an annotator: admitted, applicant, paused, declined or barred.")
    worker: str = Field(description="The caller's pseudonym there.")
    study_of: str | None = From("collection.study_of.name", description="The collection that this is a study of.")
    archived_at: datetime | None = From("collection.archived_at")


class CollectionOut(Place):
    """A collection as its leads see it."""

    has_clips: bool = From("collection.has_clips")
    created_at: datetime = From("collection.created_at")
    batches: dict[str, int] = Field(description="How many there are of each state.")


class NewCollection(BaseModel):
    """A collection to be."""

    name: str = Field(pattern="^[a-z0-9-]{1,60}$", description="Short, for addresses.", examples=["theatre"])
    title: Storable = Field(min_length=1, max_length=200, examples=["The paper theatre"])
    has_clips: bool = True


def _out(member: Membership, here: Collection) -> CollectionOut:
    member.collection = here
    return CollectionOut.of(member, batches=batch_states(here))


@endpoints.read("/collections", who=Who.ACCOUNT)
def list_collections(call: Call, asked: AskedPage) -> Page[Place]:
    """The collections in which the caller has a place; of a token for one collection, that one."""
    places = Membership.objects.filter(account=call.account).select_related("collection__study_of")
    if call.token is not None:
        places = places.exclude(status=Membership.Status.BARRED)
        if call.token.collection_id is not None:
            places = places.filter(collection=call.token.collection_id)
    return page_of(places, asked, Place.of)


@endpoints.make("/collections", scope=Scope.ADMIN, who=Who.ACCOUNT)
def create_a_collection(call: Call, new: NewCollection) -> CollectionOut:
    """Create a collection, of which the caller becomes the owner."""
    not_bound(call)
    require_factor(call)
    collection = create_collection(account=call.account, name=new.name, title=new.title, has_clips=new.has_clips)
    return _out(collection.memberships.get(account=call.account), collection)


@endpoints.read("", of_studies=True)
def get_collection(call: Call) -> CollectionOut:
    """A collection and how many batches are in which state."""
    return _out(call.member, call.collection)


@endpoints.act("/archive", scope=Scope.ADMIN, who=Who.OWNER, of_archived=True)
def archive_a_collection(call: Call) -> CollectionOut:
    """Archive a collection: it is only read from then on."""
    return _out(call.member, archive_collection(member=call.member))


@endpoints.act("/restore", scope=Scope.ADMIN, who=Who.OWNER, of_archived=True)
def restore_a_collection(call: Call) -> CollectionOut:
    """Restore an archived collection as it was left."""
    return _out(call.member, unarchive_collection(member=call.member))
