"""Whether two runs of a benchmark agree: runs each program twice and prints how far its ratios were apart, as Markdown.

    .venv/bin/python -m benchmarks.harness.twice "search --texts 20000" "encoding --texts 500" ...

Apart is the difference as a share of the smaller one. Ends with 1 where a processor ratio was apart by more than
AGREES, or a ratio where a program tells no processor time.
"""

import argparse
import json
import shlex
import subprocess
import sys
from typing import Any

AGREES = 0.2
"""Two runs agree if no ratio differs by more than this share."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("line", nargs="+", help="a program of benchmarks/ with its arguments, as one word")
    lines = arguments.parse_args().line
    print("| benchmark | ratio | processor time, two runs | apart | wall time, two runs | apart |")
    print("| --- | --- | --- | --- | --- | --- |")
    agrees = True
    for line in lines:
        first, second = figures_of(line), figures_of(line)
        for name in first["ratios"]:
            processor, wall = (told(first, second, kind, name) for kind in ("processor_ratios", "ratios"))
            print(f"| `{line}` | {name} | {shown(processor)} | {shown(wall)} |", flush=True)
            agrees = agrees and apart(*(processor or wall or (1, 1))) <= AGREES
    sys.exit(not agrees)


def figures_of(line: str) -> dict[str, Any]:
    """What one run tells in its last line."""
    program, *arguments = shlex.split(line)
    ended = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{program}", *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def told(first: dict[str, Any], second: dict[str, Any], kind: str, name: str) -> tuple[float, float] | None:
    """A ratio in both runs; None where they don't tell it."""
    both = [run.get(kind, {}).get(name) for run in (first, second)]
    return None if None in both else (float(both[0]), float(both[1]))


def shown(pair: tuple[float, float] | None) -> str:
    return "– | –" if pair is None else f"{pair[0]:g}, {pair[1]:g} | {100 * apart(*pair):.0f} %"


def apart(figure: float, other: float) -> float:
    """The difference as a share of the smaller."""
    less, more = sorted((figure, other))
    return (more - less) / less if less > 0 else float(more > 0)


if __name__ == "__main__":
    main()
