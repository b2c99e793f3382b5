"""The audit of packages: accepted findings have reasons, and a database that knows nothing isn't believed."""

import pytest

from tests.audit import ACCEPTED, Finding, accepted_in, findings_in, pins_without_builds

REPORT = """{"dependencies": [
  {"name": "jinja2", "version": "2.4.1", "vulns": [
    {"id": "PYSEC-2014-8", "fix_versions": ["2.7.2"], "aliases": [], "description": "A  temporary\\nfile."}]},
  {"name": "django", "version": "5.2.19", "vulns": []},
  {"name": "qreels", "skip_reason": "Dependency not found"}], "fixes": []}"""


def test_findings_and_packages_that_nobody_knows_are_told_apart() -> None:
    found, unknown = findings_in(REPORT)
    assert found == [Finding("jinja2", "2.4.1", "PYSEC-2014-8", "2.7.2", "A temporary file.")] and unknown == ["qreels"]


def test_whoever_accepts_a_finding_says_why() -> None:
    assert accepted_in(ACCEPTED.read_text()) == {}
    assert accepted_in("# word\nCVE-2026-1 Not called. # here\n") == {"CVE-2026-1": "Not called."}
    for bad in ("CVE-2026-1", "django is fine", "CVE-2026-1   # later"):
        with pytest.raises(ValueError, match="line 1: found"):
            accepted_in(bad)


def test_every_pinned_package_is_asked_about(tmp_path: object) -> None:
    from pathlib import Path

    product, tests = (path.read_text().splitlines() for path in pins_without_builds(Path(str(tmp_path))))
    assert any(line.startswith("Django==") or line.startswith("django==") for line in product) and len(product) > 60
    assert "moto==5.2.5" in tests and not any("[" in line for line in [*product, *tests])
