"""compose.yaml in a Debian 13 that boots, by podman and podman-compose of its packages, after docs/installing.md.

No registry can be reached: PostgreSQL, Valkey and nginx are Debian's, in images that take the variables, volumes and
commands of the usual ones. What only those images have isn't tried.
"""

import json
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from config.embedded import free_port
from tests.installation.containers import Containers
from tests.installation.debian import Machine, copy_source, make_root, missing
from tests.installation.manual import blocks

pytestmark = pytest.mark.slow
RELEASE = "trixie"
NAME = "qreels.example.org"
SOURCE = "/usr/src/qreels"
IMAGES = {"qreels": "QREELS_IMAGE", "postgres": "POSTGRES_IMAGE", "valkey": "VALKEY_IMAGE", "nginx": "NGINX_IMAGE"}
# Does what the entry of the image "postgres" does: the same variables, the same volume.
POSTGRES = """#!/bin/sh
set -eu
data=/var/lib/postgresql/18/docker
bin=$(echo /usr/lib/postgresql/*/bin)
as_postgres="setpriv --reuid postgres --regid postgres --clear-groups"
if [ ! -s "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$data"
  install -o postgres -m 600 "$POSTGRES_PASSWORD_FILE" /tmp/password
  $as_postgres "$bin/initdb" -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | $as_postgres "$bin/postgres" --single -D "$data" postgres
fi
install -d -o postgres -g postgres /run/postgresql
exec $as_postgres "$bin/postgres" -D "$data" -c "listen_addresses=*"
"""
SERVERS = """FROM scratch
ADD servers.tar /
COPY postgres-entry /usr/local/bin/
RUN chmod 755 /usr/local/bin/postgres-entry && rm -f /etc/nginx/sites-enabled/default \\
 && ln -s /usr/lib/postgresql/*/bin/pg_isready /usr/local/bin/
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["postgres-entry"]
"""
# Limits that whoever may not raise them can have, too; as the tests of the image.
SETTINGS = """[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
"""


@pytest.fixture(scope="module")
def machine(containers: Containers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """With the images, and nothing started."""
    if reason := missing("mmdebstrap", "systemd-nspawn", "nsenter", "openssl"):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("compose")
    root = folder / "root"
    root.mkdir()
    booting = ("systemd", "systemd-sysv", "dbus", "openssl")
    podman = ("podman", "podman-compose", "netavark", "aardvark-dns", "nftables", "runc")
    make_root(folder / "root.tar", *booting, *podman, release=RELEASE)
    subprocess.run(["tar", "-xf", str(folder / "root.tar"), "-C", str(root)], check=True)
    (folder / "root.tar").unlink()
    copy_source(root / SOURCE.lstrip("/"))
    (root / "etc" / "containers").mkdir(exist_ok=True)
    (root / "etc" / "containers" / "containers.conf").write_text(SETTINGS)

    (folder / "servers").mkdir()
    make_root(folder / "servers" / "servers.tar", "postgresql", "valkey-server", "nginx-light", release=RELEASE)
    (folder / "servers" / "postgres-entry").write_text(POSTGRES)
    (folder / "servers" / "Containerfile").write_text(SERVERS)
    containers.build_small("localhost/servers", folder / "servers")
    shutil.rmtree(folder / "servers")
    for name in ("qreels", "servers"):
        containers.save(f"localhost/{name}", root / f"{name}.tar")
    made = Machine(root, runs_containers=True)
    try:
        made.boot()
        for name in ("qreels", "servers"):
            made.must(f"podman load --quiet --input /{name}.tar; rm /{name}.tar")
        yield made
    finally:
        made.power_off()
        subprocess.run(["rm", "-rf", str(folder)], check=False)


class Site:
    """What the containers answer by TLS, and the commands of the manual in the machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._port = machine, free_port()
        images = {
            variable: f"localhost/{'qreels' if name == 'qreels' else 'servers'}" for name, variable in IMAGES.items()
        }
        self._variables = {
            **images, "PODMAN_IGNORE_CGROUPSV1_WARNING": "1", "PODMAN_COMPOSE_WARNING_LOGS": "0",
            "QREELS_HTTP": str(free_port()), "QREELS_HTTPS": str(self._port),
        }  # fmt: skip

    def must(self, command: str) -> str:
        exports = "".join(f"export {name}={value}; " for name, value in self._variables.items())
        return self._machine.must(exports + command, folder=SOURCE)

    def get(self, path: str) -> tuple[int, str]:
        """The status, 0 where nothing answers, and the body."""
        certificate = self._machine.folder / SOURCE.lstrip("/") / "certificates" / "site.pem"
        trusting = ssl.create_default_context(cafile=str(certificate))
        trusting.check_hostname = False  # this machine finds it by its address
        request = urllib.request.Request(f"https://127.0.0.1:{self._port}{path}", headers={"Host": NAME})
        try:
            with urllib.request.urlopen(request, timeout=10, context=trusting) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 400
        while time.monotonic() < deadline:
            status, body = self.get("/readyz")
            if status == 200:
                return
            time.sleep(1)
        logs = self._machine.run(
            "for name in $(podman ps -a --format '{{.Names}}'); do podman logs --tail 9 $name; done"
        )
        raise AssertionError(f"{status} {body}\n{logs.stdout}")


def test_containers_become_a_site_go_on_after_a_new_one_and_end(machine: Machine) -> None:
    site = Site(machine)
    secrets, build_and_up = blocks("Containers")[:2]
    assert build_and_up.startswith("podman build "), "the image is there already, for want of a registry"
    naming, up, owner = build_and_up.splitlines()[1:]
    site.must(secrets)
    site.must(f"{naming}; {up}")
    site.wait_until_ready()

    # docs: the way in, and what the site says of itself.
    said = site.must(f"{naming}; {owner.replace('exec', 'exec -T')}")
    assert f"https://{NAME}/welcome/" in said
    health = site.must("podman exec qreels_web_1 python manage.py check_health")
    assert "ok       Task queue" in health and "ok       Workers" in health
    assert "no schedule for backups" in health, "QREELS_BACKUP_TO isn't set, and so there is none"
    assert site.get("/login/")[0] == 200

    # A web server that starts anew has another address, as after an upgrade: nginx finds it.
    address = "podman inspect qreels_web_1 --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'"
    before = site.must(address)
    site.must("podman restart --time 60 qreels_web_1")
    assert site.must(address) != before
    site.wait_until_ready()

    # In order, with the data kept; and away with all of it.
    site.must(f"{naming}; podman stop --time 60 qreels_worker_1; podman compose down")
    volumes = json.loads(site.must("podman volume ls --format json"))
    assert {volume["Name"] for volume in volumes} >= {"qreels_data", "qreels_database", "qreels_queue"}
    site.must(f"{naming}; {up}")
    site.wait_until_ready()
    site.must(f"{naming}; podman compose down; podman volume rm qreels_data qreels_database qreels_queue")
