"""The type of sentences that are translated when they are shown."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Lazy
else:
    from django.utils.functional import Promise as Lazy

LazyStr = str | Lazy
"""A text, or one of `gettext_lazy`, which becomes text in the reader's language once somebody reads it."""
