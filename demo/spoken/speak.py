"""Build the spoken collection beside the theatre, step by step; a step that is done is left alone."""

import csv
import io
import json
import random
import uuid
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from annotation.assignment.next_tasks import leave_seats, next_tasks
from annotation.assignment.priorities import assign_people
from annotation.factors.answers import are_asked
from annotation.gold.gold_list import ended_queries
from annotation.judging.judgments import give_judgment
from annotation.judging.requests import NewJudgment
from annotation.models import Batch, GoldPair, Pair
from annotation.qualification.guidelines import confirm_guideline, publish_guideline
from demo.build import LEAD, make_accounts, run, step
from demo.runs import write_ranked_run
from demo.spoken.lines import TOP, WHY, Line, Topic, grade, lines_of, said_in, topics_of
from demo.spoken.voices import give_voice, soundtrack, subtitles
from demo.theatre import Scene, read_scenes
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection, Membership

NAME, TITLE = "spoken", "Spoken theatre"
FILMS = 8
DEPTH = 6
"""Of each of two systems' runs, for the pool."""
JUDGED = ("pia", "quinn", "rosa", "sid")
"""Simulated people, who judge what becomes gold."""
NEWCOMERS = ("tess", "uma")
"""Who may be given all of it."""
LENIENT = 0.15
"""How often one of them gives a grade more than is due."""
MOST_TURNS = 400
GOLD_TOPICS = ("S1", "S2", "S3")
SCALE = (
    ("neither", "nothing of what is asked for is said or done", "nichts davon", "weder gesagt noch getan"),
    ("one of the two", "said or done, not both", "eins von beiden", "gesagt oder getan, nicht beides"),
    ("and more", "said and done, with something else besides", "und mehr", "gesagt und getan, dazu noch anderes"),
    ("said and done", "both, and nothing else", "gesagt und getan", "beides, und nichts sonst"),
)
"""Words and descriptions of the grades, in English and in German."""


@dataclass(frozen=True, slots=True)
class Play:
    """What is spoken in which scenes, and what is asked of them."""

    scenes: list[Scene]
    lines: list[Line]
    topics: list[Topic]

    @classmethod
    def of(cls, theatre: Path) -> "Play":
        """The first films of a theatre that is drawn."""
        every = read_scenes(theatre)
        films = list(dict.fromkeys(scene.video_name for scene in every))[:FILMS]
        scenes = [scene for scene in every if scene.video_name in films]
        lines = lines_of(scenes)
        return cls(scenes, lines, topics_of(scenes, lines))

    @property
    def loud(self) -> Line:
        """Where there is a clap of thunder."""
        return self.lines[1]

    def grade(self, topic: str, video: str, start: float) -> int:
        """The true grade of the moment that begins there: the highest of its scenes'."""
        asked = next(one for one in self.topics if one.key == topic)
        shown = [scene for scene in self.scenes if (scene.video_name, scene.start) == (video, start)]
        return max(grade(asked, scene, self.lines) for scene in shown)


def is_spoken() -> bool:
    """Whether its last step is done: newcomers may judge."""
    return Membership.objects.filter(collection__name=NAME, account__username=NEWCOMERS[-1]).exists()


def speak(theatre: Path, home: Path) -> Collection:
    """The collection, made or finished. Args: theatre: the folder of its films; home: of what is made of them here."""
    step("Preparing a third collection, in which lines are spoken", then="nothing else")
    play = Play.of(theatre)
    collection = get_or_create_collection(name=NAME, title=TITLE)
    if not Batch.objects.filter(collection=collection).exists():
        _voice(play, theatre, home / "videos")
        _choose(collection, home)
        _bring(play, theatre, home)
        _do("open_annotation")
    # With the context of what is open.
    _do("cut_clips", candidates=True)
    collection.refresh_from_db()
    lead = add_member(collection=collection, account=Account.objects.get(username=LEAD), role=Membership.Role.OWNER)
    if not collection.guideline_version:
        publish_guideline(lead=lead, source=(Path(__file__).parent / "guideline.md").read_text())
        collection.refresh_from_db()
    if not GoldPair.objects.filter(collection=collection).exists():
        _judge(collection, play)
        _make_gold(collection, play, home)
    make_accounts(collection, names=NEWCOMERS)
    return collection


