"""The language of a page's frame, and the words of its scripts."""

import gettext
from functools import lru_cache

from django import template
from django.conf import settings
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_bidi, to_locale

register = template.Library()


@register.simple_tag
def page_language() -> SafeString:
    """The attributes `lang` and `dir` of a page."""
    return SafeString(f'lang="{get_language()}" dir="{"rtl" if get_language_bidi() else "ltr"}"')


@register.simple_tag
def script_words() -> SafeString:
    """What `static/js/translated.js` reads: this language's words for scripts; nothing in English.

    In the page itself, so that they are there before the first script runs, cost no request, and stay with a page that
    is kept for when the network is away.
    """
    return _script_words(get_language() or settings.LANGUAGE_CODE)


@lru_cache(maxsize=32)
def _script_words(language: str) -> SafeString:
    words: dict[str, list[str]] = {}
    for folder in settings.LOCALE_PATHS:
        catalog = gettext.translation("djangojs", folder, languages=[to_locale(language)], fallback=True)
        for key, form in getattr(catalog, "_catalog", {}).items():
            message, place = key if isinstance(key, tuple) else (key, 0)
            if message:
                forms = words.setdefault(message, [])
                forms.extend([""] * (place + 1 - len(forms)))
                forms[place] = form
    return SafeString(json_script(words, "script-words") if words else "")
