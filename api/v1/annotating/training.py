"""Worked items that annotators practise on or read as examples: drawn, graded and explained by leads."""

import secrets
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from annotation.qualification.exam_sampling import draw_worked_items
from annotation.qualification.explanations import LONGEST_WHY, drop_item, explain_item
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of

endpoints = Endpoints("Training")
HERE = "/training"
Use = Literal["practice", "example"]
Why = Annotated[Storable, Field(max_length=LONGEST_WHY)]
Seed = Annotated[int | None, Field(ge=0, le=2**62, description="Null: one at random.")]


class ItemOut(Out):
    """A query and a moment with the lead's grade and reason."""

    item: int = From("pk")
    use: Use
    query: str
    moment: int = From("moment_id")
    clip: str | None = From("moment.clip_name", description="Its clip's public name.")
    grade: int | None = Field(description="Null: shown to nobody yet.")
    why: str


class NewItems(BaseModel):
    """How much to draw from pseudo-training queries."""

    use: Use
    queries: int = Field(2, ge=1, le=200)
    candidates: int = Field(5, ge=1, le=100)
    seed: Seed = None


class Explanation(BaseModel):
    """What is to change of an item; what isn't sent stays."""

    grade: int | None = Field(None, ge=0, le=100)
    why: Why = ""
    use: Use = "practice"


def _items(call: Call) -> Any:
    return call.collection.worked_items.select_related("moment__clip", "collection")


@endpoints.read(f"{HERE}/items")
def list_training_items(call: Call, asked: AskedPage, use: Literal["", "practice", "example"] = "") -> Page[ItemOut]:
    """Items for practice or examples, of one use or both."""
    rows = _items(call)
    return page_of(rows.filter(use=use) if use else rows, asked, ItemOut.of)


@endpoints.make(f"{HERE}/items", scope=Scope.PREPARE)
def draw_training_items(call: Call, new: NewItems) -> list[ItemOut]:
    """Draw items, without grades: watch them, and say what is true."""
    seed = secrets.randbelow(2**31) if new.seed is None else new.seed
    drawn = draw_worked_items(collection=call.collection, **{**new.model_dump(), "seed": seed})
    return [ItemOut.of(item) for item in _items(call).filter(pk__in=[item.pk for item in drawn]).order_by("pk")]


@endpoints.change(f"{HERE}/items/{{int:item_id}}", scope=Scope.PREPARE)
def explain_a_training_item(call: Call, item_id: Id, new: Explanation) -> ItemOut:
    """Set an item's true grade, the reason, and its use."""
    item = found_or_404(_items(call).filter(pk=item_id).first())
    changes = new.model_dump(exclude_unset=True)
    explain_item(item=item, **{name: changes.get(name, getattr(item, name)) for name in ("grade", "why", "use")})
    return ItemOut.of(item)


@endpoints.remove(f"{HERE}/items/{{int:item_id}}", scope=Scope.PREPARE)
def drop_a_training_item(call: Call, item_id: Id) -> None:
    """Throw an item away."""
    drop_item(item=found_or_404(_items(call).filter(pk=item_id).first()))
