"""`script/demo --check`: from descriptions to a scored release, judged by simulated people over HTTP."""

import contextlib
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from demo.faults import CheckFailed, PartError

STUCK_SECONDS = 120
"""Without a new judgment or decision for so long, something is wrong."""
SEAT_SECONDS = 6.0
MEASURES = ("NDCG@10,IoU>=0.5", "NDCG@20,IoU>=0.5")
RELEASE = "check"
VIDEOS = 6
"""Of 40: more moments than a query has candidates. Drawing all of them took half the check, these a fifth if large."""


def run_check(*, keep: Path | None, tvr: Path | None) -> int:
    """Run the check in a scratch folder, or in `keep`. Returns the exit code: 0 if everything held."""
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        print(f"{keep} is there already and not empty: name a new folder.", file=sys.stderr)
        return 1
    home = keep or Path(tempfile.mkdtemp(prefix="qreels-"))
    home.mkdir(parents=True, exist_ok=True)
    os.environ["QREELS_VAR"] = str(home.resolve() / "var")
    began = time.monotonic()
    try:
        summary = _check(home.resolve(), tvr)
    except Exception as error:
        if not isinstance(error, CheckFailed | PartError | CommandError):
            traceback.print_exc()
        print(f"\nFAILED after {time.monotonic() - began:.0f} s: {error}", file=sys.stderr)
        if keep is not None:
            print(f"What was made so far is in {keep}.", file=sys.stderr)
        return 1
    finally:
        if keep is None:
            _leave_servers()
            shutil.rmtree(home, ignore_errors=True)
    print_summary({**summary, "seconds": round(time.monotonic() - began)})
    if keep is not None:
        print(f"\nEverything is in {keep}, the release in {keep / 'release'}.")
    print("\nOK: all of it held.")
    return 0


