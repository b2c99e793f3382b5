"""The check's second collection: topics, three systems' runs, a pool of depth 10, released with its certificate."""

import json
import random
import time
from pathlib import Path
from typing import Any

from annotation.models import Pair
from corpus.models import Description
from datasets.models import Release
from demo import build
from demo.faults import CheckFailed
from demo.runs import write_overlap_run, write_ranked_run
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from queries.models import Caption
from queries.retrieval.embedding_cache import embed

TOPICS = 4
DEPTH = 10
TEAMS = {"word-overlap": "Counters", "minilm": "Encoders", "random": "Dice"}
"""Each system's team."""
CERTIFIED_WITHIN = 60
"""Seconds in which the worker has to have computed the certificate."""


def build_pooled(drawn: Collection, name: str, home: Path, *, lead: str, annotators: list[str]) -> Collection:
    """Make the collection from the theatre's descriptions, and open judging. Its topics are captions of `drawn`."""
    build.step("A second collection: topics, the runs of three systems, a pool of depth 10")
    descriptions = build.theatre_folder() / "descriptions.jsonl"
    build.run("import_descriptions", name, descriptions, format="tvr", title="Paper topics", without_clips=True)
    collection = Collection.objects.get(name=name)
    for username, role in [(lead, Membership.Role.OWNER), *((name, Membership.Role.ANNOTATOR) for name in annotators)]:
        add_member(collection=collection, account=Account.objects.get(username=username), role=role)
    home.mkdir(parents=True)
    topics = _write_topics(drawn, home / "topics.jsonl")
    build.run("import_topics", name, home / "topics.jsonl")
    for system, team in TEAMS.items():
        _write_run(collection, topics, home, system)
        build.run("add_pool_run", name, home / f"{system}.jsonl", team=team, system=system)
    build.run("make_pool", name, recipe=f"depth@{DEPTH}")
    build.run("open_annotation", name)
    return collection


def _write_topics(drawn: Collection, path: Path) -> list[dict[str, Any]]:
    """Topics with the ids of the descriptions that they say imprecisely: the script knows what is relevant to them."""
    captions = Caption.objects.filter(description__collection=drawn, status="accepted").order_by("pk")
    texts = {text: source_id for source_id, text in captions.values_list("description__source_id", "text")}
    every = len(texts) // TOPICS
    chosen = list(texts.items())[::every][:TOPICS]
    topics = [{"id": source_id, "text": text, "written_by": "The check"} for text, source_id in chosen]
    path.write_text("".join(json.dumps(topic) + "\n" for topic in topics))
    return topics


def _write_run(collection: Collection, topics: list[dict[str, Any]], home: Path, system: str) -> None:
    asked, path = home / "asked.json", home / f"{system}.jsonl"
    asked.write_text(json.dumps([{"query_id": topic["id"], "query": topic["text"]} for topic in topics]))
    if system == "word-overlap":
        write_overlap_run(collection, asked, path)
        return
    rows = Description.objects.filter(collection=collection).order_by("pk")
    moments = list(rows.values_list("text", "moment__video__name", "moment__start", "moment__end"))
    if system == "random":
        dice = random.Random(1)
        scores = {topic["id"]: [dice.random() for _ in moments] for topic in topics}
    else:
        texts = list(dict.fromkeys([*(row[0] for row in moments), *(topic["text"] for topic in topics)]))
        vector = dict(zip(texts, embed(texts), strict=True))
        scores = {topic["id"]: [float(vector[row[0]] @ vector[topic["text"]]) for row in moments] for topic in topics}
    write_ranked_run([row[1:] for row in moments], scores, path)


def release_with_certificate(collection: Collection, home: Path, lead: Any) -> dict[str, Any]:
    """Release it, and have the worker certify it, by looking at the release's page. Returns: figures."""
    from demo import verify

    folder = home / "release"
    build.run("export_release", collection.name, folder, release="pooled", formats=["tvr-ranking", "trec"])
    verify.release_holds(folder)
    release = Release.objects.get(collection=collection)
    address = f"/c/{collection.name}/releases/{release.pk}/"
    lead.get(address)
    by = time.monotonic() + CERTIFIED_WITHIN
    while (answer := lead.get(f"/api/v1/collections/{address[3:]}certificate").json())["certificate"] is None:
        job = answer["job"]
        if job is None:
            raise CheckFailed(f"no certificate was asked for: {answer['missing']}")
        if job["progress"]["finished"] and job["state"] != "done":
            raise CheckFailed(f"there is no certificate: {job['words']}")
        if time.monotonic() > by:
            raise CheckFailed(f"no certificate after {CERTIFIED_WITHIN} s: {job['words']}")
        time.sleep(0.5)
    splits = lead.get(f"{address}certificate.json").json()["splits"]
    if splits != answer["certificate"]["splits"] or set(splits) != {"test"}:
        raise CheckFailed(f"the certificate to download is of {sorted(splits)}, and not what the API says of test")
    return _certificate_holds(collection, splits["test"])


def _certificate_holds(collection: Collection, figures: dict[str, Any]) -> dict[str, Any]:
    """Check that the certificate says of the pool what was judged of it."""
    pairs = Pair.objects.filter(batch__query__collection=collection)
    pooled, graded = pairs.count(), pairs.filter(status="consensus").count()
    at_depth = next(row for row in figures["depths"] if row["depth"] == DEPTH)
    if (at_depth["moments"], at_depth["judged"]) != (pooled, graded):
        raise CheckFailed(f"the certificate knows {at_depth} to depth {DEPTH}; {graded} of {pooled} pairs are graded")
    if figures["relevant"] != pairs.filter(status="consensus", grade__gte=1).count() or figures["elsewhere"]:
        raise CheckFailed(
            f"the certificate knows {figures['relevant']} relevant moments, {figures['elsewhere']} elsewhere"
        )
    teams = {run["run"]: run["team"] for run in figures["runs"]}
    if teams != {f"{team} {system}": team for system, team in TEAMS.items()}:
        raise CheckFailed(f"the certificate knows the runs {teams}")
    alone = {run["team"]: run["unique"] for run in figures["runs"]}
    if [(team["name"], team["relevant"]) for team in figures["without_team"]] != sorted(alone.items()):
        raise CheckFailed(f"without its team go {figures['without_team']}; alone were found {alone}")
    return {
        "topics": collection.queries.count(),
        "pooled pairs": pooled,
        "relevant in the pool": figures["relevant"],
        "tau without a team": round(figures["verdict"]["tau"], 3) if figures["verdict"]["tau"] is not None else "none",
    }
