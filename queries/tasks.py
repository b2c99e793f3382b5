"""Celery's way to this room's services."""

from celery import shared_task

from corpus.models import Collection
from queries.deciding import NotInReview, edit_caption
from queries.rewriting import rewrite_descriptions


@shared_task
def rewrite_block(block: dict[str, object]) -> int:
    """Caption a block's descriptions: {"collection": id, "descriptions": [ids]}. Returns how many were captioned."""
    collection = Collection.objects.get(pk=block["collection"])
    return rewrite_descriptions(collection=collection, description_ids=block["descriptions"])  # type: ignore[arg-type]


@shared_task
def check_edit(caption_id: int, member_id: int, text: str) -> str:
    """Check a person's caption and put it in place. Returns what stood against it, "" if nothing."""
    try:
        edit_caption(caption_id=caption_id, member_id=member_id, text=text)
    except NotInReview as error:
        return str(error)
    return ""
