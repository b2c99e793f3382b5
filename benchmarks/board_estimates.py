"""A board estimated with a machine's help: seconds of its job, memory, and how long its page takes from what is stored.

A collection of 3,000 queries with 34 candidates each is made, of which people judged 1,000; a machine judge graded all
102,000 pairs, and 20 systems have runs over all queries. The job is the site's; its peer is `evaluation.guarantees`
alone on the same ground truths and runs, in memory. The page's median is told beside that of the plain leaderboard,
asked in turns with it. Prints one JSON object as its last line.

    .venv/bin/python benchmarks/board_estimates.py [--rounds 3] [--small]
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import Turns, database_server, figure, parser, peak_memory, report, say, scratch_site

NAME, OURS, ENGINE, BOARD = "assisted", "job", "engine alone", "leaderboard"
QUERIES, JUDGED, POOL, SYSTEMS = 3_000, 1_000, 34, 20
SMALL = (60, 30, 5, 3)
PAGES = 15
"""Requests of each page a round."""


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, metavar="N", help="times that all is measured")
    options = arguments.parse_args()
    with scratch_site(options, broker=True):
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        report(measure(options))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    import numpy as np
    from django.conf import settings
    from django.test import Client

    from benchmarks.worlds.assisted import add_board_run, add_judge, build_assisted_world
    from datasets.models import BoardEstimate
    from datasets.releases.make_release import create_release
    from foundation.models import Account

    settings.ALLOWED_HOSTS = ["testserver"]
    queries, judged, pool, systems = SMALL if options.small else (QUERIES, JUDGED, POOL, SYSTEMS)
    world = build_assisted_world(NAME, queries=queries, judged=judged, pool=pool)
    noise = np.random.default_rng(5).normal(0.4, 0.8, world.grades.shape)
    judge = add_judge(world, "noisy", np.clip(world.grades + np.rint(noise).astype(int), 0, 4))
    release = create_release(collection=world.collection, name="v1")
    for place in range(systems):
        family = "CLIP" if place % 4 == 0 else ""
        add_board_run(
            release, f"system {place + 1}", world.run(1 + 0.08 * place, seed=place), family=family, compared=False
        )
    say(f"{queries * pool:,} pairs, {judged:,} of {queries:,} queries judged by people, {systems} runs")

    jobs, pages = Turns(server=database_server()), Turns(server=database_server())
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    board = f"/c/{NAME}/releases/{release.pk}/board/test/"
    engine = engine_on(release, judge)
    before = peak_memory()
    for number in range(1 if options.small else options.rounds):
        contenders = [(OURS, lambda: job_of(release, judge)), (ENGINE, engine)]
        for name, work in contenders[:: -1 if number % 2 else 1]:
            jobs.take(name, work)
    memory = peak_memory()
    job = BoardEstimate.objects.latest("pk")
    assert job.state == "done", job.problem
    for address in (f"{board}estimates/", board):
        client.get(address)
    pages.take_all(
        {"page": lambda: asked(client, f"{board}estimates/"), BOARD: lambda: asked(client, board)},
        rounds=1 if options.small else PAGES,
    )
    run, page = jobs.figures(ours=OURS), pages.figures(ours="page")
    return {
        "pairs": queries * pool,
        "judged_queries": judged,
        "systems": systems,
        "job_seconds": run["seconds"][OURS],
        "page_ms": figure(1000 * page["seconds"]["page"]),
        "leaderboard_ms": figure(1000 * page["seconds"][BOARD]),
        "memory_mb": figure(memory),
        "memory_before_mb": figure(before),
        "result_bytes": len(client.get(f"/c/{NAME}/estimates/{job.pk}.json").content),
        "processor_seconds": {**run["processor_seconds"], **page["processor_seconds"]},
        "processor_ratios": {**run["processor_ratios"], **page["processor_ratios"]},
        "ratios": {**run["ratios"], **page["ratios"]},
    }


def job_of(release: Any, judge: Any) -> None:
    from datasets.guarantees.estimate import ask_for_estimate, estimate_board

    estimate_board(ask_for_estimate(release=release, split="test", judge=judge).pk)


def engine_on(release: Any, judge: Any) -> Callable[[], object]:
    """What estimates from ground truths and runs that are read already."""
    from datasets.certificates.systems import read_systems, systems_of
    from datasets.guarantees.truths import machine_truth
    from datasets.leaderboard.runs import open_board
    from datasets.leaderboard.scoring import truth_of
    from evaluation.guarantees.board import boards
    from evaluation.measures.usual import usual_measures

    people = truth_of(open_board(release=release, split="test"))
    machine = machine_truth(release, "test", judge).truth
    runs = list(read_systems(release, "test", systems_of(release)["test"], machine))
    return lambda: boards(people, machine, runs, usual_measures(people))


def asked(client: Any, address: str) -> None:
    assert client.get(address).status_code == 200, address


if __name__ == "__main__":
    main()
