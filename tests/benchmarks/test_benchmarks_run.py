"""Every program of `benchmarks/` runs with `--small`, and ends with one line of JSON that compares."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")
WITHOUT_DATABASE = {"candidates", "caption_checks", "evaluation", "name_tagger", "threads"}


def named(url: str, database: str) -> str:
    """The address of another database of the same server."""
    head, _, options = url.partition("?")
    return f"{head.rpartition('/')[0]}/{database}" + (f"?{options}" if options else "")


@pytest.fixture(scope="module")
def template() -> Iterator[str]:
    """A database with all tables and no rows, made once: each program gets a copy, and migrates nothing."""
    name = f"bench_{uuid.uuid4().hex[:8]}"
    url = os.environ["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env={**os.environ, "DATABASE_URL": named(url, name)}, check=True)
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_runs_small_and_compares(program: str, request: pytest.FixtureRequest) -> None:
    line = [sys.executable, str(ROOT / "benchmarks" / f"{program}.py"), "--small"]
    if program in WITHOUT_DATABASE:
        ran = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
    else:
        template, url = request.getfixturevalue("template"), os.environ["DATABASE_URL"]
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {template}_{program} TEMPLATE {template}")
            try:
                line += ["--database", named(url, f"{template}_{program}")]
                ran = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
            finally:
                connection.execute(f"DROP DATABASE {template}_{program} WITH (FORCE)")
    assert ran.returncode == 0, ran.stderr[-3000:]
    figures = json.loads(ran.stdout.splitlines()[-1])
    assert figures["ratios"], "it has no peer"
    assert all(isinstance(ratio, int | float) and ratio >= 0 for ratio in figures["ratios"].values()), figures["ratios"]
