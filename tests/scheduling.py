"""Which process runs which test file, and when: whole files, those that take longest first.

`pytest -n 4 --weigh` notes in tests/seconds.json what each file took. Files that it doesn't know count as
UNKNOWN: what runs last is known to be short.

A browser with its web server, or the models' libraries, take a process up to half a minute: as long as there are files
that need them, one process takes what needs a browser, two what needs the libraries, and a fourth what needs neither.
Four on two cores, since a browser's test waits for a clip, and many another for a worker.
"""

import json
import re
from collections import defaultdict
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.paths import ROOT

NOTED = Path(__file__).with_name("seconds.json")
UNKNOWN = 10
"""Seconds. Too early costs nothing; a long file that comes last leaves the other process without work."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--weigh", action="store_true", help="note what each test file took, for the order of later runs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    noted: dict[str, float] = json.loads(NOTED.read_text())
    collected = dict.fromkeys(_file_of(item.nodeid) for item in items)
    files = sorted(collected, key=lambda file: -noted.get(file, UNKNOWN))
    # The processes take the first files in turn: two of each kind come first.
    first = [[file for file in files if _needs(file) == kind][:2] for kind in KINDS]
    order = [file for turn in zip_longest(*first) for file in turn if file is not None]
    place = {file: number for number, file in enumerate(dict.fromkeys([*order, *files]))}
    items.sort(key=lambda item: place[_file_of(item.nodeid)])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    return ByFile(config, log)


KINDS = LIBRARIES, BROWSER, NEITHER = "libraries", "browser", "neither"
STARTS_PROCESSES = re.compile(r"\b(one_worker|ForkedProcess|tests\.operation\.sites)\b")
LOADS_MODELS = re.compile(r"\b(fetch_candidates|start_study|make_study|draw_exam|school|hall|school_of_the_file)\b")
"""What fetches candidates, a study's or an exam's too, compares texts by the encoder."""
WITH_LIBRARIES = re.compile(r"^tests/(baselines|benchmarks|demo|queries)/")


class ByFile(LoadFileScheduling):
    """A file's tests stay together, for they share what is made once a file."""

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """If the process gets another file now, then one of its kind, or else one that is cheap for it."""
        own = KINDS[self.nodes.index(node) % 3]
        for kind in (own, NEITHER, BROWSER):
            file = next((file for file in self.workqueue if _needs(file) == kind), None)
            if file is not None:
                self.workqueue.move_to_end(file, last=False)
                break
        super().mark_test_complete(node, item_index, duration)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--weigh"):
        config.pluginmanager.register(Scales())


class Scales:
    """Adds up what the tests of each file took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[_file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        # Of several processes the one that hands out the tests hears of all of them.
        if hasattr(session.config, "workerinput"):
            return
        noted = json.loads(NOTED.read_text()) | {file: round(seconds, 1) for file, seconds in self.seconds.items()}
        kept = {file: seconds for file, seconds in noted.items() if (ROOT / file).exists()}
        NOTED.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


@cache
def _needs(file: str) -> str:
    """What dear thing the file's tests need; whoever starts processes of ours has the libraries (tests/forked.py)."""
    text = (ROOT / file).read_text()
    if STARTS_PROCESSES.search(text) or WITH_LIBRARIES.match(file):
        return LIBRARIES
    if file.startswith("tests/e2e/"):
        return BROWSER
    return LIBRARIES if LOADS_MODELS.search(text) else NEITHER


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]
