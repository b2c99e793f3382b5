"""For which site passkeys are made (WebAuthn's relying party), and whether they work at the address that was asked.

A passkey belongs to one domain for good, the first of QREELS_ALLOWED_HOSTS (`config/logins.py`). Whether the page that
asked for it was this site's is checked against whole origins, where WebAuthn itself would take any subdomain's.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.access.second_factor import FactorRefused
from foundation.access.site_address import usual_address


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The domain of this site's passkeys, and the origins whose pages may ask for one."""

    id: str
    origins: frozenset[str]


def passkeys_allowed(*, as_login: bool = False) -> bool:
    """Whether the site's settings allow passkeys, or with `as_login`, passkeys in the place of a password."""
    passkeys: str = settings.PASSKEYS
    return passkeys == "login" if as_login else passkeys != "off"


def relying_party(request: HttpRequest) -> RelyingParty:
    """The relying party for a request. Raises: FactorRefused, which says where passkeys work."""
    if not passkeys_allowed():
        raise FactorRefused(_("This site takes no passkeys."))
    domain, host = settings.PASSKEY_DOMAIN, urlsplit(f"//{request.get_host()}")
    name = (host.hostname or "").rstrip(".")
    if not domain:
        raise FactorRefused(
            _("Passkeys need a site with a name, and this one has none. Ask whoever runs it: QREELS_ALLOWED_HOSTS.")
        )
    if name != domain and not name.endswith(f".{domain}"):
        there = f"http://{domain}{f':{host.port}' if host.port else ''}" if domain == "localhost" else usual_address()
        raise FactorRefused(_("Passkeys of this site work at %(address)s alone.") % {"address": there})
    here = f"{request.scheme}://{request.get_host()}"
    # A proxy may speak https for a site that hears plain http: whoever runs it named that origin.
    trusted = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if urlsplit(origin).hostname == name]
    origins = frozenset(origin for origin in (here, *trusted) if origin.startswith("https://") or name == "localhost")
    if not origins:
        raise FactorRefused(
            _("Browsers offer passkeys over https alone, and this site is open over http, at %(address)s.")
            % {"address": here}
        )
    return RelyingParty(domain, origins)


def party_or_reason(request: HttpRequest) -> tuple[RelyingParty | None, str]:
    """The relying party, or None and why there is none; None and "" where the settings allow no passkeys."""
    if not passkeys_allowed():
        return None, ""
    try:
        return relying_party(request), ""
    except FactorRefused as reason:
        return None, str(reason)