def _leave_servers() -> None:
    """Stop the scratch folder's servers before the folder goes."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import connections

    from config.embedded import EmbeddedPostgres, EmbeddedValkey, var_folder

    with contextlib.suppress(ImproperlyConfigured):  # it ended before Django was set up
        connections.close_all()
    for kind in (EmbeddedPostgres, EmbeddedValkey):
        kind(var_folder()).let_go()


def _check(home: Path, tvr: Path | None) -> dict[str, Any]:
    from config.embedded import free_port
    from demo.processes import DemoProcesses
    from demo.site import prepare_site, set_up_django

    own_database = not os.environ.get("DATABASE_URL")
    with DemoProcesses(free_port()) as parts:
        print("Starting PostgreSQL, Valkey, a worker and the web server ...", flush=True)
        set_up_django()
        # Migrations make every model hundreds of times: collecting garbage meanwhile takes a third of it.
        gc.disable()
        prepare_site()
        gc.enable()
        parts.start_web()
        parts.start_worker()
        suffix = "" if own_database else f"-{int(time.time())}"
        return _main_job(home, tvr, parts, suffix)


def _main_job(home: Path, tvr: Path | None, parts: Any, suffix: str) -> dict[str, Any]:
    from datasets.formats import FORMATS
    from demo import build, truth, verify
    from demo.plans import DemoPlan
    from demo.qualifying import INVITED, qualify
    from demo.simulated_annotators import Lead, Visitor

    plan = (
        DemoPlan(f"theatre{suffix}", "Paper theatre", val=6, test=12, seed=7, videos=VIDEOS, small=True)
        if tvr is None
        else DemoPlan(f"tvr{suffix}", "TVR descriptions", val=20, test=40, seed=7, tvr=tvr)
    )
    collection = build.import_all(plan)
    lead_name, names = build.make_accounts(collection, suffix, names=build.ANNOTATORS[:-INVITED])
    build.rewrite(plan)
    verify.every_description_is_captioned(collection)
    lead = Lead(Visitor(parts.address, lead_name, build.PASSWORD), plan.name)
    lead.review_captions()
    print(f"The simulated lead accepted {lead.accepted:,} captions in review and refused {lead.refused:,}.")
    build.open_judging(plan)

    build.step(f"{INVITED} simulated applicants are invited, train and sit the exam, and one more comes late")
    examined = qualify(
        collection,
        parts.address,
        lead.visitor,
        suffix,
        truth.theatre_item_truth() if tvr is None else truth.luck_of_item,
    )
    names += [name + suffix for name in build.ANNOTATORS[-INVITED:]]

    build.step("Six simulated annotators judge over HTTP, a simulated lead reviews")
    known = truth.theatre_truth() if tvr is None else truth.caption_truth()
    tallies = _judge_all(collection, plan.name, parts, lead, names, known)

    build.step("Checking, exporting, scoring")
    verify.every_pair_is_judged_right(collection)
    verify.only_the_admitted_judged(collection)
    release = home / "release"
    build.run("export_release", plan.name, release, release=RELEASE, formats=list(FORMATS))
    verify.release_holds(release)
    verify.exports_the_same_again(plan.name, release, RELEASE)
    scores = _score(home, release, collection)
    summary = {**verify.figures(collection), **examined, **scores, **verify.mishaps(tallies)}
    if tvr is None:  # only the theatre's script knows what is relevant to a topic
        summary |= _pooled_job(home, collection, f"topics{suffix}", parts, lead, names, known)
    return summary


def _pooled_job(
    home: Path, drawn: Any, name: str, parts: Any, lead: Any, names: list[str], truth: Callable[[str], float]
) -> dict[str, Any]:
    from demo import pooled, verify

    folder = home / "pooled"
    collection = pooled.build_pooled(drawn, name, folder, lead=lead.visitor.username, annotators=names)
    _judge_all(collection, name, parts, None, names, truth)
    verify.every_pair_is_judged_right(collection)
    return pooled.release_with_certificate(collection, folder, lead.visitor)


def _judge_all(
    collection: Any, name: str, parts: Any, lead: Any | None, names: list[str], truth: Callable[[str], float]
) -> list[Any]:
    """Have people judge until every batch has ended. With a lead who reviews, mishaps befall them, too."""
    from annotation.models import Batch, Judgment, Review
    from demo.build import PASSWORD
    from demo.simulated_annotators import TEMPERS, Annotator, Mishaps, Visitor

    # Seats that last seconds, so that somebody's silence can outlast them while the check waits.
    collection.seat_minutes = SEAT_SECONDS / 60
    collection.save(update_fields=["seat_minutes"])

    mishaps: dict[str, Any] = {"mishaps": Mishaps(silence=SEAT_SECONDS + 2)}
    if lead is None:
        mishaps = {"mishaps": Mishaps(undo=0, twice=0, hang_up=0, silent=0, leave=0, flag=0), "still_to_come": []}
    stop = threading.Event()
    failures: list[BaseException] = []
    people = [
        Annotator(
            visitor=Visitor(parts.address, username, PASSWORD),
            collection=name,
            temper=temper,
            truth=truth,
            seed=seed,
            watch=collection.has_clips,
            **mishaps,
        )
        for seed, (username, temper) in enumerate(zip(names, TEMPERS, strict=True))
    ]

    def guarded(work: Callable[[threading.Event], None]) -> None:
        try:
            work(stop)
        except BaseException as error:
            failures.append(error)
            stop.set()
        finally:
            from django.db import connections

            connections.close_all()

    at_work = people if lead is None else [*people, lead]
    threads = [threading.Thread(target=guarded, args=(person.work,), daemon=True) for person in at_work]
    for thread in threads:
        thread.start()
    last, since, told = -1, time.monotonic(), time.monotonic()
    judging = Batch.objects.filter(query__collection=collection).exclude(status__in=["finished", "extended"])
    try:
        while not stop.is_set() and judging.exists():
            parts.check()
            counted = Judgment.objects.filter(pair__batch__query__collection=collection, counted=True).count()
            state = counted + Review.objects.filter(batch__query__collection=collection).count()
            if state != last:
                last, since = state, time.monotonic()
            elif time.monotonic() - since > STUCK_SECONDS:
                left = judging.count()
                raise CheckFailed(f"nothing has happened for {STUCK_SECONDS} s; {left} batches are undecided")
            if time.monotonic() - told > 5:
                told = time.monotonic()
                print(f"  {counted:,} judgments, {judging.count():,} batches to go", flush=True)
            time.sleep(0.3)
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
    if failures:
        raise CheckFailed(f"a simulated person failed: {failures[0]}") from failures[0]
    return [person.tally for person in people]


def _score(home: Path, release: Path, collection: Any) -> dict[str, Any]:
    from demo.runs import write_overlap_run, write_perfect_run

    runs = home / "runs"
    runs.mkdir(exist_ok=True)
    write_overlap_run(collection, release / "test.json", runs / "word-overlap.jsonl")
    write_perfect_run(release / "test.json", runs / "perfect.jsonl")
    command = [sys.executable, "-m", "evaluation", "score", str(release / "test.json")]
    command += [str(runs / "word-overlap.jsonl"), str(runs / "perfect.jsonl"), "--measures", *MEASURES, "--json"]
    scored = subprocess.run(command, capture_output=True, text=True, check=False)
    if scored.returncode:
        raise CheckFailed(f"evaluation can't score the release: {scored.stderr.strip()}")
    scores = json.loads(scored.stdout)
    for measure in MEASURES:
        plain, perfect = scores["word-overlap"][measure], scores["perfect"][measure]
        if not 0 < plain < 1:
            raise CheckFailed(f"{measure} of a plain run is {plain}, expected between 0 and 1")
        if abs(perfect - _highest_mean_ndcg(release / "test.json")) > 1e-9:
            raise CheckFailed(f"{measure} of the ideal ranking is {perfect}, not the most possible")
    return {f"{measure} of word overlap": round(scores["word-overlap"][measure], 4) for measure in MEASURES}


def _highest_mean_ndcg(ground_truth: Path) -> float:
    """The highest possible mean NDCG: queries without a relevant moment score 0."""
    queries = json.loads(ground_truth.read_text())
    reachable = [any(moment["relevance"] for moment in query["relevant_moment"]) for query in queries]
    return sum(reachable) / len(reachable)


def print_summary(summary: dict[str, Any]) -> None:
    """Print the closing table."""
    width = max(map(len, summary))
    print()
    for name, value in summary.items():
        shown = f"{value:,}" if isinstance(value, int) else f"{value}"
        print(f"  {name:<{width}}  {shown:>10}")
