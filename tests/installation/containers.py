"""The image, built without a registry from a Debian made for it, and containers of it: buildah and podman.

Everything lies in a folder of the test's; nothing is shared with the images and containers of this machine.
"""

import json
import subprocess
from pathlib import Path

from tests.installation.debian import PATH, RELEASE, make_root, package_sources
from tests.paths import ROOT

IMAGE = "localhost/qreels"
BASE = "localhost/debian"
# As compose.yaml has it.
CLOSED = "--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges".split()


class Containers:
    """Images and containers in a folder, of this machine's architecture or of another that it emulates."""

    def __init__(self, folder: Path, *, architecture: str | None = None, release: str = RELEASE) -> None:
        self.folder, self._release = folder, release
        self._architecture = architecture
        storage = ("--root", str(folder / "storage"), "--runroot", str(folder / "run"), "--storage-driver", "overlay")
        self._buildah = ["buildah", *storage]
        # runc, since crun refuses machines that have both versions of cgroups; systemd needn't be there.
        usual = ("--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file")
        self._podman = ["podman", *storage, *usual]
        self._started: list[str] = []

    def build(self) -> None:
        """The image of Containerfile, on a Debian base of this moment."""
        archive = self.folder / "base.tar"
        make_root(archive, release=self._release, architecture=self._architecture)
        other = ["--arch", self._architecture] if self._architecture else []
        made = self._do(*self._buildah, "from", *other, "scratch")
        self._do(*self._buildah, "add", "--quiet", made, str(archive), "/")
        self._do(*self._buildah, "config", "--env", f"PATH={PATH}", "--cmd", "/bin/bash", made)
        self._do(*self._buildah, "commit", "--quiet", "--rm", made, BASE)
        archive.unlink()
        shown, variables = package_sources()
        known = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT")
        arguments = [f"--build-arg={name}={variables[name]}" for name in known if name in variables]
        volumes = [f"--volume={path}:{path}:ro" for path in shown]
        how = ["--isolation", "chroot", "--network", "host", "--format", "docker", f"--build-arg=BASE={BASE}"]
        self._do(*self._buildah, "bud", "--quiet", *other, *how, *arguments, *volumes, "--tag", IMAGE, str(ROOT))

    def build_small(self, tag: str, folder: Path) -> None:
        """An image of the Containerfile in a folder, of what lies there."""
        how = ["--isolation", "chroot", "--network", "host", "--format", "docker", "--tag", tag]
        self._do(*self._buildah, "bud", "--quiet", *how, str(folder))

    def save(self, tag: str, archive: Path) -> None:
        self._do(*self._podman, "save", "--quiet", "--output", str(archive), tag)

    def inspect(self, what: str) -> str:
        return self._do(*self._podman, "image", "inspect", "--format", what, IMAGE)

    def start(self, name: str, *arguments: str, options: list[str]) -> None:
        """A container in the background."""
        self._started.append(name)
        self._do(*self._podman, "run", "--detach", "--name", name, *self._usual(options), IMAGE, *arguments)

    def command(self, *arguments: str, options: list[str]) -> str:
        """What `manage.py` says in a container of its own."""
        entry = ["--entrypoint", "python"]
        return self._do(*self._podman, "run", "--rm", *entry, *self._usual(options), IMAGE, "manage.py", *arguments)

    def inside(self, name: str, *line: str) -> subprocess.CompletedProcess[str]:
        """A command in a container that runs, whatever comes of it."""
        return subprocess.run([*self._podman, "exec", name, *line], capture_output=True, text=True, check=False)

    def is_healthy(self, name: str) -> bool:
        """By the command of the image's health check (podman would have systemd call it)."""
        _, *line = json.loads(self.inspect("{{json .Config.Healthcheck.Test}}"))
        return self.inside(name, *line).returncode == 0

    def stop(self, name: str) -> int:
        """In order. Returns: the exit code."""
        self._do(*self._podman, "stop", "--time", "60", name)
        return int(self._do(*self._podman, "inspect", "--format", "{{.State.ExitCode}}", name))

    def logs(self) -> str:
        lines = [[*self._podman, "logs", name] for name in self._started]
        return "\n".join(
            subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
            for line in lines
        )

    def remove(self) -> None:
        subprocess.run([*self._podman, "rm", "--all", "--force", "--volumes"], capture_output=True, check=False)
        subprocess.run([*self._buildah, "rm", "--all"], capture_output=True, check=False)

    def _usual(self, options: list[str]) -> list[str]:
        # Limits that whoever may not raise them can have, too.
        limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]
        return [*CLOSED, *limits, "--no-healthcheck", "--network", "host", *options]

    def _do(self, *line: str) -> str:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(line)}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
        return done.stdout.strip()
