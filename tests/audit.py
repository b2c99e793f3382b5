"""Look the pinned packages up in a database of known vulnerabilities (pip-audit), if one can be reached.

    script/audit             # exit code 1 if there is a finding that nobody accepted; 0 where no database is reached
    script/audit --strict    # 2 where no database is reached

Findings that were looked at and don't concern Qreels stand in script/audit-accepted.txt, each with its reason.
pip-audit calls a package that its database doesn't know "not vulnerable", and an index without one knows none. So a
version whose vulnerability everybody knows is asked about first: only a database that finds it is believed.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = ROOT / "script" / "audit-accepted.txt"
TOOL = ("tool", "run", "--quiet", "--from", "pip-audit==2.10.1", "pip-audit")
"""By uv, in an environment of its own: it needs two dozen packages that Qreels doesn't."""
SERVICES = ("pypi", "osv")
KNOWN = "jinja2==2.4.1"
SECONDS = 240
"""For all of it."""
LISTS = ("requirements.txt", "requirements-dev.txt")


@dataclass(frozen=True, slots=True)
class Finding:
    """A vulnerability of a pinned package."""

    package: str
    version: str
    id: str
    mended_in: str
    says: str


class NoDatabase(Exception):
    """No database answers; the message says why."""


def accepted_in(text: str) -> dict[str, str]:
    """Accepted findings: id -> reason, of lines `ID reason`; "#" begins a comment.

    Raises: ValueError for a line without a reason.
    """
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        name, _, reason = said.partition(" ")
        if not re.fullmatch(r"(PYSEC|CVE|GHSA|OSV)-[A-Za-z0-9-]+", name) or not reason.strip():
            raise ValueError(f"line {number}: found {line!r}, expected an id such as CVE-2026-1234 and the reason")
        found[name] = reason.strip()
    return found


def findings_in(report: str) -> tuple[list[Finding], list[str]]:
    """The vulnerabilities in pip-audit's JSON, and the packages that its database doesn't know."""
    found, unknown = [], []
    for one in json.loads(report)["dependencies"]:
        if "skip_reason" in one:
            unknown.append(one["name"])
        for vulnerability in one.get("vulns", ()):
            says = " ".join(vulnerability.get("description", "").split())[:200]
            mended = ", ".join(vulnerability.get("fix_versions", ())) or "no version yet"
            found.append(Finding(one["name"], one["version"], vulnerability["id"], mended, says))
    return found, unknown


def ask(service: str, lists: Sequence[str | Path], accepted: Sequence[str] = ()) -> str:
    """pip-audit's JSON about lists of pinned packages. Raises: NoDatabase."""
    line = [sys.executable, "-m", "uv", *TOOL, "--vulnerability-service", service, "--format", "json"]
    line += ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--timeout", "10"]
    for path in lists:
        line += ["--requirement", str(path)]
    for name in accepted:
        line += ["--ignore-vuln", name]
    try:
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise NoDatabase(f"{service}: {type(fault).__name__}") from fault
    if not done.stdout.startswith("{"):
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise NoDatabase(f"{service}: {said[-1][:200]}")
    return done.stdout


def reachable_service(folder: Path) -> str:
    """A database that knows what everybody knows. Raises: NoDatabase."""
    known = folder / "known.txt"
    known.write_text(f"{KNOWN}\n")
    reasons = []
    for service in SERVICES:
        try:
            found, _ = findings_in(ask(service, [known]))
        except NoDatabase as fault:
            reasons.append(str(fault))
            continue
        if found:
            return service
        reasons.append(f"{service}: it doesn't know that {KNOWN} is vulnerable")
    raise NoDatabase("; ".join(reasons))


def pins_without_builds(folder: Path) -> list[Path]:
    """The lists with nothing but `name==version`: pip-audit knows no includes and no extras."""
    made = []
    for name in LISTS:
        lines = (ROOT / name).read_text().splitlines()
        pins = [re.sub(r"\[[^]]*\]", "", line.partition("#")[0].partition(";")[0]).strip() for line in lines]
        path = folder / name
        path.write_text("".join(f"{pin}\n" for pin in pins if re.fullmatch(r"[A-Za-z0-9._-]+==\S+", pin)))
        made.append(path)
    return made


def main() -> int:
    from tempfile import TemporaryDirectory

    parser = argparse.ArgumentParser(description="Look for known vulnerabilities in the pinned packages.")
    parser.add_argument("--strict", action="store_true", help="fail where no database can be reached")
    strict = parser.parse_args().strict
    accepted = accepted_in(ACCEPTED.read_text())
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            service = reachable_service(folder)
            found, unknown = findings_in(ask(service, pins_without_builds(folder), list(accepted)))
        except NoDatabase as fault:
            print(f"The audit is skipped: no database of vulnerabilities can be reached ({fault}).")
            return 2 if strict else 0
    for one in found:
        print(f"{one.package} {one.version}: {one.id}, mended in {one.mended_in}. {one.says}")
    if unknown:
        print(f"Not known to {service}: {', '.join(sorted(set(unknown)))}")
    print(f"{len(found)} findings by {service}, {len(accepted)} accepted in {ACCEPTED.relative_to(ROOT)}.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
