"""Every program of `benchmarks/` runs with `--small`, and ends with one line of JSON that compares."""

import json
import os
import subprocess
import sys
import uuid

import psycopg
import pytest

from tests.places import ROOT
from tests.tables import url_of

PROGRAMS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")
WITHOUT_DATABASE = {"candidates", "caption_checks", "evaluation", "name_tagger", "threads"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_runs_small_and_compares(program: str, request: pytest.FixtureRequest) -> None:
    line = [sys.executable, str(ROOT / "benchmarks" / f"{program}.py"), "--small"]
    if program in WITHOUT_DATABASE:
        ran = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
    else:
        name = f"bench_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {request.getfixturevalue('tables')}")
            try:
                line += ["--database", url_of(name)]
                ran = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert ran.returncode == 0, ran.stderr[-3000:]
    figures = json.loads(ran.stdout.splitlines()[-1])
    assert figures["ratios"], "it has no peer"
    assert all(isinstance(ratio, int | float) and ratio >= 0 for ratio in figures["ratios"].values()), figures["ratios"]
