"""`script/demo`: a running site with the paper theatre; `--baselines` trains systems for it; `--check`: the whole main
job, unattended."""

import argparse
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from config import building
from demo.plans import THEATRE
from demo.site import database_is_empty, prepare_site, set_up_django

if TYPE_CHECKING:
    from demo.filming import Filming
    from demo.processes import DemoProcesses

DEFAULT_PORT = 8000


def main() -> int:
    options = _parse()
    # SIGTERM leaves like Ctrl-C does: through the code that stops what was started. SIGINT is said too, since a
    # shell starts its background jobs with it switched off.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    try:
        if options.check:
            from demo.check import run_check

            return run_check(keep=options.keep, tvr=options.tvr)
        return _serve(options.port, again=options.again, baselines=options.baselines)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/demo", description=__doc__)
    parser.add_argument("--check", action="store_true", help="do the main job with simulated annotators, and exit")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="with --check: leave everything it made in DIR")
    parser.add_argument("--tvr", metavar="FILE", type=Path, help="with --check: use these TVR descriptions")
    parser.add_argument("--again", action="store_true", help="build a demo collection that was deleted once more")
    parser.add_argument(
        "--baselines", action="store_true", help="train systems too, and put their runs on the finished leaderboards"
    )
    parser.add_argument("--port", type=int, default=int(os.environ.get("QREELS_PORT", DEFAULT_PORT)))
    options = parser.parse_args()
    if not options.check and (options.keep or options.tvr):
        parser.error("--keep and --tvr go with --check")
    if options.check and options.baselines:
        parser.error("--baselines goes with a running demo, not with --check")
    if options.tvr is not None and not options.tvr.is_file():
        parser.error(f"--tvr: {options.tvr} is not a file")
    if not 0 < options.port < 65536:
        parser.error(f"--port: found {options.port}, expected 1 to 65535")
    return options


def _serve(port: int, *, again: bool, baselines: bool) -> int:
    from django.core.management.base import CommandError

    from demo.faults import AlreadyRunning, PartError
    from demo.processes import DemoProcesses

    began = time.monotonic()
    try:
        with DemoProcesses(port) as parts:
            print("Starting PostgreSQL, Valkey, a worker and the web server ...", flush=True)
            set_up_django()
            _run_site(parts, began, again=again)
            if baselines:
                _train(began)
            while True:
                parts.mend()
                time.sleep(1)
    except (AlreadyRunning, PartError, CommandError) as error:
        print(error, file=sys.stderr)
        return 1


def _run_site(parts: "DemoProcesses", began: float, *, again: bool) -> None:
    """Start the site, and finish what the demo lacks while it runs; what was deleted only if asked `again`."""
    from demo import build
    from demo.filming import Filming
    from demo.furnished.furnish import NAME, is_furnished
    from demo.spoken.speak import NAME as SPOKEN
    from demo.spoken.speak import is_spoken

    with building.under_way(), Filming(build.theatre_folder(), videos=THEATRE.videos) as filming:
        if database_is_empty():
            # The first start: one core draws while the other makes the tables.
            filming.begin()
        prepare_site()
        deleted = [] if again else [name for name in (THEATRE.name, NAME, SPOKEN) if build.was_deleted(name)]
        without = THEATRE.name in deleted
        if without or build.is_complete(THEATRE):
            if not without:
                print("The demo collection is there, with everything that was done in it.")
            parts.start_web()
            _greet(parts.address, time.monotonic() - began)
            parts.start_worker()
        else:
            _build(parts, filming, began)
        if deleted:
            _tell_deleted(deleted)
        # The others are made of the first one's films.
        if not without and NAME not in deleted and not is_furnished():
            _furnish(began)
        if not without and SPOKEN not in deleted and not is_spoken():
            _speak(began)


