"""What the rewriting pipeline adds to an LLM's own time, and how well it keeps requests in flight.

A server in a process of its own answers at once, or after 200 ms. Peers in the same run, on the same descriptions:
the openai client alone in the same number of threads, with nothing read or stored; the two models of the checks
alone; and the ideal, requests times 200 ms over requests at once. Prints one JSON object as its last line;
`ratios` is our time over the peer's.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, database_server, parser, report, scratch_site

TURNS = 3
CONCURRENCY = 16
PER_REQUEST = 20
T = TypeVar("T")
CLIENT, MODELS, WHOLE = "openai client alone", "models of the checks alone", "whole"


@dataclass(frozen=True, slots=True)
class Size:
    """Descriptions a turn: for the server that answers at once, with the checks too, and for the slow server."""

    instant: int = 2000
    checked: int = 400
    slow: int = 6000
    delay: float = 0.2
    """Seconds that the slow server takes."""


SMALL = Size(instant=60, checked=20, slow=160, delay=0.05)


async def serve(delay: float) -> None:
    """The server: right captions for descriptions of Rachel, after so many seconds. Prints its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            asked = json.loads(json.loads(await reader.readexactly(size))["messages"][-1]["content"])["descriptions"]
            if delay:
                await asyncio.sleep(delay)
            rows = [
                {"id": description["id"], "caption": description["text"].replace("Rachel", "A woman")}
                for description in asked
            ]
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
    options = read_options()
    if options.serve is not None:
        asyncio.run(serve(options.serve))
        return
    size = SMALL if options.small else Size()
    settings = {
        "OPENAI_API_KEY": "k",
        "REWRITER_MODEL": "m",
        "REWRITER_CONCURRENCY": str(CONCURRENCY),
        "REWRITER_PRICE_IN": "0.15",
        "REWRITER_PRICE_OUT": "0.60",
        "REWRITER_PER_REQUEST": str(PER_REQUEST),
    }
    with scratch_site(options, broker=True, **settings):
        asking, checking = with_server(0.0, partial(measure_instant, size))
        slow = with_server(size.delay, partial(measure_slow, size))
        asked, checked = asking.figures(), checking.figures(ours=WHOLE)
        report(
            {
                "instant": {
                    "descriptions": size.instant,
                    "overhead_ms_a_description": 1000 * (asking.wall(OURS) - asking.wall(CLIENT)) / size.instant,
                    **asked,
                },
                "checked": {
                    "descriptions": size.checked,
                    "overhead_ms_a_description": 1000 * (checking.wall(WHOLE) - checking.wall(MODELS)) / size.checked,
                    **checked,
                },
                "slow": slow,
                "processor_ratios": asked["processor_ratios"] | checked["processor_ratios"],
                "ratios": asked["ratios"]
                | checked["ratios"]
                | {"ideal concurrency": round(slow["seconds"] / slow["ideal_seconds"], 3)},
            }
        )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--serve", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    return arguments.parse_args()


def with_server(delay: float, measure: Callable[[], T]) -> T:
    """What is measured while a server that takes so long runs."""
    line = [sys.executable, __file__, "--serve", str(delay)]
    server = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert server.stdout is not None
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        return measure()
    finally:
        server.terminate()
        server.wait()


def measure_instant(size: Size) -> tuple[Turns, Turns]:
    """Asking and storing beside the bare client; the whole pipeline beside the models alone."""
    make_collection("warm", 40)
    ask("warm")
    bare_models(40)
    asking, checking = Turns(database_server()), Turns(database_server())
    for turn in range(TURNS):
        make_collection(f"instant-{turn}", size.instant)
        asking.take(OURS, partial(ask, f"instant-{turn}"))
        asking.take(CLIENT, partial(bare_client, size.instant))
        make_collection(f"whole-{turn}", size.checked)
        checking.take(MODELS, partial(bare_models, size.checked))
        checking.take(WHOLE, partial(rewrite, f"whole-{turn}"))
    return asking, checking


