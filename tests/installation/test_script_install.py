"""script/install in a Debian that boots, by docs/installing.md word for word: from nothing to a site, and back."""

import http.cookiejar
import re
import socket
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installation.debian import Machine, copy_source, make_root, missing
from tests.installation.manual import blocks
from tests.paths import ROOT

pytestmark = pytest.mark.slow
NAME = "qreels.example.org"
SOURCE = "/usr/src/qreels"
"""Where the new machine has Qreels' source."""
PASSWORD = "a-paper-moon-over-the-sea"
FIND_LEFT = (
    "find / -xdev -path /usr/src -prune -o -iname '*qreels*' -print -o -nouser -print | grep -v '^/var/log/' || true"
)
"""Prints what a removed Qreels has left on the machine."""
SERVICES = "qreels-web qreels-worker qreels-database qreels-broker"


def test_the_manual_has_its_commands() -> None:
    assert blocks("A Debian machine")[0] == f"script/install --name {NAME}\n"
    assert blocks("Upgrading") == ["script/install\n"]
    assert len(blocks("Removing it")) == 2


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    if reason := missing("mmdebstrap", "systemd-nspawn", "nsenter"):
        pytest.skip(reason)
    if taken := [port for port in (80, 443, 8000) if is_open(port)]:
        pytest.skip(f"the machine shares this one's ports, and these are taken: {taken}")
    folder = tmp_path_factory.mktemp("machine")
    make_root(folder / "root.tar", "systemd", "systemd-sysv", "dbus")
    (folder / "root").mkdir()
    subprocess.run(["tar", "-xf", str(folder / "root.tar"), "-C", str(folder / "root")], check=True)
    (folder / "root.tar").unlink()
    copy_source(folder / "root" / SOURCE.lstrip("/"))
    (folder / "root" / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    made = Machine(folder / "root")
    refused = subprocess.run(
        ["chroot", str(made.folder), f"{SOURCE}/script/install", "--name", NAME],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "systemd doesn't run on this machine" in refused.stderr
    try:
        made.boot()
        yield made
    finally:
        made.power_off()
        subprocess.run(["rm", "-rf", str(folder)], check=False)


class Browser:
    """Keeps cookies, trusts the machine's own certificate, and finds the site's name on this machine."""

    def __init__(self, certificate: Path) -> None:
        context = ssl.create_default_context(cafile=str(certificate))
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), cookies)

    def get(self, path: str) -> str:
        return self._read(urllib.request.Request(urllib.parse.urljoin(f"https://{NAME}/", path)))

    def send(self, path: str, **fields: str) -> str:
        """A form of the page at this path, with its hidden token."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path))
        assert token is not None
        address = urllib.parse.urljoin(f"https://{NAME}/", path)
        data = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], **fields}).encode()
        return self._read(urllib.request.Request(address, data, {"Referer": address}))

    def _read(self, request: urllib.request.Request) -> str:
        with self._opener.open(request, timeout=60) as answer:
            return str(answer.read().decode())


@pytest.fixture(autouse=True)
def name_leads_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of a DNS record, for this process."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **more: resolve("127.0.0.1" if host == NAME else host, *rest, **more)
    )


def test_a_machine_is_installed_used_upgraded_restarted_and_left_clean(machine: Machine) -> None:
    # What is wrong with the machine or the options is said, and nothing is done.
    (install,) = (block for block in blocks("A Debian machine") if block.startswith("script/install"))
    before = machine.must("ls /etc /opt /usr/local/bin; dpkg-query -l | wc -l")
    for command, said in (
        ("script/install", "Which name do browsers find the site by?"),
        ("script/install --name 'no name'", "--name no name is no host name"),
        ("script/install --frob", "--frob is no option"),
        ("script/install --name", "--name needs a value"),
        (install, f"{NAME} leads to no address"),
        (f"echo '127.0.0.1 {NAME}' >> /etc/hosts; {install.strip()} --port 99", "expected a number from 1024"),
        (f"{install.strip()} --certificate /etc/hosts", "--certificate and --key belong together"),
        (f"{install.strip()} --certificate /nowhere.pem --key /nowhere.key", "/nowhere.pem can't be read"),
        (f"{install.strip()} --database mysql://a@b/c --broker redis://b/0", "--database: expected an address"),
        (f"chmod 755 /root; setpriv --reuid 65534 {install}", "so it needs root"),
    ):
        refused = machine.run(command, folder=SOURCE)
        assert refused.returncode != 0 and said in refused.stdout, refused.stdout
        assert "Nothing was done." in refused.stdout
    with socket.create_server(("127.0.0.1", 8000)):
        refused = machine.run(install, folder=SOURCE)
        assert "Port 8000 of 127.0.0.1 is taken by another program" in refused.stdout
    with socket.create_server(("127.0.0.1", 443)):
        assert "Port 443 is taken by a program other than nginx" in machine.run(install, folder=SOURCE).stdout
    dry = machine.must(install.strip() + " --dry-run", folder=SOURCE)
    assert "would run: useradd" in dry and "would write: /etc/systemd/system/qreels-web.service" in dry
    assert machine.must("ls /etc /opt /usr/local/bin; dpkg-query -l | wc -l") == before

    said = machine.must(install, folder=SOURCE)
    links = re.findall(rf"https://{NAME}(/welcome/\S+)", said)
    assert len(links) == 1, said

    # The login page by TLS, the owner, and what the manual says to do.
    browser = Browser(machine.folder / "etc" / "qreels" / "self-signed.pem")
    assert '"worker": "ok"' in browser.get("/readyz")
    commands = next(block for block in blocks("A Debian machine") if block.startswith("systemctl status"))
    for command in commands.splitlines():
        machine.must(command)
    (link,) = re.findall(r"/welcome/\S+", machine.must("qreels owner_link"))
    browser.send(link, username="olga", password1=PASSWORD, password2=PASSWORD)
    assert "olga" in browser.get("/")
    assert "no issues" in machine.must("qreels check --deploy")
    assert machine.must("stat -c '%U %a' /etc/qreels/qreels.env").strip() == "root 600"
    secret = machine.must("sed -n 's/^QREELS_SECRET_KEY=//p' /etc/qreels/qreels.env").strip()
    assert len(secret) >= 32 and secret not in machine.must("journalctl --no-pager; cat /proc/[0-9]*/cmdline")
    # Not even the servers of this machine let others in.
    assert machine.run("runuser -u nobody -- ls /var/lib/qreels /run/qreels-database").returncode != 0
    exposed = machine.must("systemd-analyze security --no-pager")
    grades = {unit: float(grade) for unit, grade in re.findall(r"(qreels-\w+)\.service +([\d.]+)", exposed)}
    assert len(grades) == 4 and max(grades.values()) < 2.5, grades
    machine.must(f"systemd-analyze verify qreels.target {' '.join(f'{name}.service' for name in SERVICES.split())}")

    # The upgrade: the same session goes on; a certificate and settings that are the owner's stay.
    machine.must("echo QREELS_LOG=INFO >> /etc/qreels/qreels.env; echo '# mine' >> /etc/nginx/sites-available/qreels")
    (upgrade,) = blocks("Upgrading")
    again = machine.must(upgrade, folder=SOURCE)
    assert "/welcome/" not in again, "the site has an owner"
    assert "The tables are those of Qreels" in again
    assert "olga" in browser.get("/")
    assert machine.must("grep -c '^# mine' /etc/nginx/sites-available/qreels").strip() == "1"
    assert secret == machine.must("sed -n 's/^QREELS_SECRET_KEY=//p' /etc/qreels/qreels.env").strip()
    machine.must("test -d /opt/qreels/previous")
    refused = machine.run("script/install --name another.example.org", folder=SOURCE)
    assert f"Qreels is installed here as {NAME}" in refused.stdout

    # A packages' source that can't be had: the site stays as it is.
    machine.must("echo 'no-such-package-of-qreels==1.0' >> requirements.txt", folder=SOURCE)
    broken = machine.run("script/install", folder=SOURCE)
    assert broken.returncode != 0 and "It stopped at: The code and its packages" in broken.stdout
    assert "olga" in browser.get("/")
    machine.must("sed -i '$d' requirements.txt", folder=SOURCE)

    # Everything stops in order, and starts with the machine.
    machine.must("qreels check_health")
    machine.power_off()
    assert not is_open(443)
    machine.boot()
    machine.must(f"systemctl is-active {SERVICES} nginx")
    assert "olga" in browser.get("/")
    logs = machine.must("journalctl --no-pager -u qreels-database -u qreels-web")
    assert "database system is shut down" in logs and "was not properly shut down" not in logs
    assert "Killing process" not in logs

    for block in blocks("Removing it"):
        machine.must(block)
    assert not any(is_open(port) for port in (443, 8000))
    assert machine.run("getent passwd qreels; getent group qreels").stdout.strip() == ""
    left = machine.must(FIND_LEFT)
    assert left.strip() == "", left


def test_debians_own_postgresql_and_queue_do_as_well(machine: Machine) -> None:
    machine.must(f"grep -q {NAME} /etc/hosts || echo '127.0.0.1 {NAME}' >> /etc/hosts")
    refused = machine.run(
        f"script/install --name {NAME} --debian-servers --database postgresql://a@b/c --broker redis://b/0",
        folder=SOURCE,
    )
    assert "--debian-servers installs servers, --database names one elsewhere" in refused.stdout
    said = machine.must(f"script/install --name {NAME} --debian-servers", folder=SOURCE)
    (link,) = re.findall(rf"https://{NAME}(/welcome/\S+)", said)
    browser = Browser(machine.folder / "etc" / "qreels" / "self-signed.pem")
    browser.send(link, username="olga", password1=PASSWORD, password2=PASSWORD)

    # They are Debian's, and nobody else's; the site works with them, and is backed up by PostgreSQL's own tools.
    machine.must(
        "test ! -e /etc/systemd/system/qreels-database.service -a ! -e /etc/systemd/system/qreels-broker.service"
    )
    queue = machine.must(
        "dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' | sed -n 's/^ii *\\(.*-server\\)$/\\1/p'"
    ).split()
    assert "valkey-server" in queue or "redis-server" in queue
    machine.must(f"systemctl is-active qreels-web qreels-worker postgresql {' '.join(queue)}")
    there = "runuser -u postgres -- psql -d qreels -tAc 'SELECT username FROM foundation_account'"
    assert machine.must(there, folder="/").split() == ["olga"]  # PostgreSQL's user may not look into root's home
    machine.must("qreels check_health")
    machine.must("qreels backup /var/backups/qreels && qreels restore /var/backups/qreels --list")

    # An upgrade leaves them as they are, and they come back with the machine.
    machine.must("script/install", folder=SOURCE)
    machine.power_off()
    machine.boot()
    machine.must("qreels check_health")
    assert "olga" in browser.get("/")
    for block in blocks("Removing it"):
        machine.must(block)
    assert not any(is_open(port) for port in (443, 8000))
    said_too = re.findall(r"`(runuser [^`]+)`", (ROOT / "docs" / "installing.md").read_text())
    assert len(said_too) == 2
    for command in said_too:
        machine.must(command, folder="/")
    assert machine.must(FIND_LEFT).strip() == ""
