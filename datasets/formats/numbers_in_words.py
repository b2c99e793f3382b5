"""Numbers in the sentences of a release."""

from django.utils.formats import number_format


def number(value: float) -> str:
    """As its language writes it; whole ones without decimals, others with two."""
    whole = value == int(value)
    return str(number_format(int(value) if whole else round(value, 2), 0 if whole else 2, force_grouping=True))


def with_count(sentence: str, count: int, **values: str) -> str:
    """A sentence with its number for %(count)s."""
    return sentence % {"count": number(count), **values}
