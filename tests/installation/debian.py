"""Debian machines made for a test: a root by mmdebstrap, booted by systemd-nspawn with its own systemd.

They share the network of this machine, and its sources of Python packages, as pip is configured here.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.paths import ROOT

RELEASE = os.environ.get("QREELS_TEST_DEBIAN", "bookworm")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# What systemd-nspawn shows a machine read-only, and podman has to write.
WRITABLE = """mount -o remount,rw /proc/sys
for place in $(awk '$2 ~ "^/sys/fs/cgroup" {print $2}' /proc/mounts); do mount -o remount,bind,rw $place; done"""


def missing(*programs: str) -> str:
    """Why such a test can't run here; "" if it can."""
    if os.geteuid() != 0:
        return "needs root"
    lacking = [name for name in programs if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None]
    return f"needs {', '.join(lacking)} (docs/developing/tests.md)" if lacking else ""


def does_not_run(architecture: str) -> str:
    """Why this machine runs no programs of another Debian architecture by qemu; "" if it does."""
    needed = "needs qemu-user-static and binfmt_misc" + f", for programs of {architecture} (docs/developing/tests.md)"
    if shutil.which("arch-test") is None:
        return "needs arch-test (docs/developing/tests.md)"
    runs = subprocess.run(["arch-test", architecture], capture_output=True, check=False).returncode == 0
    # Without the flag F the emulator would have to lie in every root.
    flags = [
        line
        for file in Path("/proc/sys/fs/binfmt_misc").glob("qemu-*")
        for line in file.read_text().splitlines()
        if line.startswith("flags:")
    ]
    return "" if runs and any("F" in line.removeprefix("flags:") for line in flags) else needed


def make_root(archive: Path, *packages: str, release: str = RELEASE, architecture: str | None = None) -> None:
    """A minimal Debian with these packages, as a tar archive; without an architecture this machine's."""
    line = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(('ca-certificates', *packages))}"]
    other = [f"--architectures={architecture}"] if architecture else []
    subprocess.run([*line, *other, release, str(archive)], check=True)


def package_sources() -> tuple[list[Path], dict[str, str]]:
    """What pip is configured for on this machine: files and folders to show the other, and variables for it."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    shown, variables = [], {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        words = value.strip("'").replace("\\n", " ").split()
        variables["PIP_" + name.rpartition(".")[2].upper().replace("-", "_")] = " ".join(words)
        for word in words:
            path = Path(word.removeprefix("file://"))
            if path.is_absolute() and path.exists():
                # The files of an index lie beside its pages.
                shown.append(path.parent if word.startswith("file://") else path)
    return sorted(set(shown)), variables


def copy_source(folder: Path) -> None:
    """What git knows of this checkout, as somebody else would have it."""
    folder.mkdir(parents=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    packed = ["tar", "--create", "--null", "--files-from=-", "--ignore-failed-read"]
    archive = subprocess.run(packed, cwd=ROOT, input=names, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive, check=True)


class Machine:
    """A Debian that boots from a folder; with `runs_containers` it may have containers of its own."""

    def __init__(self, folder: Path, *, runs_containers: bool = False) -> None:
        self.folder = folder
        self._runs_containers = runs_containers
        self._process: subprocess.Popen[bytes] | None = None
        self._shown, self._variables = package_sources()

    def boot(self) -> None:
        """Until systemd says that all has started."""
        self._process = subprocess.Popen(
            [
                *("systemd-nspawn", "--boot", "--register=no", "--keep-unit", "--quiet", "--resolv-conf=bind-host"),
                *("--machine", f"qreels-{os.getpid()}", "--directory", str(self.folder)),
                *(f"--bind-ro={path}" for path in self._shown),
                *(["--capability=all", "--system-call-filter=add_key keyctl bpf"] if self._runs_containers else []),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "systemd-nspawn has ended: can this machine boot containers?"
            # One that runs containers lacks what loads kernel modules, and is "degraded" by that alone.
            started = ("running", "degraded") if self._runs_containers else ("running",)
            if self._leader() and self.run("systemctl is-system-running --wait").stdout.strip() in started:
                if self._runs_containers:
                    self.must(WRITABLE)
                return
            time.sleep(0.2)
        raise AssertionError(self.run("systemctl --failed; systemctl list-jobs").stdout)

    def _leader(self) -> str:
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().strip()

    def run(self, command: str, *, folder: str = "/root") -> subprocess.CompletedProcess[str]:
        """A command line of bash as root, whatever comes of it; what it says on both outputs is in `stdout`."""
        environment = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", **self._variables}
        variables = [f"{name}={value}" for name, value in environment.items()]
        inside = ["nsenter", "--target", self._leader(), "--all", "env", "-i", *variables]
        return subprocess.run(
            [*inside, "bash", "-euo", "pipefail", "-c", f"cd {folder}; {command}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def must(self, command: str, *, folder: str = "/root") -> str:
        """What a command says that has to succeed."""
        done = self.run(command, folder=folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    def power_off(self) -> None:
        """In order, as a person would; a machine that doesn't end is switched off."""
        if self._process is None:
            return
        leader = self._leader() if self._process.poll() is None else ""
        if leader:
            self.run("systemctl poweroff")
        try:
            self._process.wait(120)
        except subprocess.TimeoutExpired:
            if leader:
                os.kill(int(leader), signal.SIGKILL)  # its systemd, and with it all that it started
            self._process.kill()
            self._process.wait()
        self._process = None
