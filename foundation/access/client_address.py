"""The client's network address; behind a proxy, from the one header that the proxy sets."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def asking_address(request: HttpRequest) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that asks, an IPv4 one as such; None where there is none (a Unix socket)."""
    said = request.META.get("REMOTE_ADDR", "")
    if settings.ADDRESS_HEADER:
        # Proxies append: only the last entry was written by the one before us.
        said = request.headers.get(settings.ADDRESS_HEADER, "").rpartition(",")[2].strip() or said
    try:
        found = ipaddress.ip_address(said)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found


def client_address(request: HttpRequest) -> str:
    """An IPv4 address or the /64 of an IPv6 one, which is one household's; "" where there is none (a Unix socket)."""
    found = asking_address(request)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return "" if found is None else str(found)
