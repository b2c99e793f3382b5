"""How many small mistakes in a room's code its tests notice, and which they don't: a developer's program.

`.venv/bin/python -m tests.mutation ROOM [--sample 100] [--seed 1] [--again]`

It notes once which tests run which lines. Then each mutant (`tests/mutants.py`) is put into the functions of a fork of
this process, which runs the tests that run its line, the nearest and shortest first, until one fails. A mistake in what
runs at import (a decorator, a default, a constant) is made in a process of its own. A mutant that hangs is killed and
counts as noticed. What tests do in other processes (workers, browsers, commands) isn't seen: those files are left out.
"""

import argparse
import contextlib
import gc
import hashlib
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from pytest_django.plugin import blocking_manager_key

from tests.mutants import ROOMS, Mutant, compile_mutant, files_below, functions_of, living, mutants_of
from tests.paths import ROOT
from tests.scheduling import STARTS_PROCESSES

MOST_SECONDS = 60.0
"""Of tests that a mutant is tried on."""
BROKE = 3
"""What a fork ends with that couldn't do its work."""
Line = tuple[str, int]


class Mutation:
    """A plugin that runs mutants in place of the tests."""

    def __init__(self, room: str, sample: int, seed: int, *, again: bool) -> None:
        self.room, self.sample, self.seed, self.again = room, sample, seed, again
        self.environment = dict(os.environ)  # before this run's own servers are in it
        self.files = files_below(ROOMS[room][0].split())
        self.reached: dict[Line, set[str]] = {}
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not STARTS_PROCESSES.search(item.path.read_text())]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        for file in self.files:
            importlib.import_module(file.removesuffix(".py").replace("/", "."))
        self._set_up()
        gc.unfreeze()
        self.functions: dict[str, list[FunctionType]] = {}
        self.caches = living(_lru_cache_wrapper)
        for one in living(FunctionType):
            if one.__code__.co_filename.startswith(str(ROOT)):
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        kept = session.config.cache.mkdir("mutation") / f"{self.room}.json"  # type: ignore[union-attr]
        self._note_what_runs(kept)
        self._try_mutants(kept.with_suffix(".survivors.json"))
        return True

    def _set_up(self) -> None:
        """What stands for the whole session is made before anything forks: the database and its tables."""
        items = self.session.items
        self.elsewhere = [items[0], next(item for item in items if item.path != items[0].path)]
        with_database = [item for item in items if "db" in getattr(item, "fixturenames", ())]
        for item in (items[0], *with_database[:1]):
            runtestprotocol(item, log=False, nextitem=self._of_another_file(item))

    def _of_another_file(self, item: pytest.Item) -> pytest.Item:
        return next(one for one in self.elsewhere if one.path != item.path)

    def _run(self, names: list[str]) -> Iterator[tuple[str, bool]]:
        """Each test, and whether it passed. What stands for a file is taken down after its last."""
        items = [self.items[name] for name in names]
        for item, after in zip(items, [*items[1:], self._of_another_file(items[-1])], strict=True):
            yield item.nodeid, not any(report.failed for report in runtestprotocol(item, log=False, nextitem=after))

    def _all_pass(self, names: list[str]) -> bool:
        for name, passed in self._run(names):
            if not passed:
                self.session._setupstate.teardown_exact(self._of_another_file(self.items[name]))
                return False
        return True

    def _forked(self, work: Callable[[], int], seconds: float) -> int | None:
        """What it returns; None when it took too long."""
        sys.modules["django.db"].connections.close_all()
        pid = os.fork()
        if pid == 0:
            code = BROKE
            with contextlib.suppress(BaseException):
                os.setsid()
                [os.dup2(os.open(os.devnull, os.O_RDWR), number) for number in (1, 2)]
                code = work()
            os._exit(code)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self._clean()
        return None

    def _clean(self) -> None:
        from tests.emptying import empty_database, end_other_sessions

        with self.session.config.stash[blocking_manager_key].unblock():
            end_other_sessions(patience=0)
            empty_database()

    def _note_what_runs(self, kept: Path) -> None:
        known = json.loads(kept.read_text()) if kept.exists() else {}
        sources = "".join((ROOT / file).read_text() for file in self.files)
        by_file: dict[Path, list[str]] = {}
        for name, item in self.items.items():
            by_file.setdefault(item.path, []).append(name)
        notes = {}
        for path, names in by_file.items():
            key = hashlib.sha256((sources + path.read_text()).encode()).hexdigest()
            if key not in known:
                print("noting", path.relative_to(ROOT), flush=True)
                noted = kept.with_suffix(".part")
                noted.unlink(missing_ok=True)
                self._forked(lambda names=names, noted=noted: self._note(names, noted), 600)  # type: ignore[misc]
                known[key] = json.loads(noted.read_text()) if noted.exists() else {}
            notes[key] = known[key]
        kept.write_text(json.dumps(notes))
        for tests in notes.values():
            for name, (seconds, lines) in tests.items():
                self.seconds[name] = seconds
                for file, numbers in lines.items():
                    for number in numbers:
                        self.reached.setdefault((file, number), set()).add(name)

    def _note(self, names: list[str], noted: Path) -> int:
        """The lines of each test that passes. What is made for a whole file counts for each of its tests."""
        files = {str(ROOT / file): file for file in self.files}
        seen: set[Line] = set()
        shared: set[Line] = set()
        found: dict[str, Any] = {}

        def in_ours(frame: FrameType, event: str, _: object) -> Any:
            seen.add((files[frame.f_code.co_filename], frame.f_lineno))
            return in_ours

        def anywhere(frame: FrameType, event: str, _: object) -> Any:
            return in_ours(frame, event, _) if frame.f_code.co_filename in files else None

        class Fixtures:
            @pytest.hookimpl(wrapper=True)
            def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
                before = set(seen)
                try:
                    return (yield)
                finally:
                    if fixturedef.scope != "function":
                        shared.update(seen - before)

        self.session.config.pluginmanager.register(Fixtures())
        threading.settrace(anywhere)
        sys.settrace(anywhere)
        began = time.monotonic()
        for name, passed in self._run(names):
            if passed:
                lines: dict[str, list[int]] = {}
                for file, number in seen | shared:
                    lines.setdefault(file, []).append(number)
                found[name] = (time.monotonic() - began, lines)
            seen.clear()
            began = time.monotonic()
        noted.write_text(json.dumps(found))
        return 0

    def _try_mutants(self, survived: Path) -> None:
        mutants = [mutant for file in self.files for mutant in mutants_of(file)]
        count = len(mutants)
        if self.again:
            names = set(json.loads(survived.read_text()))
            mutants = [mutant for mutant in mutants if mutant.name in names]
        elif self.sample < count:
            mutants = random.Random(self.seed).sample(mutants, self.sample)
        mutants.sort(key=lambda mutant: (mutant.file, mutant.number))
        self._check(mutants[:: len(mutants) // 4 + 1])
        left, unreached = [], 0
        for mutant in mutants:
            tests, runs = self._tests_of(mutant)
            if not tests or not self._is_noticed(mutant, tests, anew=mutant.at_import or not runs):
                left.append(mutant.name)
                unreached += not runs
                said = f"{len(tests)} tests" if runs else "no test runs it"
                print(f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.what}  ({said})", flush=True)
        survived.write_text(json.dumps(left))
        noticed, share = len(mutants) - len(left), 1 - len(left) / max(len(mutants), 1)
        print(f"{self.room}: {noticed} of {len(mutants)} noticed ({share:.0%}; no test runs {unreached}), of {count}")

    def _check(self, some: list[Mutant]) -> None:
        """Tests that fail in a fork without any mistake would notice everything. Raises: pytest.UsageError."""
        for mutant in some:
            tests = self._tests_of(mutant)[0][:20]
            forked = self._forked(lambda tests=tests: int(not self._all_pass(tests)), 600) if tests else 0  # type: ignore[misc]
            if forked != 0 or (tests and self._fails_anew(f"{mutant.file}:-1", tests[:3], 300)):
                raise pytest.UsageError(f"The tests fail by themselves that run: {mutant.name}")

    def _tests_of(self, mutant: Mutant) -> tuple[list[str], bool]:
        """Tests to try it on, and whether they run its line; what else runs the file may import it with the mistake."""
        found = {name for line in mutant.lines for name in self.reached.get((mutant.file, line), ())}
        runs = bool(found)
        if not found:
            found = {name for (file, _), names in self.reached.items() if file == mutant.file for name in names}
        room = mutant.file.split("/")

        def distance(name: str) -> tuple[int, float]:
            parts = name.partition("::")[0].split("/")[1:]
            return -sum(one == other for one, other in zip(parts, room, strict=False)), self.seconds[name]

        chosen, seconds = [], 0.0
        for name in sorted(found, key=distance):
            if seconds + self.seconds[name] <= (MOST_SECONDS if runs else MOST_SECONDS / 4) or not chosen:
                chosen.append(name)
                seconds += self.seconds[name]
        return chosen, runs

    def _is_noticed(self, mutant: Mutant, tests: list[str], *, anew: bool) -> bool:
        limit = 60 + 3 * sum(self.seconds[name] for name in tests)
        code = functions_of(compile_mutant(mutant.file, mutant.number, str(ROOT / mutant.file)))

        def work() -> int:
            for function in self.functions[str(ROOT / mutant.file)]:
                key = (function.__code__.co_qualname, function.__code__.co_firstlineno)
                if key in code:
                    function.__code__ = code[key]
            for cache in self.caches:
                cache.cache_clear()
            return int(not self._all_pass(tests))

        ended = BROKE if anew else self._forked(work, limit)
        return self._fails_anew(f"{mutant.file}:{mutant.number}", tests, limit) if ended == BROKE else ended != 0

    def _fails_anew(self, own: str, tests: list[str], limit: float) -> bool:
        """Whether tests fail, or take too long, in a process that imports a file's mutant; number -1: no mistake."""
        line = [sys.executable, "-m", "tests.mutation", self.room, *tests, "--own", own]
        try:
            run = subprocess.run(line, cwd=ROOT, env=self.environment, capture_output=True, timeout=limit)
            return bool(run.returncode)
        except subprocess.TimeoutExpired:
            return True


def import_mutant(file: str, number: int) -> None:
    """Whoever imports the file in this process gets the mutant."""
    path = str(ROOT / file)
    mutant, get_code = compile_mutant(file, number, path), SourceFileLoader.get_code

    def instead(loader: SourceFileLoader, name: str) -> CodeType | None:
        return mutant if loader.path == path else get_code(loader, name)

    SourceFileLoader.get_code = instead  # type: ignore[method-assign]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--sample", type=int, default=100, help="so many mutants of the room, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="only those that survived the last time")
    parser.add_argument("--own", metavar="FILE:NUMBER", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    quietly = ["-n", "0", "-q", "-m", "not slow and not long"]
    if asked.own:
        file, _, number = asked.own.partition(":")
        import_mutant(file, int(number))
        return pytest.main([*quietly, "-x", "--tb=no", *asked.tests])
    mutation = Mutation(asked.room, asked.sample, asked.seed, again=asked.again)
    tests = [f"tests/{name}" for name in ROOMS[asked.room][1].split()] + ["tests/test_docstrings.py"]
    return pytest.main([*quietly, "-s", "--no-header", "--tb=no", *tests], plugins=[mutation])


if __name__ == "__main__":
    sys.exit(main())
