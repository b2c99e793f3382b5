"""Where a webhook may lead: https to public addresses, and whatever else the installation allows."""

import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.refused import Refused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNICAST = ipaddress.ip_network("2000::/3")
"""All IPv6 that is given out to be reached from everywhere. Outside are old and local kinds, also such that
`is_global` takes for public: site-local fec0::/10, ::127.0.0.1, ::ffff:0:127.0.0.1, NAT64's 64:ff9b::/96."""
_NOBODY_S = tuple(
    ipaddress.ip_network(one)
    # 6to4 and Teredo are names for IPv4 addresses, and what is behind them can't be told; the others aren't in every
    # Python's list of what isn't public: documentation, the relays of 6to4, protocols of the IETF.
    for one in ("2002::/16", "2001::/32", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24")
)


@dataclass(frozen=True, slots=True)
class WebhookAddress:
    """An address taken apart. `target` is the path with its query."""

    tls: bool
    host: str
    port: int
    target: str


def read_address(address: str) -> WebhookAddress:
    """An address that a webhook may have, as far as its text says. Raises: Refused."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = port == 0 or any(sign.isspace() or not sign.isprintable() or not sign.isascii() for sign in address)
    if parts.scheme not in ("https", "http") or not parts.hostname or plain or len(address) > 500:
        raise Refused(
            _("Found %(found)s, expected an address such as https://hooks.example.org/qreels.")
            % {"found": repr(address[:100])}
        )
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Refused(_("Found an address with a name, a password or a #, expected one without."))
    tls = parts.scheme == "https"
    if not tls and not settings.WEBHOOK_NETWORKS:
        raise Refused(_("Found http, expected https: what is sent shall be read by nobody else."))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookAddress(tls, parts.hostname, port or (443 if tls else 80), target)


def is_public(address: Address) -> bool:
    """Whether a network address is public: not of this machine or a private network, nor another form of such a one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _NOBODY_S)


def is_allowed_inside(address: Address) -> bool:
    """Whether the installation allows this one by QREELS_WEBHOOK_NETWORKS."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any((mapped or address) in ipaddress.ip_network(network) for network in settings.WEBHOOK_NETWORKS)


def addresses_of(place: WebhookAddress, *, seconds: float = 15.0) -> list[str]:
    """The network addresses of a place, as its name resolves now, each of which was checked: connect to one of these.

    Raises: Refused if one of them may not be asked, or there is none, or no name server answers in `seconds`.
    """
    looking = ThreadPoolExecutor(1)
    try:
        infos = looking.submit(socket.getaddrinfo, place.host, place.port, type=socket.SOCK_STREAM).result(seconds)
    except (OSError, UnicodeError) as fault:
        reason = "no name server answered in time" if isinstance(fault, TimeoutError) else fault
        raise Refused(f"The name {place.host} can't be found: {reason}.") from fault
    finally:
        looking.shutdown(wait=False)
    addresses = list(dict.fromkeys(str(info[4][0]).partition("%")[0] for info in infos))
    for text in addresses:
        address = ipaddress.ip_address(text)
        inside = is_allowed_inside(address)
        if not inside and not is_public(address):
            raise Refused(
                f"{place.host} is {text}, which isn't a public address. Whoever runs the site can allow it:"
                " QREELS_WEBHOOK_NETWORKS."
            )
        if not inside and not place.tls:
            raise Refused(f"{place.host} is asked over http, which only addresses of one's own network may be.")
    return addresses
