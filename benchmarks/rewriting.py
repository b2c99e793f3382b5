"""What the rewriting pipeline adds to an LLM's own time, and how well it keeps requests in flight.

A server in a process of its own answers at once, or after 200 ms. Peers in the same run, on the same descriptions:
the openai client alone in the same number of threads, with nothing read or stored; the two models of the checks
alone; and the ideal, requests times 200 ms over requests at once. Prints one JSON object as its last line;
`ratios` is our time over the peer's.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

INSTANT = 2000
"""Descriptions for the instant server."""
CHECKED = 400
"""Descriptions that also go through the checks, each of so many turns."""
TURNS = 3
SLOW = 6000
"""Descriptions for the server that takes 200 ms."""
DELAY = 0.2
CONCURRENCY = 16


async def serve(delay: float) -> None:
    """The server: right captions for descriptions of Rachel, after so many seconds. Prints its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            asked = json.loads(json.loads(await reader.readexactly(size))["messages"][-1]["content"])["descriptions"]
            if delay:
                await asyncio.sleep(delay)
            rows = [{"id": one["id"], "caption": one["text"].replace("Rachel", "A woman")} for one in asked]
            body = json.dumps(_completion(json.dumps({"captions": rows}))).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _completion(content: str) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}},
        ],
        "usage": {"prompt_tokens": 900, "completion_tokens": 600, "total_tokens": 1500},
    }


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    os.environ.update(OPENAI_API_KEY="k", REWRITER_MODEL="m", REWRITER_CONCURRENCY=str(CONCURRENCY))
    os.environ.update(REWRITER_PRICE_IN="0.15", REWRITER_PRICE_OUT="0.60", REWRITER_PER_REQUEST="20")
    from demo.check import _leave_servers
    from demo.site import prepare_site, set_up_django

    try:
        set_up_django()
        prepare_site()
        at_once = with_server(0.0, measure_instant)
        slow = with_server(DELAY, measure_slow)
        ratios = {
            "openai client alone": at_once["asking_seconds"] / at_once["client_seconds"],
            "models of the checks alone": at_once["whole_seconds"] / at_once["models_seconds"],
            "ideal concurrency": slow["seconds"] / slow["ideal_seconds"],
        }
        print(json.dumps({"instant": at_once, "200 ms": slow, "ratios": ratios}))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def with_server(delay: float, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is measured while a server that takes so long runs."""
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve", str(delay)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert server.stdout is not None
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        return measure()
    finally:
        server.terminate()
        server.wait()


def measure_instant() -> dict[str, Any]:
    """Asking and storing beside the bare client; the whole pipeline beside the models alone."""
    make_collection("warm", 40)
    ask("warm")
    make_collection("instant", INSTANT)
    asking = ask("instant")
    client = bare_client(INSTANT)
    bare_models(40)
    models, whole = [], []
    # By turns, and the best of each: the models take whatever the machine leaves them.
    for turn in range(TURNS):
        make_collection(f"whole-{turn}", CHECKED)
        models.append(bare_models(CHECKED))
        whole.append(rewrite(f"whole-{turn}"))
    return {
        "descriptions": INSTANT,
        "asking_seconds": asking,
        "client_seconds": client,
        "asking_overhead_ms_a_description": 1000 * (asking - client) / INSTANT,
        "checked_descriptions": CHECKED,
        "whole_seconds": min(whole),
        "models_seconds": min(models),
        "whole_overhead_ms_a_description": 1000 * (min(whole) - min(models)) / CHECKED,
    }


def measure_slow() -> dict[str, Any]:
    """How much longer than with always so many requests in flight."""
    make_collection("slow", SLOW)
    seconds = ask("slow")
    requests = SLOW // 20
    ideal = requests * DELAY / CONCURRENCY
    return {
        "requests": requests,
        "at_once": CONCURRENCY,
        "seconds": seconds,
        "ideal_seconds": ideal,
        "achieved_to_ideal_concurrency": ideal / seconds,
    }


def make_collection(name: str, size: int) -> None:
    from corpus.models import Collection, Description, Moment, Video

    collection = Collection.objects.create(name=name, title=name, has_clips=False)
    video = Video.objects.create(collection=collection, name="video", duration=1e7)
    moments = Moment.objects.bulk_create(Moment(video=video, start=i, end=i + 1) for i in range(size))
    Description.objects.bulk_create(
        Description(collection=collection, moment=moment, source_id=str(i), text=text, normalised=text, kind="v")
        for i, (moment, text) in enumerate(zip(moments, texts(name, size), strict=True))
    )


def texts(name: str, size: int) -> list[str]:
    return [f"Rachel opens the {name} door number {i}, looks around the kitchen and walks in." for i in range(size)]


def ask(name: str) -> float:
    """Seconds to ask for everything and store every answer, without any check."""
    from corpus.models import Collection
    from queries.models import Answer
    from queries.rewriting.costs import prices_from
    from queries.rewriting.decoding import Recipe
    from queries.rewriting.jobs import begin_job, end_job
    from queries.rewriting.request_thread import Asking
    from queries.rewriting.run_job import collection_rewriter
    from queries.rewriting.work_left import find_pending

    collection = Collection.objects.get(name=name)
    began = time.perf_counter()
    rewriter = collection_rewriter(collection)
    job = begin_job(collection=collection, rewriter=rewriter, prices=prices_from())
    pending = find_pending(collection=collection, recipe=Recipe(job.model, job.prompt_version))
    with Asking(job, rewriter) as asking:
        asking.add(pending.requests(20))
        asking.finish()
        asking.join()
    elapsed = time.perf_counter() - began
    end_job(job=job, state=job.State.DONE)
    assert Answer.objects.filter(collection=collection, settled=True).count() == pending.descriptions
    return elapsed


def rewrite(name: str) -> float:
    """Seconds for the whole pipeline in this process: asked, stored, checked, captioned."""
    from corpus.models import Collection
    from queries.models import Caption
    from queries.rewriting.run_job import rewrite_remotely

    collection = Collection.objects.get(name=name)
    ids = list(collection.descriptions.values_list("pk", flat=True))
    began = time.perf_counter()
    rewrite_remotely(collection=collection, description_ids=ids)
    elapsed = time.perf_counter() - began
    assert Caption.objects.filter(description__collection=collection).count() == len(ids)
    return elapsed


def bare_client(size: int) -> float:
    """Seconds for the same requests by the openai client in as many threads, the answers thrown away."""
    from queries.rewriting.rewriters.chat import Chat
    from queries.rewriting.rewriters.prompting import Request, Wording, split_evenly

    chat = Chat("m", "k", os.environ["OPENAI_BASE_URL"])
    client = chat.client()
    began = time.perf_counter()
    bodies = [chat.body(Wording().messages(Request(some)), 0.0, 1) for some in split_evenly(texts("bare", size), 20)]
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(lambda body: client.chat.completions.create(**body), bodies))
    return time.perf_counter() - began


def bare_models(size: int) -> float:
    """Seconds that the encoder and the tagger take for as many descriptions and captions, in blocks as the checks'."""
    from queries.language.name_tagger import load_tagger
    from queries.retrieval.encoder import load_encoder

    before = texts("models", size)
    began = time.perf_counter()
    for first in range(0, size, 200):
        block = before[first : first + 200]
        after = [text.replace("Rachel", "A woman") for text in block]
        load_encoder().encode([*block, *after])
        load_tagger().find_names(after)
    return time.perf_counter() - began


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
