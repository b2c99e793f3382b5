"""The client's network address; behind a proxy, from the one header that the proxy sets."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def asking_address(request: HttpRequest) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that asks, an IPv4 one as such; None where there is none (a Unix socket)."""
    text = request.META.get("REMOTE_ADDR", "")
    if settings.ADDRESS_HEADER:
        # Proxies append: only the last entry was written by the one before us.
        text = request.headers.get(settings.ADDRESS_HEADER, "").rpartition(",")[2].strip() or text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def client_address(request: HttpRequest) -> str:
    """An IPv4 address or the /64 of an IPv6 one, which is one household's; "" where there is none (a Unix socket)."""
    address = asking_address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return "" if address is None else str(address)
