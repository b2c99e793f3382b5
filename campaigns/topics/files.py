"""The files that teams download: topics and videos, never anything that was judged."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Topic
from datasets.formats.material import one_line, topic_id
from datasets.formats.trec import tagged_topic


@dataclass(frozen=True, slots=True)
class TeamFile:
    """A file by its name: what it is, and its text."""

    name: str
    what: Promise
    text: Callable[[Campaign], str]


def _topics(campaign: Campaign) -> Iterable[Topic]:
    return campaign.topics.order_by("position")


def topics_jsonl(campaign: Campaign) -> str:
    """A topic a line: {"query_id", "query", "narrative", "language"}, the last two where there are any."""
    lines = []
    for topic in _topics(campaign):
        row = {"query_id": topic.topic_id, "query": topic.text}
        row |= {name: text for name in ("narrative", "language") if (text := getattr(topic, name))}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def topics_tsv(campaign: Campaign) -> str:
    """Id, tab, query, one a line, as `trec/topics.SPLIT.tsv` of a release."""
    return "".join(f"{topic_id(topic.topic_id)}\t{one_line(topic.text)}\n" for topic in _topics(campaign))


def topics_trec(campaign: Campaign) -> str:
    """TREC's `<top>` elements, as `trec/topics.SPLIT.trec` of a release."""
    return "".join(tagged_topic(topic_id(topic.topic_id), topic.text, topic.narrative) for topic in _topics(campaign))


def videos_json(campaign: Campaign) -> str:
    """Video name -> seconds, as `video_corpus.json` of a release."""
    return json.dumps(campaign.corpus.videos, ensure_ascii=False) + "\n"


FILES = {
    file.name: file
    for file in (
        TeamFile("topics.jsonl", _("the topics as JSON Lines"), topics_jsonl),
        TeamFile("topics.tsv", _("the topics, an id and a text a line"), topics_tsv),
        TeamFile("topics.trec", _("the topics in TREC's form"), topics_trec),
        TeamFile("video_corpus.json", _("the videos, with their lengths in seconds"), videos_json),
    )
}
