"""Every program of `benchmarks/` runs with `--small`, and ends with one line of JSON that compares."""

import json
import os
import uuid
from pathlib import Path

import psycopg
import pytest

from tests.forked import ForkedProcess
from tests.paths import ROOT
from tests.tables import url_of

pytestmark = pytest.mark.long

PROGRAMS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")
WITHOUT_DATABASE = {
    "audit",
    "baselines",
    "candidates",
    "caption_checks",
    "encoding",
    "evaluation",
    "fragility",
    "guarantees",
    "leakage",
    "name_tagger",
    "padding",
    "pooling",
    "sampled",
    "search",
    "stopping",
    "threads",
    "verify",
}
KINDS_OF_KILLS = 9
"""Of `benchmarks/soaking/faults.py`, but that of a worker in a decision: no policy decides in so short a time."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_runs_small_and_compares(program: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    line = [str(ROOT / "benchmarks" / f"{program}.py"), "--small"]
    printed, told = tmp_path / "printed", tmp_path / "told"
    if program in WITHOUT_DATABASE:
        ended = ForkedProcess(line, env=os.environ, log=printed, errors=told).wait()
    else:
        name = f"bench_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {request.getfixturevalue('tables')}")
            try:
                line += ["--database", url_of(name)]
                ended = ForkedProcess(line, env=os.environ, log=printed, errors=told).wait()
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert ended == 0, told.read_text()[-3000:]
    figures = json.loads(printed.read_text().splitlines()[-1])
    assert figures["ratios"], "it has no peer"
    if program == "soak":
        assert len(figures["kills"]) == KINDS_OF_KILLS, figures["kills"]
    assert all(isinstance(ratio, int | float) and ratio >= 0 for ratio in figures["ratios"].values()), figures["ratios"]
