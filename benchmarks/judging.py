"""Judgments per second through the HTTP endpoints with ten concurrent annotators, beside a bare view.

The peer is a WSGI function under the same gunicorn that inserts one row and commits: no session, no seat, no
consensus, no next pairs. Both are driven by the same ten threads of this process, whose own work is in both
figures. Prints one JSON object as its last line; `ratios` is our time for a judgment over the peer's for a row.
"""

import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

ANNOTATORS = 10
QUERIES = 60
CANDIDATES = 20
PEER_ROWS = 2000
PASSWORD = "benchmark-only"

_local = threading.local()


def bare(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The peer: one row, one commit, one word back."""
    import psycopg

    if not hasattr(_local, "connection"):
        _local.connection = psycopg.connect(os.environ["DATABASE_URL"])
    sent = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    with _local.connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare_row (pair, grade) VALUES (%s, %s)", (sent["pair"], sent["grade"]))
    _local.connection.commit()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "2")])
    return [b"{}"]


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    from config.demo.__main__ import prepare_site, set_up_django
    from config.demo.check import _leave_servers
    from config.demo.parts import Parts
    from config.embedded import free_port

    try:
        with Parts(free_port()) as parts:
            set_up_django()
            prepare_site()
            build_world()
            parts.start_web()
            ours = measure_ours(parts.address)
            peer = measure_peer(free_port())
        print(json.dumps({**ours, **peer, "ratios": {"bare view": ours["seconds"] / peer["peer_seconds"]}}))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def build_world() -> None:
    """A collection without clips: queries, candidates and open batches, made straight from the models."""
    from annotation.batches import open_annotation
    from corpus.models import Account, Collection, Description, Moment, Video
    from corpus.services import add_member
    from queries.models import Attempt, Candidate, Caption, Query

    collection = Collection.objects.create(name="bench", title="Benchmark", has_clips=False, max_batches=1)
    video = Video.objects.create(collection=collection, name="video", duration=1e6)
    size = max(QUERIES, CANDIDATES)
    moments = Moment.objects.bulk_create(Moment(video=video, start=i, end=i + 1) for i in range(size))
    texts = [f"A person does thing {i}." for i in range(size)]
    descriptions = Description.objects.bulk_create(
        Description(collection=collection, moment=moment, source_id=str(i), text=text, normalised=text)
        for i, (moment, text) in enumerate(zip(moments, texts, strict=True))
    )
    attempts = Attempt.objects.bulk_create(
        Attempt(description=one, number=1, text=one.text, rewriter="rules", similarity_passed=True, names_passed=True)
        for one in descriptions
    )
    captions = Caption.objects.bulk_create(
        Caption(description=one, attempt=attempt, text=one.text, normalised=one.text, status="accepted")
        for one, attempt in zip(descriptions, attempts, strict=True)
    )
    queries = Query.objects.bulk_create(
        Query(collection=collection, description=one, split="test", text=one.text, normalised=one.text, position=i + 1)
        for i, one in enumerate(descriptions[:QUERIES])
    )
    Candidate.objects.bulk_create(
        Candidate(
            query=query, moment=moments[i], caption=captions[i], caption_text=texts[i], rank=i + 1, similarity=0.5
        )
        for query in queries
        for i in range(CANDIDATES)
    )
    open_annotation(collection=collection)
    for number in range(ANNOTATORS):
        account = Account.objects.create_user(f"bench{number}", password=PASSWORD)
        add_member(collection=collection, account=account, role="annotator")


def measure_ours(address: str) -> dict[str, Any]:
    """Ten annotators judge everything; the time of every submit, which brings the next pairs with it."""
    from annotation.models import Judgment
    from annotation.simulation import Visitor

    visitors = [Visitor(address, f"bench{number}", PASSWORD) for number in range(ANNOTATORS)]
    times: list[float] = []

    def work(number: int) -> None:
        dice, visitor = random.Random(number), visitors[number]
        answer = visitor.post("/c/bench/judge/next").json()
        while answer["tasks"]:
            sent = {"pair": answer["tasks"][0]["pair"], "grade": dice.choice([1, 1, 2, 2, 3]), "key": str(uuid.uuid4())}
            began = time.perf_counter()
            answer = visitor.post("/c/bench/judge/grade", json=sent).json()
            times.append(time.perf_counter() - began)

    elapsed = _in_threads(work)
    counted = Judgment.objects.filter(counted=True).count()
    return {
        "annotators": ANNOTATORS,
        "pairs": QUERIES * CANDIDATES,
        "judgments": counted,
        "judgments_per_second": round(counted / elapsed, 1),
        "seconds": elapsed / counted,
        **_percentiles(times, "submit"),
    }


def measure_peer(port: int) -> dict[str, Any]:
    """The same threads send rows to the bare view."""
    import psycopg
    import requests

    from config.demo.parts import stop
    from config.run import server_command

    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE bare_row (id bigserial PRIMARY KEY, pair uuid, grade smallint)")
    line = server_command(["--bind", f"127.0.0.1:{port}"])
    line[line.index("config.wsgi:application")] = "benchmarks.judging:bare"
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    row = {"pair": str(uuid.uuid4()), "grade": 2}
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                requests.post(address, json=row, timeout=5).raise_for_status()
                break
            except requests.RequestException:
                time.sleep(0.1)
        counter, times = itertools.count(), []

        def work(number: int) -> None:
            session = requests.Session()
            while next(counter) < PEER_ROWS:
                began = time.perf_counter()
                session.post(address, json=row, timeout=30).raise_for_status()
                times.append(time.perf_counter() - began)

        elapsed = _in_threads(work)
    finally:
        stop(process)
    rate = round(PEER_ROWS / elapsed, 1)
    return {"peer_rows_per_second": rate, "peer_seconds": elapsed / PEER_ROWS, **_percentiles(times, "peer")}


def _in_threads(work: Callable[[int], None]) -> float:
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(ANNOTATORS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return time.perf_counter() - began


def _percentiles(times: list[float], name: str) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {f"{name}_p{p}_ms": round(cuts[p - 1] * 1000, 1) for p in (50, 95, 99)}


if __name__ == "__main__":
    main()
