"""Names of accounts: none may be taken for another, by upper and lower case or by letters that look alike."""

import json
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import normalize

from django import forms
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils.translation import gettext as _

from foundation.models import Account


class OwnName(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Part of a form with `username`: a new name must not look like anybody else's. A name that is kept may."""

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"])
        if "username" in self.changed_data and is_taken(name, besides=self.instance.pk):
            raise ValidationError(
                _("This name is too much like that of another account: choose one that nobody takes for it.")
            )
        return name


def is_taken(name: str, *, besides: int | None = None) -> bool:
    """Whether somebody else's name looks like it, without being the same to the letter.

    In a transaction, whoever asks for a name that looks alike waits until it is over. `besides`: who is renamed.
    """
    looks = _looks(name)
    with connection.cursor() as cursor:
        for look in sorted(looks):
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('foundation.accounts.names'), hashtext(%s))", [look])
    others = Account.objects.exclude(pk=besides or 0).exclude(username=name).values_list("username", flat=True)
    return any(looks & _looks(other) for other in others.iterator())


@lru_cache(maxsize=20_000)
def _looks(name: str) -> frozenset[str]:
    """What a name looks like: folded, and as it stands, since a capital I is a small l to the eye.

    >>> [bool(_looks(one) & _looks("cy")) for one in ("CY", "\u0441\u0443", "cys")]
    [True, True, False]
    >>> bool(_looks("Alice") & _looks("AIice")), bool(_looks("kai") & _looks("kal"))
    (True, False)
    """
    plain = normalize("NFKC", name)
    return frozenset({skeleton(plain.casefold()), skeleton(skeleton(plain).casefold())})


def skeleton(text: str) -> str:
    """The text with every letter in place of all that look like it. Source: Unicode TR39, section 4."""
    alike = _prototypes()
    return normalize("NFD", "".join(alike.get(sign, sign) for sign in normalize("NFD", text)))


@cache
def _prototypes() -> dict[str, str]:
    """Sign -> what stands for it: Unicode's confusables.txt, which the library has as pairs both ways."""
    pairs: dict[str, list[dict[str, str]]] = json.loads(
        (files("confusable_homoglyphs") / "confusables.json").read_text(encoding="utf-8")
    )
    prototypes = {}
    for sign, others in pairs.items():
        # All that look alike point to the one that stands for them, and it to all of them.
        prototype = others[0]["c"].strip("\N{LEFT-TO-RIGHT MARK}")
        if len(sign) == 1 and len(others) == 1 and (len(pairs.get(prototype, ())) != 1 or prototype < sign):
            prototypes[sign] = prototype
    return prototypes
