"""What owners set about LLMs: servers of the installation, a collection's choice. Keys are kept sealed."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from foundation.access.form_input import whole_number
from foundation.infra.sealed import seal
from foundation.models import Account, Membership
from foundation.refused import FieldsRefused, Refused
from queries.models import LlmChoice, LlmServer
from queries.models.llm import LlmTerms
from queries.rewriting.amounts_typed import BadAmount, amount_typed
from queries.rewriting.llm_settings import end_of, llm_settings, server_settings

LONGEST_KEY = 500
AMOUNTS = ("price_in", "price_out", "limit")


def owns_installation(account: Account) -> bool:
    """Whether an account may say where LLMs are asked: whoever owns the site.

    That is more than creating collections: this server then sends requests to any address that it can reach.
    """
    return account.owns_site


@transaction.atomic
def save_server(*, account: Account, typed: Mapping[str, str], server_id: int | None = None) -> LlmServer:
    """Add a server, or change one. Raises: Refused."""
    if not owns_installation(account):
        raise Refused(_("Only an owner of this site can change its LLM servers."))
    server = LlmServer.objects.select_for_update(no_key=True).filter(pk=server_id or 0).first() or LlmServer()
    before, faults = server.address, {}
    server.name = " ".join(typed.get("name", "").split())
    if not 1 <= len(server.name) <= 60:
        faults["name"] = _("Enter a name of 1 to 60 characters.")
    elif LlmServer.objects.filter(name=server.name).exclude(pk=server.pk).exists():
        faults["name"] = _("Another server is called %(name)s.") % {"name": server.name}
    server.address = typed.get("address", "").strip()
    if server.address:
        faults |= _fault("address", why_no_address(server.address))
    _take(server, typed, faults, moved=server.pk is not None and server.address != before)
    server.is_default = bool(typed.get("is_default"))
    if faults:
        raise FieldsRefused(faults)
    if server.is_default:
        LlmServer.objects.filter(is_default=True).exclude(pk=server.pk).update(is_default=False)
    server.save()
    return server


def remove_server(*, account: Account, server_id: int) -> None:
    """Remove a server. Repeating it changes nothing. Raises: Refused, also while collections have chosen it."""
    if not owns_installation(account):
        raise Refused(_("Only an owner of this site can change its LLM servers."))
    try:
        LlmServer.objects.filter(pk=server_id).delete()
    except ProtectedError as error:
        names = sorted(choice.collection.title for choice in error.protected_objects if isinstance(choice, LlmChoice))
        chosen = {"collections": ", ".join(names[:5])}
        fault = _("These collections use the server: %(collections)s. Choose another server there first.") % chosen
        raise Refused(fault, "remove") from error


@transaction.atomic
def save_choice(*, member: Membership, typed: Mapping[str, str]) -> LlmChoice:
    """Set a collection's own settings. Raises: Refused."""
    if member.role != Membership.Role.OWNER:
        raise Refused(_("Only an owner of the collection can change these settings."))
    choice = LlmChoice.objects.select_for_update(of=("self",), no_key=True).filter(collection=member.collection).first()
    choice = choice or LlmChoice(collection=member.collection)
    faults: dict[str, str] = {}
    choice.rewriter = typed.get("rewriter", "")
    if choice.rewriter not in LlmChoice.Rewriter.values:
        faults["rewriter"] = _("Choose one of the offered values.")
    asked = typed.get("server", "")
    choice.server = LlmServer.objects.filter(pk=whole_number(asked) or 0).first()
    if asked and choice.server is None:
        faults["server"] = _("Choose one of the offered values.")
    # What the server's address is now, in whichever way it is chosen.
    server = choice.server or LlmServer.objects.filter(is_default=True).first()
    usual = server_settings(server) if server else llm_settings()
    address = usual.values.get("OPENAI_BASE_URL", "").strip()
    _take(choice, typed, faults, moved=choice.key_address != address)
    choice.key_address = address if choice.key else ""
    if usual.by_site_key and not choice.key:
        for name in ("price_in", "price_out"):
            if getattr(choice, name) is not None:
                faults[name] = _("The key is the site's, and so are its prices. Enter a key of your own, or no price.")
        if usual.ceiling is not None and choice.limit is not None and choice.limit > usual.ceiling:
            faults["limit"] = too_high(choice.limit, usual.ceiling)
    if faults:
        raise FieldsRefused(faults)
    choice.save()
    return choice


def too_high(limit: Decimal, ceiling: Decimal) -> str:
    """What is said of a limit above that of the site."""
    return _("Found %(found)s, expected at most %(most)s: the key is the site's, and so is this limit.") % {
        "found": f"{limit.normalize():f}",
        "most": f"{ceiling.normalize():f}",
    }


def _take(terms: LlmTerms, typed: Mapping[str, str], faults: dict[str, str], *, moved: bool) -> None:
    """Model, key, prices and limit of a form; an empty key keeps the one that is there."""
    terms.model = " ".join(typed.get("model", "").split())[:200]
    for name in AMOUNTS:
        value = typed.get(name, "").strip()
        try:
            setattr(terms, name, amount_typed(value) if value else None)
        except BadAmount as fault:
            faults[name] = str(fault)
    if (terms.price_in is None) != (terms.price_out is None) and not {"price_in", "price_out"} & faults.keys():
        missing = "price_in" if terms.price_in is None else "price_out"
        faults[missing] = _("A cost needs both prices. Enter this one too, or neither.")
    key = typed.get("key", "").strip()
    if typed.get("forget_key"):
        terms.key = terms.key_end = ""
    elif key:
        if len(key) > LONGEST_KEY or not all("!" <= sign <= "~" for sign in key):
            faults["key"] = _("A key has at most %(most)s letters, digits and signs, without spaces.") % {
                "most": LONGEST_KEY
            }
        else:
            terms.key, terms.key_end = seal(key), end_of(key)
    elif terms.key and moved:
        faults["key"] = _("The key belongs to another server. Enter it again, or remove it.")


def _fault(name: str, why: str) -> dict[str, str]:
    return {name: why} if why else {}


def why_no_address(address: str) -> str:
    """Why a text is no base URL of a server; empty if it is one.

    >>> why_no_address("http://llm:8000/v1"), why_no_address("file:///etc/passwd")
    ('', 'Found “file:///etc/passwd”, expected an address such as https://llm.example.org/v1.')
    """
    expected = _("Found “%(found)s”, expected an address such as https://llm.example.org/v1.") % {"found": address[:80]}
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return expected
    if parts.username is not None or parts.password is not None:
        return _("An address contains no user name or password. Enter the key below.")
    plain = len(address) <= 500 and all("!" <= sign <= "~" for sign in address) and port != 0
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or not plain:
        return expected
    return ""


def as_form(terms: LlmTerms) -> dict[str, Any]:
    """What a form shows of what is kept: everything but the key, of which its end."""
    amounts = {
        name: "" if getattr(terms, name) is None else f"{getattr(terms, name).normalize():f}" for name in AMOUNTS
    }
    return {"model": terms.model, "key_end": terms.key_end, "has_key": bool(terms.key), **amounts}