def _voice(play: Play, theatre: Path, folder: Path) -> None:
    """The films with their sound, and their subtitles beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, seconds in {scene.video_name: scene.duration for scene in play.scenes}.items():
        said = [line for line in play.lines if line.video == name]
        thunder = play.loud.start if name == play.loud.video else None
        (folder / f"{name}.en.srt").write_text(subtitles(said, thunder))
        if not (folder / f"{name}.mp4").exists():
            sound = soundtrack(said, seconds, thunder)
            give_voice(theatre / "videos" / f"{name}.mp4", folder / f"{name}.mp4", sound)


def _choose(collection: Collection, home: Path) -> None:
    """What is chosen at founding: what counts, scale, factors, gold, context."""
    _do(
        "configure",
        f"top_grade={TOP}",
        "evidence=picture,sound,subtitles",
        "context_seconds=3",
        "gold_share=0.2",
        "gold_feedback=at-once",
    )
    words = [("grade", "language", "word", "shows")]
    for number, (word, shows, german, zeigt) in enumerate(SCALE):
        words += [(str(number), "en", word, shows), (str(number), "de", german, zeigt)]
    _do("grade_words", _table(home / "scale.csv", words))
    _do("factors", paper=True, asked="between")


def _bring(play: Play, theatre: Path, home: Path) -> None:
    """Films with subtitles, marks, topics, the runs of two systems, and a pool of them."""
    _write_rows(home / "descriptions.jsonl", [_described(scene, play) for scene in play.scenes])
    _do("import_descriptions", home / "descriptions.jsonl", format="tvr")
    _do("import_videos", home / "videos")
    _do(
        "set_content",
        _table(home / "content.csv", [("video", "content"), (play.loud.video, "loud noises")]),
    )
    topics = [{"id": topic.key, "text": topic.text, "language": "en"} for topic in play.topics]
    _write_rows(home / "topics.jsonl", topics)
    _do("import_topics", home / "topics.jsonl")
    _picture(play.topics[-1], theatre, home / "pictures.zip")
    _do("import_topics", home / "pictures.zip")
    spans = [(scene.video_name, scene.start, scene.end) for scene in play.scenes]
    for system, heard in (("listener", 2.0), ("watcher", 0.5)):
        scores = {topic.key: [_score(topic, scene, play, heard) for scene in play.scenes] for topic in play.topics}
        write_ranked_run(spans, scores, home / f"{system}.jsonl")
        _do("add_pool_run", home / f"{system}.jsonl", team=system.title(), system=system)
    _do("make_pool", recipe=f"depth@{DEPTH}")


def _described(scene: Scene, play: Play) -> dict[str, Any]:
    said = [f'{line.speaker} says: "{line.words}"' for line in said_in(scene, play.lines)]
    return {
        "vid_name": scene.video_name,
        "duration": scene.duration,
        "ts": [scene.start, scene.end],
        "desc": " ".join([scene.description, *said]),
        "type": "vt" if said else scene.kind,
        "desc_id": scene.description_id,
    }


def _score(topic: Topic, scene: Scene, play: Play, heard: float) -> float:
    """What a system makes of a scene that hears so much better than it sees, or worse."""
    said = topic.saying in {line.saying for line in said_in(scene, play.lines)}
    return heard * said + (topic.action in scene.action.split(" and ") or scene.place == topic.scene.place)


def _picture(topic: Topic, theatre: Path, path: Path) -> None:
    """A zip file of the topic's picture: its scene's first."""
    import av

    film = theatre / "videos" / f"{topic.scene.video_name}.mp4"
    with av.open(str(film)) as media, zipfile.ZipFile(path, "w") as file:
        picture = next(one for one in media.decode(video=0) if one.time >= topic.scene.start)
        with file.open(f"{topic.key}.png", "w") as entry:
            frame: Any = picture
            frame.to_image().save(entry, "PNG")


def _judge(collection: Collection, play: Play) -> None:
    """Simulated people judge the topics that become gold, and none of the others, which are left to newcomers."""
    _, names = make_accounts(collection, names=JUDGED)
    people = list(collection.memberships.select_related("collection").filter(account__username__in=names))
    others = list(collection.queries.exclude(topic_id__in=GOLD_TOPICS))
    for query in others:
        assign_people(query=query, rules={person.pk: "barred" for person in people})
    for person in people:
        confirm_guideline(member=person, version=collection.guideline_version)
    left = Pair.objects.filter(batch__collection=collection, batch__query__topic_id__in=GOLD_TOPICS)
    dice = random.Random(7)
    for person in islice(cycle(people), MOST_TURNS):
        if not left.filter(status__in=[Pair.Status.OPEN, Pair.Status.DISPUTED]).exists():
            break
        for task in next_tasks(member=person):
            known = _true_grade(play, Pair.objects.get(public_id=task.pair))
            given = min(TOP, known + (dice.random() < LENIENT))
            give_judgment(member=person, sent=_sent(collection, task.pair, given))
    for person in people:
        leave_seats(member=person)
    for query in others:
        assign_people(query=query, rules={})
    _do("decide_reviews", grace=0.0)


def _true_grade(play: Play, pair: Pair) -> int:
    moment, query = pair.candidate.moment, pair.batch.query
    return play.grade(query.topic_id, moment.video.name, moment.start)


def _sent(collection: Collection, pair: str, given: int) -> NewJudgment:
    asked = are_asked(collection, given)
    return NewJudgment(
        pair=uuid.UUID(pair),
        grade=given,
        key=uuid.uuid4(),
        played=1.0,
        used=["sound", "subtitles"],
        factors={"action": given, "visual": 2, "temporal": given - 1} if asked else None,
    )


def _make_gold(collection: Collection, play: Play, home: Path) -> None:
    """Every pair that they judged, by the grade that the script knows."""
    rows = [("pair_id", "grade", "explanation")]
    ended = ended_queries(collection).filter(topic_id__in=GOLD_TOPICS)
    pairs = Pair.objects.filter(batch__query__in=ended).order_by("pk")
    for pair in pairs.select_related("candidate__moment__video", "batch__query"):
        known = _true_grade(play, pair)
        rows.append((str(pair.public_id), str(known), WHY[known]))
    _do("gold", _table(home / "gold.csv", rows))


def _do(command: str, *arguments: Any, **options: Any) -> None:
    """Run one of the product's commands on the collection; what it tells a person isn't shown."""
    run(command, NAME, *arguments, stdout=io.StringIO(), verbosity=0, **options)


def _table(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def _write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
