"""Whether a candidate's video suits an annotator: none of the content that they avoid, and no age above theirs."""

from typing import Any

from foundation.models import Membership

VIDEO = "corpus_moment cm JOIN corpus_video v ON v.id = cm.video_id WHERE cm.id = k.moment_id"
SUITED = f"""(NOT %(marked)s OR NOT EXISTS (
    SELECT FROM {VIDEO} AND (v.content && %(avoids)s::varchar[] OR v.minimum_age > %(age)s)))"""
"""A condition on the candidate `k`, which looks at nothing where no video of the collection is marked."""
CONTENT = f"CASE WHEN %(marked)s THEN (SELECT v.content FROM {VIDEO}) END"
"""The kinds of content of the candidate `k`'s video."""


def suiting(member: Membership) -> dict[str, Any]:
    """The parameters of both."""
    return {"marked": member.collection.marks_content, "avoids": member.avoids, "age": member.age}
