"""What a lead types of a recruitment: parameters' names and a return address, read. Pure."""

import re
from dataclasses import asdict
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from annotation.recruiting.platforms import SIGNATURE, SPACE, SPACES, Names
from foundation.refused import Refused

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def read_names(names: Names) -> Names:
    """Names of parameters that a lead typed. Raises: Refused for no person, a name that is none, or one twice."""
    typed = {part: name.strip() for part, name in asdict(names).items()}
    for part, name in typed.items():
        if (name or part == "person") and (_NAME.fullmatch(name) is None or name == SIGNATURE):
            raise Refused(
                _("Found %(found)s, expected a parameter's name such as PROLIFIC_PID.") % {"found": repr(name[:40])},
                f"{part}_parameter",
            )
    used = [name for name in typed.values() if name]
    if len(set(used)) < len(used):
        raise Refused(_("Each id needs a parameter of its own."), "person_parameter")
    return Names(**typed)


def read_return_address(text: str, *, plain: bool = False) -> str:
    """A return address with {code}, {person}, {session} or {study} in its path or query; "" for none.

    Args: plain: whether http will do, for a platform on one's own machine.
    Raises: Refused for one that isn't https, whose host is left open, or that leaves anything else open.

    >>> read_return_address(" https://app.prolific.com/submissions/complete?cc={code} ")
    'https://app.prolific.com/submissions/complete?cc={code}'
    """
    address = text.strip()
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        odd = parts.port == 0 or parts.username is not None or bool(parts.fragment)
    except ValueError:
        parts, odd = urlsplit(""), True
    odd = odd or not address.isascii() or not address.isprintable() or any(sign in address for sign in " \\<>\"'")
    schemes = ("https", "http") if plain else ("https",)
    if odd or parts.scheme not in schemes or not parts.hostname or "{" in parts.netloc or len(address) > 500:
        raise Refused(
            _("Found %(found)s, expected an address such as https://app.prolific.com/submissions/complete?cc={code}.")
            % {"found": repr(address[:100])},
            "return_address",
        )
    unknown = [space for space in SPACE.findall(address) if space not in SPACES]
    if unknown or "{" in SPACE.sub("", address) or "}" in SPACE.sub("", address):
        raise Refused(
            _("Found %(found)s in the return address, expected %(spaces)s.")
            % {
                "found": f"{{{unknown[0]}}}" if unknown else "{ }",
                "spaces": ", ".join(f"{{{space}}}" for space in SPACES),
            },
            "return_address",
        )
    return address