def _tell_deleted(names: list[str]) -> None:
    several = f"collections {', '.join(names[:-1])} and {names[-1]} were"
    which = several if len(names) > 1 else f"collection {names[0]} was"
    print(
        f"\nThe demo {which} deleted, and isn't built again. script/demo --again builds what is missing.",
        flush=True,
    )


def _furnish(began: float) -> None:
    """Build the finished collection. Nobody loses the site for it: people may have changed what it is made of."""
    from demo import build, truth
    from demo.furnished.furnish import furnish
    from foundation.models import Collection

    try:
        furnish(Collection.objects.get(name=THEATRE.name), build.theatre_folder(), truth.theatre_item_truth())
    except Exception:
        traceback.print_exc()
        print("\nThe second collection could not be prepared (see above); the next start tries again.", file=sys.stderr)
        return
    print(f"\nThe second collection is complete after {time.monotonic() - began:.0f} s.", flush=True)


def _speak(began: float) -> None:
    """Build the spoken collection. Nobody loses the site for it, either."""
    from demo import build
    from demo.spoken.speak import speak

    try:
        speak(build.theatre_folder(), build.theatre_folder() / "spoken")
    except Exception:
        traceback.print_exc()
        print("\nThe third collection could not be prepared (see above); the next start tries again.", file=sys.stderr)
        return
    print(f"\nThe third collection is complete after {time.monotonic() - began:.0f} s.", flush=True)


def _train(began: float) -> None:
    """Train systems while the site runs."""
    from demo.baselines.add import add_baselines
    from demo.faults import PartError

    try:
        with building.under_way():
            add_baselines()
    except PartError as error:
        print(f"\n{error} The next start with --baselines goes on.", file=sys.stderr)
        return
    print(f"\nThe baselines are on the leaderboards after {time.monotonic() - began:.0f} s.", flush=True)


def _build(parts: "DemoProcesses", filming: "Filming", began: float) -> None:
    """Build the collection while the site runs, the first pairs to judge before all. Its accounts exist before the
    site answers."""
    from demo import build, truth

    collection = build.begin(THEATRE)
    building.tell("starting the site", then="descriptions, imprecise captions and queries")
    parts.start_web()
    _greet(parts.address, time.monotonic() - began)
    print("The paper theatre is being prepared now; every page says how far it is.", flush=True)
    opened = build.is_open(THEATRE)
    if not opened:
        build.describe(THEATRE)
    filming.bring_into(collection.pk)
    if not opened:
        # Before there is a worker, so that the models are loaded once, here, and not by each of its processes, too.
        build.rewrite(THEATRE)
        build.open_judging(THEATRE)
        print(f"\nJudging is open after {time.monotonic() - began:.0f} s; its clips come one by one.", flush=True)
    building.tell("judging is open, and its clips come one by one", then="the guideline with worked examples")
    parts.start_worker()
    filming.wait()
    collection.refresh_from_db()
    if not collection.guideline_version:
        build.publish_guideline_with_examples(collection, truth.theatre_item_truth())
    print(f"\nThe paper theatre is complete after {time.monotonic() - began:.0f} s:  {parts.address}", flush=True)


def _greet(address: str, seconds: float) -> None:
    from demo.build import ANNOTATORS, LEAD, PASSWORD
    from demo.furnished.people import PEOPLE
    from demo.spoken.speak import NEWCOMERS

    finished = ", ".join(person.name for person in PEOPLE if person.admitted)
    print(
        f"\nQreels is running after {seconds:.0f} s:  {address}\n\n"
        f"  lead annotator   {LEAD}\n"
        f"  annotators       {', '.join(ANNOTATORS)}\n"
        f"  who have judged  {finished}  (the second collection, which is finished)\n"
        f"  to hear and read {', '.join(NEWCOMERS)}  (the third collection, where lines are spoken)\n"
        f"  password         {PASSWORD}  (the same for all)\n\n"
        "Ctrl-C stops everything; the data stays under var/ for the next start.",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
