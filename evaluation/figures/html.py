"""HTML, element by element: whatever isn't HTML already is escaped."""

from __future__ import annotations

from html import escape


class Html(str):
    """Text that is HTML, with all that needs it escaped."""


def element(name: str, /, *inside: str, **attributes: str) -> Html:
    """An element with what is in it: texts, which are escaped, and `Html`.

    Args: attributes: `class_` stands for class, `aria_label` for aria-label.

    >>> print(element("p", "a < b", element("b", "&"), class_="note"))
    <p class="note">a &lt; b<b>&amp;</b></p>
    """
    told = (f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{''.join(told)}>{''.join(map(as_html, inside))}</{name}>")


def as_html(text: str) -> Html:
    """A text escaped, unless it is HTML.

    >>> as_html("<"), as_html(Html("<br>"))
    ('&lt;', '<br>')
    """
    return text if isinstance(text, Html) else Html(escape(text))
