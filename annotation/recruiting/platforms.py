"""What each platform calls its ids, and the addresses that lead to us and back. Pure.

Sources: Prolific's "Integrating your study", MTurk's "ExternalQuestion", Toloka's "External tasks", SONA's "Web-based
studies". Names can be changed for each recruitment, since platforms change theirs.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from hashlib import sha256
from urllib.parse import quote

from django.utils.translation import gettext as _

from foundation.refused import Refused

LONGEST_ID = 100
SIGNATURE = "signature"
"""The parameter of a signed entry."""
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""MTurk's assignment before a worker has accepted one."""
MTURK_SUBMIT = "/mturk/externalSubmit"
MTURK_HOSTS = {"https://www.mturk.com", "https://workersandbox.mturk.com"}
"""Where a form may be sent at the end, and who may show our entry page in a frame."""
_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._:+/=-]{{0,{LONGEST_ID - 1}}}")
SPACE = re.compile(r"\{(\w*)\}")
SPACES = ("code", "person", "session", "study")
"""What a return address may leave open."""


@dataclass(frozen=True, slots=True)
class Names:
    """The parameters by which a platform hands over its ids; "" for one that it doesn't."""

    person: str
    session: str = ""
    study: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A platform: its parameters, what its own entry address puts into them ("" where the platform adds them itself),
    and a return address to begin with."""

    names: Names
    filled_by: Names | None
    return_address: str = ""


PRESETS = {
    "prolific": Preset(
        Names("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
        Names("{{%PROLIFIC_PID%}}", "{{%SESSION_ID%}}", "{{%STUDY_ID%}}"),
        "https://app.prolific.com/submissions/complete?cc={code}",
    ),
    "mturk": Preset(Names("workerId", "assignmentId", "hitId"), None),
    "toloka": Preset(
        Names("worker_id", "assignment_id", "pool_id"), Names("{{worker_id}}", "{{assignment_id}}", "{{pool_id}}")
    ),
    "sona": Preset(Names("id"), Names("%SURVEY_CODE%")),
    "other": Preset(Names("person", "session"), Names("PERSON", "SESSION")),
}


@dataclass(frozen=True, slots=True)
class Ids:
    """What an address says: the platform's ids of person, submission and study; `submit_to` is MTurk's host, and
    `preview` says that nobody has accepted anything yet."""

    person: str
    session: str = ""
    study: str = ""
    submit_to: str = ""
    preview: bool = False


def read_ids(sent: Mapping[str, list[str]], names: Names, *, mturk: bool = False) -> Ids:
    """The ids in an address's parameters.

    Args: sent: parameter -> its values; mturk: whether assignments have previews and a host to submit to.
    Raises: Refused for one that is missing, twice there, not filled in by the platform, or no id.

    >>> read_ids({"id": ["1234"], "other": ["x"]}, Names("id"))
    Ids(person='1234', session='', study='', submit_to='', preview=False)
    """
    if mturk and sent.get(names.session) == [PREVIEW]:
        return Ids("", preview=True)
    person, session, study = (_id_of(sent, name) if name else "" for name in astuple(names))
    return Ids(person, session, study, _mturk_host(sent.get("turkSubmitTo", [])) if mturk else "")


def _id_of(sent: Mapping[str, list[str]], name: str) -> str:
    values = sent.get(name, [])
    if len(values) != 1 or not values[0]:
        raise Refused(
            _("This address needs %(name)s once, and has it %(count)s times. Open it from the platform's page.")
            % {"name": name, "count": len([value for value in values if value])}
        )
    if not is_id(values[0]):
        raise Refused(
            _("Found %(found)s as %(name)s, expected an id of at most %(most)s letters, digits and . _ : + / = -")
            % {"found": repr(values[0][:40]), "name": name, "most": LONGEST_ID}
        )
    return values[0]


def is_id(text: str) -> bool:
    """Whether a text can be a platform's id; no address of mail can.

    >>> is_id("5f2a8c90"), is_id("a@example.org"), is_id("{{%PROLIFIC_PID%}}"), is_id("a" * 101)
    (True, False, False, False)
    """
    return _ID.fullmatch(text) is not None


def _mturk_host(values: list[str]) -> str:
    host = values[0].rstrip("/") if len(values) == 1 else ""
    if host not in MTURK_HOSTS:
        raise Refused(
            _("Found %(found)s as turkSubmitTo, expected one of %(hosts)s.")
            % {"found": repr(", ".join(values)[:60]), "hosts": ", ".join(sorted(MTURK_HOSTS))}
        )
    return host


def entry_query(platform: str, names: Names) -> str:
    """What follows the entry address when it is pasted into the platform, with the platform's own placeholders.

    >>> entry_query("sona", Names("id")), entry_query("mturk", Names("workerId", "assignmentId"))
    ('?id=%SURVEY_CODE%', '')
    """
    fillers = PRESETS[platform].filled_by
    if fillers is None:
        return ""
    filled = zip(astuple(names), astuple(fillers), strict=True)
    pairs = [f"{name}={filler or f'[{name}]'}" for name, filler in filled if name]
    return f"?{'&'.join(pairs)}"


def filled_address(template: str, **values: str) -> str:
    """A return address with its spaces filled, each value quoted: none can change where it leads.

    >>> filled_address("https://x.org/done?cc={code}&id={person}", code="C 1", person="a&b=/")
    'https://x.org/done?cc=C%201&id=a%26b%3D%2F'
    """
    return SPACE.sub(lambda space: quote(values.get(space[1], ""), safe=""), template)


def signature_of(secret: str, ids: Ids) -> str:
    """What a platform that signs sends along: HMAC-SHA256 of person, session and study, a line each, in hexadecimal."""
    return hmac.new(secret.encode(), f"{ids.person}\n{ids.session}\n{ids.study}".encode(), sha256).hexdigest()


def refuse_unsigned(sent: Mapping[str, list[str]], secret: str, ids: Ids) -> None:
    """Raises: Refused unless the address carries the platform's signature of these ids."""
    values = sent.get(SIGNATURE, [])
    if len(values) != 1 or not hmac.compare_digest(values[0].encode(), signature_of(secret, ids).encode()):
        raise Refused(_("The platform hasn't signed this address. Open it from the platform's page."))