def measure_slow(size: Size) -> dict[str, Any]:
    """How much longer than with always so many requests in flight; the ideal is reckoned, so it has no turn."""
    make_collection("slow", size.slow)
    turns = Turns(database_server())
    turns.take(OURS, partial(ask, "slow"))
    seconds = turns.wall(OURS)
    requests = size.slow // PER_REQUEST
    ideal = requests * size.delay / CONCURRENCY
    return {
        "requests": requests,
        "at_once": CONCURRENCY,
        "delay_seconds": size.delay,
        "seconds": seconds,
        "processor_seconds": turns.processor(OURS),
        "ideal_seconds": ideal,
        "achieved_to_ideal_concurrency": ideal / seconds,
    }


def make_collection(name: str, size: int) -> None:
    from corpus.models import Description, Moment, Video
    from foundation.models import Collection

    collection = Collection.objects.create(name=name, title=name, has_clips=False)
    video = Video.objects.create(collection=collection, name="video", duration=1e7)
    moments = Moment.objects.bulk_create(Moment(video=video, start=i, end=i + 1) for i in range(size))
    Description.objects.bulk_create(
        Description(collection=collection, moment=moment, source_id=str(i), text=text, normalised=text, kind="v")
        for i, (moment, text) in enumerate(zip(moments, texts(name, size), strict=True))
    )


def texts(name: str, size: int) -> list[str]:
    return [f"Rachel opens the {name} door number {i}, looks around the kitchen and walks in." for i in range(size)]


def ask(name: str) -> None:
    """Ask for everything and store every answer, without any check."""
    from foundation.models import Collection
    from queries.models import Answer
    from queries.rewriting.costs import prices_from
    from queries.rewriting.decoding import ModelAndPrompt
    from queries.rewriting.jobs import begin_job
    from queries.rewriting.request_thread import Asking
    from queries.rewriting.run_job import collection_rewriter
    from queries.rewriting.work_left import find_pending

    collection = Collection.objects.get(name=name)
    rewriter = collection_rewriter(collection)
    job = begin_job(collection=collection, rewriter=rewriter, prices=prices_from())
    pending = find_pending(collection=collection, recipe=ModelAndPrompt(job.model, job.prompt_version))
    with Asking(job, rewriter) as asking:
        asking.add(pending.requests(PER_REQUEST))
        asking.finish()
        asking.join()
    job.end()
    assert Answer.objects.filter(collection=collection, settled=True).count() == pending.descriptions


def rewrite(name: str) -> None:
    """The whole pipeline in this process: asked, stored, checked, captioned."""
    from foundation.models import Collection
    from queries.models import Caption
    from queries.rewriting.run_job import rewrite_remotely

    collection: Any = Collection.objects.get(name=name)
    ids = list(collection.descriptions.values_list("pk", flat=True))
    rewrite_remotely(collection=collection, description_ids=ids)
    assert Caption.objects.filter(description__collection=collection).count() == len(ids)


def bare_client(size: int) -> None:
    """The same requests by the openai client in as many threads, the answers thrown away."""
    from queries.rewriting.rewriters.chat import Chat
    from queries.rewriting.rewriters.prompting import Request, Wording, longest_answer, split_evenly

    chat = Chat("m", "k", os.environ["OPENAI_BASE_URL"])
    client = chat.client()
    requests = [Request(some) for some in split_evenly(texts("bare", size), PER_REQUEST)]
    bodies = [chat.body(Wording().messages(request), 0.0, 1, longest_answer(request)) for request in requests]
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(lambda body: client.chat.completions.create(**body), bodies))


def bare_models(size: int) -> None:
    """The encoder and the tagger alone, on as many descriptions and captions, in blocks as the checks'."""
    from queries.language.name_tagger import load_tagger
    from queries.retrieval.encoder import load_encoder

    before = texts("models", size)
    load_tagger().forget()
    for first in range(0, size, 200):
        block = before[first : first + 200]
        after = [text.replace("Rachel", "A woman") for text in block]
        load_encoder().encode([*block, *after])
        load_tagger().find_names(after)


if __name__ == "__main__":
    main()
